// Creates elements from the server's answers. Sends no requests and keeps no state.
import {questionOf} from "./counter.js";
import {ago, bytes, count, duration, element, falseMatches, figures, percent, rate, rounded, si} from "./format.js";
import {beside, written} from "./notation.js";
import {describe} from "./named_positions.js";
import {isCounting, phaseWords} from "./progress.js";

const verdicts = {
  match: ["good", "Agrees with the published number of paths."],
  mismatch: ["bad", "Differs from the published number of paths."],
  agree: ["good", "Paths counted with and without a table: both agree."],
  differ: ["bad", "Paths counted with and without a table: they differ."],
  inside: ["good", "The published number of paths is inside the interval."],
  outside: ["bad", "The published number of paths is outside the interval, as in one of a hundred estimates."],
  unknown: ["plain", "No number of paths is published for this position and depth."],
};
/** The modes in the order of the list. Each has words beside its name, a line of description, and the title of a result. */
export const modes = {
  count: {words: "exact, fast", hint: "Exact, by the fastest method for this position and depth.", title: "Perft()"},
  hashed: {words: "with a table", hint: "Exact unless the table had a false match; its probability is shown.", title: "Hashed perft()"},
  unhashed: {words: "without a table", hint: "Exact, without a table: slow, but false matches are impossible.", title: "Unhashed perft()"},
  configurations: {words: "without keys", hint: "Exact, without keys: counts the paths to each pair of White and Black pieces.", title: "Perft() by configurations"},
  verify: {words: "counted twice", hint: "Counts with a table and again without one, and explains any difference.", title: "Verified perft()"},
  stats: {words: "kinds of moves", hint: "Captures, checks, mates and other kinds of moves in the last ply.", title: "Statistics of perft()"},
  unique: {words: "distinct positions", hint: "Number of distinct positions of every ply, exact.", title: "Distinct positions of perft()"},
  estimate: {words: "random games", hint: "From random games, with a 99 % interval; for depths too large to count.", title: "Estimated perft()"},
};
/** Returns the modes in the order of `modes`; unknown modes come last. */
export const sortedModes = names => names.toSorted((a, b) => (Object.keys(modes).indexOf(a) + 1 || 99) - (Object.keys(modes).indexOf(b) + 1 || 99));

// Verdicts of modes that find more than the number of paths.
const verdictsOf = {
  stats: {
    match: ["good", "The number of paths agrees with the published one. Captures, checks and other kinds are not compared."],
    mismatch: ["bad", "The number of paths differs from the published one."],
  },
  unique: {
    match: ["good", "The numbers of distinct positions and paths agree with the published ones."],
    mismatch: ["bad", "The numbers of distinct positions or paths differ from the published ones at the plies marked below."],
    unknown: ["plain", "No number of distinct positions is published for this position and depth."],
  },
};
/** Returns class and text of the job's verdict. */
export const verdict = ({mode, verdict: name}) => verdictsOf[mode]?.[name] ?? verdicts[name] ?? ["plain", name];

/** Returns the object of a report that describes the count. For a verify job, this is the first run with a table. */
export const mainRun = report => Array.isArray(report.hashed) ? report.hashed[0] : report;

const leavesRate = run => rate(run.leaves_per_second, run.nodes, run.seconds);
const visitedRate = run => rate(run.visited_per_second, run.visited, run.seconds);

export const facts = report => {
  const run = mainRun(report);
  return figures([
    ["Setting up", run.setup_seconds >= 0.001 ? duration(run.setup_seconds) : null],
    ["Paths/s", leavesRate(run)], ["Visited/s", visitedRate(run)],
    ["Samples", run.samples ? si(run.samples) : null], ["Seed", run.samples ? run.seed : null],
    ["Threads", run.threads], ["Kernel", run.kernel],
    ["Resumed", run.resumed_units ? `${run.resumed_units} of ${run.units} subtrees` : null],
  ]);
};

/** Returns a move in the user's notation and in the other one. */
export const moveText = (move, at) => [written(move, at), beside(move, at)];

/** Shows a move in both notations, side by side. */
export const named = (move, at) => {
  const [text, other] = moveText(move, at);
  return [text, other ? element("span", {className: "beside"}, other) : null];
};

/** Shows a move in both notations. If `choose` is given, makes the move a button that calls `choose`. */
export const moveNames = (move, at, choose) => {
  const [name, other] = named(move, at);
  return [choose ? element("button", {type: "button", className: "move", "data-move": move, onclick: choose}, name)
    : element("span", {className: "move"}, name), other];
};
const moveCell = (move, at, choose) =>
  element("span", {className: "names"}, ...moveNames(move, at, choose ? () => choose(move) : null).filter(part => part));

const methods = {hashed: "Hashed", unhashed: "Unhashed", configurations: "By configurations"};

/** Shows `run` beside the count `other` by `method`. If `other` is absent, shows a button that calls `countOther`. */
export function versus(run, other, method, countOther) {
  const runs = [run, other];
  const row = (label, value) => element("tr", {}, element("th", {scope: "row"}, label),
    ...runs.map(each => element("td", {}, each ? value(each) : "–")));
  const children = [element("table", {},
    element("thead", {}, element("tr", {}, element("td"), ...[run.method, method].map(name =>
      element("th", {scope: "col"}, methods[name] ?? name)))),
    element("tbody", {}, row("Paths", each => count(each.nodes)), row("Counting", each => duration(each.seconds)),
      row("Paths/s", each => leavesRate(each) ?? "–"), row("Visited/s", each => visitedRate(each) ?? "–")))];
  if (other) {
    const same = run.nodes === other.nodes;
    const [fast, slow] = runs.toSorted((a, b) => a.seconds - b.seconds);
    const times = slow.seconds / Math.max(fast.seconds, 1e-6);
    children.push(element("p", {className: same ? "good" : "bad"}, same
      ? `The totals agree; ${(methods[fast.method] ?? fast.method).toLowerCase()} was ${times.toPrecision(3)} times as fast.`
      : "The totals differ, so one of them is wrong: run this position in verify mode."));
  } else {
    children.push(element("button", {type: "button", onclick: countOther},
                          `Count ${method === "hashed" ? "with" : "without"} a table`));
  }
  return children;
}

export function verified(report) {
  const [run] = report.hashed;
  const differing = run.root_moves.map(({move, hashed, unhashed}) => element("tr", {className: "differs"},
    element("td", {}, move), element("td", {}, count(hashed)), element("td", {}, count(unhashed)), element("td")));
  const third = report.configurations;
  return [
    element("table", {}, element("thead", {}, element("tr", {}, element("td"),
      element("th", {scope: "col"}, "Hashed"), element("th", {scope: "col"}, "Unhashed"),
      element("th", {scope: "col"}, "By configurations"))),
      element("tbody", {}, element("tr", {}, element("th", {scope: "row"}, "Paths"), element("td", {}, count(run.nodes)),
        element("td", {}, count(report.unhashed.nodes)), element("td", {}, third ? count(third.nodes) : "–")), ...differing)),
    element("p", {className: report.agrees ? "good" : "bad"},
      `${report.unhashed.subtrees} of ${report.subtrees} subtrees were counted again without a table; ` +
      (report.agrees ? "all agree." : `${run.differing_subtrees} differ. Cause: ${run.cause?.kind.replace("_", " ") ?? "unknown"}.`)),
  ];
}

/** Shows an estimate and its confidence interval. */
export const interval = report => report.exact ? ["This depth is counted completely, so the result is exact."] : [
  element("p", {}, element("strong", {}, "99 %: "), ...[report.low, report.high].flatMap((end, at) =>
    [at ? " to " : "", element("span", {className: "count"}, rounded(end))])),
  element("p", {className: "hint"},
    `That is the estimate ± ${(50 * (report.high - report.low) / report.estimate).toPrecision(3)} %. About 99 of 100 such intervals ` +
    "contain the true count. Four times as many samples halve the width."),
  report.published ? element("p", {}, "Published paths: ", count(report.published)) : null].filter(part => part);

const statistics = [
  ["nodes", "Paths"], ["captures", "Captures"], ["en_passants", "en passant", true], ["castles", "Castles"],
  ["promotions", "Promotions"], ["checks", "Checks, no mate"], ["direct_checks", "direct", true],
  ["discovered_checks", "discovered", true], ["direct_discovered_checks", "both", true],
  ["double_discovered_checks", "double discovered", true], ["mates", "Mates"], ["direct_mates", "direct", true],
  ["discovered_mates", "discovered", true], ["direct_discovered_mates", "both", true],
  ["double_discovered_mates", "double discovered", true]];
const shareOf = (report, name) => Number(report[name]) / Math.max(Number(report.nodes), 1);
/** Draws a share as a bar. */
export function bar(share) {
  const drawn = element("span", {className: "bar"});
  drawn.style.inlineSize = `${100 * share}%`;  // set through the object model, because the content security policy forbids style attributes
  return drawn;
}
/** Shows the kinds of moves of each ply, deepest first. If plies are missing, a button calls `countOthers`. */
export function statisticsByPly(reports, countOthers) {
  const sorted = [...reports].sort((a, b) => b.depth - a.depth);
  const missing = sorted[0].depth > sorted.length;
  return [element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Statistics by ply"},
    element("table", {className: sorted.length > 2 ? "stacked" : ""}, element("thead", {}, element("tr", {}, element("td"),
      ...sorted.map(({depth}) => element("th", {scope: "col"}, `Ply ${depth}`, element("small"))), element("th", {scope: "col"}, `Share of ply ${sorted[0].depth}`))),
      element("tbody", {}, ...statistics.map(([name, label, part]) => element("tr", {},
        element("th", {scope: "row", className: part ? "part" : ""}, label),
        ...sorted.map(report => element("td", {className: report[name] === "0" ? "none" : ""}, count(report[name]),
          element("small", {className: "hint"}, name === "nodes" || report[name] === "0" ? "" : percent(shareOf(report, name))))),
        element("td", {}, name === "nodes" || sorted[0][name] === "0" ? "" : bar(shareOf(sorted[0], name)))))))),
    missing && countOthers ? element("button", {type: "button", id: "all-plies", onclick: countOthers}, "Also count the previous plies") : null,
    element("p", {className: "hint"}, "Shares refer to the paths. A check is direct (given by the piece that moved), discovered (given by another piece), " +
      "both, or double discovered. Checks do not include mates."),
  ].filter(part => part);
}

/** Shows the distinct positions of each ply, deepest first. */
export const distinctByPly = plies => [
  element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Distinct positions by ply"},
    element("table", {},
      element("thead", {}, element("tr", {}, ...["Ply", "Positions", "Paths", "Time"].map(label =>
        element("th", {scope: "col"}, label)))),
      element("tbody", {}, ...plies.toReversed().map(({ply, distinct, paths, known, seconds}) =>
        element("tr", {className: known === "mismatch" ? "differs" : ""},
          element("th", {scope: "row"}, ply), element("td", {}, count(distinct)), element("td", {}, count(paths)),
          element("td", {}, duration(seconds, {short: true}))))))),
  element("p", {className: "hint"}, "Positions are the same if pieces, side to move, castling rights and a possible en passant capture " +
    "are the same. Boards are compared as a whole, so these numbers are exact.")];

export function table(report) {
  const run = mainRun(report);
  if (run.method === "hashed" && run.expected_false_matches == null) {
    return [element("p", {}, "Several workers have counted, each with its own table; their figures are not available.")];
  }
  const words = element("p", {}, run.matrix ? "False matches are impossible, because configurations are compared as a whole, without keys."
    : falseMatches(run.expected_false_matches));
  if (run.probes != null) {  // only in reports of statistics, which use a separate table
    return run.hash_bytes ? [words, element("dl", {className: "figures"}, ...figures([
      ["Memory", bytes(run.hash_bytes)], ["Looked up", si(run.probes)],
      ["Found", percent(run.probes ? run.hits / run.probes : 0)]]))] : [words];
  }
  if (!run.table) return [words];
  const {table: used} = run;
  return [words, element("dl", {className: "figures"}, ...figures([
    ["Memory", bytes(run.hash_bytes)], ["Key bits compared", `${used.deep_key_bits.toFixed(1)} of ${run.key_bits}`],
    ["Shared table full", used.deep_fill != null ? percent(used.deep_fill) : null],
    ["Expected false matches", Number(run.expected_false_matches).toExponential(1)],
    ["Kept from an earlier count", used.reused ? "yes" : "no"]])),
    ...(used.by_depth?.length ? [element("table", {},
      element("thead", {}, element("tr", {}, ...["Depth left", "Looked up", "Found", "Stored"].map(text =>
        element("th", {scope: "col"}, text)))),
      element("tbody", {}, ...used.by_depth.map(at => element("tr", {}, element("td", {}, at.depth),
        element("td", {}, si(at.probes)), element("td", {}, percent(at.hit_rate)), element("td", {}, si(at.stores))))))] : [])];
}

const stateWords = job => ({
  queued: job.waits_for ? `Waiting for job ${job.waits_for}${job.queue_position > 1 ? ` and ${job.queue_position - 1} more` : ""}`
    : job.queue_position > 1 ? `Waiting, ${job.queue_position - 1} ahead` : "Waiting, next in line",
  running: phaseWords(job.progress), done: "Done", failed: "Failed", cancelled: "Cancelled",
})[job.state];
/** Returns the method and time of a finished job, in words. */
const countedBy = ({mode, report}) => {
  const run = mainRun(report), how = {hashed: "with a table", unhashed: "without a table", configurations: "by configurations"}[run.method];
  const seconds = run.seconds ?? report.plies.reduce((all, {seconds}) => all + seconds, 0);
  return `${mode === "estimate" && !report.exact ? "Estimated" : "Counted"}${how ? ` ${how}` : ""} in ${duration(seconds)}`;
};
export const statusWords = job => job.state === "done" && job.report ? countedBy(job)
  : job.state === "failed" ? `Failed: ${job.error?.detail ?? "no reason given"}`
  : job.storage_problem ? `${stateWords(job)}. Storing fails at present: ${job.storage_problem}` : stateWords(job);

/** Returns the title of a job: mode and depth. */
export const titleOf = (mode, depth) => (modes[mode]?.title ?? `Perft(), ${mode},`).replace("()", `(${depth})`);
/** Returns the title of a result: mode, depth and position. */
export const resultTitle = question => [`${titleOf(question.mode, question.depth)} of `,
  element("span", {className: "where"}, describe({...question, moves: question.moves.map((move, ply) =>
    written(move, {start: question.start, moves: question.moves.slice(0, ply)}))}))];

/** Shows the published counts of a position by depth, before anything is counted. */
export const published = (values, chosen) => values.length ? [element("table", {},
  element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "Depth"), element("th", {scope: "col"}, "Paths"))),
  element("tbody", {}, ...values.map(({depth, nodes}) => element("tr", depth === chosen ? {className: "chosen", "aria-current": "true"} : {},
    element("td", {}, depth), element("td", {}, count(nodes))))))]
  : [element("p", {className: "hint"}, "No count of this position is published.")];

/** Returns the result: the number of paths (exact or estimated), or of distinct positions. */
function answer({nodes, estimate, distinct}) {
  if (nodes == null && estimate == null) return null;
  const [number, unit] = distinct != null ? [count(distinct), "distinct positions"]
    : [nodes != null ? count(nodes) : element("span", {className: "count"}, `≈ ${rounded(estimate)}`), "paths"];
  return element("span", {}, number, element("span", {className: "hint unit"}, ` ${number.textContent === "1" ? unit.slice(0, -1) : unit}`));
}

export function jobRow(job, {current, opening, open}) {
  const {progress: now} = job;
  const share = job.state === "running" && now?.share > 0 && isCounting(now) ? ` ${percent(now.share)}` : "";
  return element("button", {type: "button", className: "job", "data-job": job.id, "aria-current": String(current),
                            ...(opening ? {"aria-busy": "true"} : {}), onclick: open},
    element("span", {className: "line"}, element("span", {className: `state ${job.state}`}, stateWords(job) + share),
      element("span", {className: "hint"}, `#${job.id} · ${ago(job.created)}`)),
    element("span", {className: "asked"}, `Depth ${job.depth}, ${job.mode} `, element("span", {className: "where"}, describe(questionOf(job)))),
    answer(job));
}

// ---- Comparison of pasted divides.

const kinds = {
  missing: "your program misses this move",
  lost: "not in the paste",
  extra: "not a legal move here",
  twice: "listed twice",
  wrong: "counts differ",
};
const kind = row => row.theirs == null ? "missing" : row.ours == null ? "extra" : row.ours === row.theirs ? "twice" : "wrong";

const kFolded = 3;  // more equal rows than this are folded

/**
 * Shows one comparison: first the rows that differ, then the equal rows, folded. `into(move)` continues after a move, if
 * plies are left.
 */
export function comparison(answer, at, into) {
  const wrong = answer.rows.filter(row => !row.same);
  const right = answer.rows.filter(row => row.same);
  const line = row => element("tr", {className: row.same ? "" : "differs", "data-move": row.move},
    element("td", {}, moveCell(row.move, at, !row.same && kind(row) === "wrong" && row.ours !== "0" ? into : null)),
    element("td", {}, row.ours == null ? "–" : count(row.ours)),
    element("td", {}, row.theirs == null ? "–" : count(row.theirs)),
    element("td", {}, row.same ? "same" : kinds[answer.incomplete && row.theirs == null ? "lost" : kind(row)]));
  const folds = right.length > kFolded;
  const same = element("tbody", {hidden: folds}, ...right.map(line));
  const fold = element("button", {type: "button", className: "fold", "aria-expanded": "false", onclick: () => {
    same.hidden = !same.hidden;
    fold.setAttribute("aria-expanded", String(!same.hidden));
  }}, wrong.length ? `${right.length} the same` : `all ${right.length} the same`);
  return element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Comparison"},
    element("table", {}, element("thead", {}, element("tr", {},
      ...["Move", "Manyply", "Yours", "Verdict"].map(text => element("th", {scope: "col"}, text)))),
      element("tbody", {}, ...wrong.map(line)),
      folds ? element("tbody", {className: "folds"}, element("tr", {}, element("td", {colSpan: 4}, fold))) : null, same));
}

/** Lists the pasted depths, and whether each of them agrees. */
const depthsOf = ({depths}) => depths ? element("p", {className: "hint"}, "In this paste: ",
  depths.map(({depth, agrees}) => `depth ${depth} ${agrees ? "agrees" : "differs"}`).join(", "), ".") : null;

/** Lists the ways to read the paste (by column, or by its divides of one depth), and the way that is used here. */
const readingsOf = ({readings, reading}) => readings ? element("p", {className: "bad warning readings"}, "The text can be read in several ways: ",
  readings.map(({name, agrees}) => `${name} ${agrees ? "agrees" : "differs"}`).join(", "), `. Compared here: ${reading}.`) : null;

/** Shows a warning if the rows do not add up to the pasted total; then the paste may be incomplete. */
export const cutPaste = ({pasted_total: total, pasted_sum: sum}) => total == null || total === sum ? null
  : element("p", {className: "bad warning"}, "The rows add up to ", count(sum ?? "0"), ", but the pasted total is ", count(total),
            ". If lines were lost while copying, paste again.");

/** Shows a completed step: what differed, and which move was followed. */
export function trailStep({start, moves, depth, answer, into}, number, newest, goInto) {
  const wrong = answer.rows.filter(row => !row.same).length;
  const text = wrong ? `${wrong} of ${answer.rows.length} moves differ${wrong === 1 ? "s" : ""}` : `all ${answer.rows.length} moves agree`;
  return element("li", {"data-depth": depth, value: number},
    element("details", {open: newest}, element("summary", {},
      `Depth ${depth}${moves.length ? `, after ${moves.join(" ")}` : ""}: ${text}`,
      into ? element("span", {className: "into"}, ` → into ${into}`) : null),
      depthsOf(answer), readingsOf(answer), cutPaste(answer), notes(answer), comparison(answer, {start, moves}, depth > 1 ? goInto : null)));
}

const list = (name, rows, at) => rows.length ? element("div", {}, element("dt", {}, name),
  element("dd", {}, ...rows.flatMap((row, i) => [i ? " " : "", ...named(row.move, at)]))) : null;

const causes = answer => element("ul", {className: "causes"}, ...answer.causes.map(cause => element("li", {"data-cause": cause.name},
  element("strong", {}, cause.rule),
  cause.detail ? element("p", {}, cause.moves.length ? `${cause.moves[0]}: ${cause.detail}` : cause.detail) : null,
  cause.moves.length > 1 ? element("p", {className: "hint"}, cause.moves.join(" ")) : null)));

/** Explains the alternatives if a paste can be read in several ways. */
const notes = ({notes: all}) => all?.length ? element("ul", {className: "hint notes"}, ...all.map(note => element("li", {}, note))) : null;

/** Shows the end of the search: what is wrong in this position, and which rule is broken. */
export function finding({start, moves, depth, answer, rightAsFen}, {fen, report, tellAsFen, goInto, copyText}) {
  const at = {start, moves}, asFen = `position fen ${fen}\ngo perft 1`;
  const wrong = answer.rows.filter(row => !row.same);
  const of = which => wrong.filter(row => kind(row) === which);
  // The counts are right for another position or depth, so no move is wrong.
  if (answer.causes.length && !answer.causes[0].moves.length) {
    return element("section", {className: "found other"}, element("h2", {}, "Found: your program counted something else"),
      causes(answer), notes(answer));
  }
  const parts = [element("h2", {}, "Found: the mistake is in the moves of this position"), causes(answer),
    element("dl", {className: "figures wide"}, ...[
      list(answer.incomplete ? "Legal, but not in the paste" : "Legal, but missing in your program", of("missing"), at), list("Illegal, but in your program", of("extra"), at),
      list("Listed twice", of("twice"), at), list(depth === 1 ? "Not counted as 1" : "Counts differ", of("wrong"), at)].filter(part => part))];
  // This button appears where Compare was, so a double press may hit it, too. Copying does no harm then.
  parts.push(element("div", {className: "row"},
    element("button", {type: "button", id: "copy-report", onclick: ({target}) => copyText(report(), target)}, "Copy a bug report")));
  if (moves.length && (of("missing").length || of("extra").length)) {
    if (rightAsFen == null) {
      parts.push(element("p", {}, "Does your program make moves wrongly, or generate them wrongly? Give it this position as a FEN, without moves. Are its moves right then?"),
        element("div", {className: "told"}, element("pre", {}, asFen),
          element("button", {type: "button", className: "quiet", onclick: ({target}) => copyText(asFen, target)}, "Copy")),
        element("div", {className: "row"},
          element("button", {type: "button", id: "wrong-as-fen", onclick: () => tellAsFen(false)}, "Still wrong with the FEN"),
          element("button", {type: "button", id: "right-as-fen", onclick: () => tellAsFen(true)}, "Right with the FEN")));
    } else {
      parts.push(element("p", {id: "as-fen"}, rightAsFen
        ? "Right as a FEN: your program generates moves correctly, but reached a wrong position. Check how it makes the moves above: castling rights, the en passant square, a piece left behind."
        : "Also wrong as a FEN: check how your program generates the moves of this position."));
    }
  }
  if (answer.next) {
    parts.push(element("p", {}, "Counts of other moves differ, too: ",
      element("button", {type: "button", onclick: () => goInto(answer.next.move)}, `continue with ${answer.next.move}`)));
  }
  return element("section", {className: "found"}, ...parts);
}

/** Shown if the paste contradicts itself; the step above shows the contradiction. */
export const undecided = () => element("section", {className: "found other"},
  element("h2", {}, "This paste allows no conclusion"), element("p", {}, "Paste the complete output of your program again."));

/** Shown if the paste is a divide of another depth. */
export function otherDepth({depth, answer}, asked, compareThere) {
  const right = answer.rows.filter(row => row.same).length;
  return element("section", {className: "found other"},
    element("h2", {}, `This looks like depth ${depth}, not ${asked}`),
    element("p", {}, right === answer.rows.length ? `All ${right} counts are right for depth ${depth}.`
      : `${right} of ${answer.rows.length} counts are right for depth ${depth}.`),
    element("button", {type: "button", id: "compare-there", onclick: compareThere}, `Compare at depth ${depth}`));
}

/** Shown if nothing differs: at the start, or after a move whose count differed. */
export function agreement({depth, answer}, above, deeper) {
  if (!above) {
    return element("section", {className: "found right"},
      element("p", {className: "good"}, `All ${answer.rows.length} moves agree at depth ${depth}.`),
      element("button", {type: "button", id: "deeper", onclick: deeper}, `Try depth ${depth + 1}`));
  }
  const row = above.answer.rows.find(({move}) => move === above.into);
  return element("section", {className: "found"},
    element("h2", {}, `Found: your program is right here, but was wrong one move earlier`),
    element("p", {}, `After ${above.into}, your program counted `, count(row.theirs), " paths instead of ", count(row.ours),
      `. If it starts from the position after ${above.into}, its count is right. Possible reasons: this position differs from the one that it ` +
      "sets up (castling rights, en passant square), it does not undo moves completely, it stops at draws, or its table confuses positions."),
    element("p", {className: "hint"}, "If you gave your program the FEN, try again with the moves: a FEN hides errors in making moves."));
}
