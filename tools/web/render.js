// From the server's answers to elements. No requests, no state.
import {questionOf} from "./counter.js";
import {ago, bytes, count, duration, element, falseMatches, figures, percent, rounded, si} from "./format.js";
import {beside, written} from "./notation.js";
import {describe} from "./position_text.js";

const verdicts = {
  match: ["good", "Agrees with the published number of paths."],
  mismatch: ["bad", "Differs from the published number of paths."],
  agree: ["good", "Paths counted with and without a table: both agree."],
  differ: ["bad", "Paths counted with and without a table: they differ."],
  inside: ["good", "The published number of paths lies inside the interval."],
  outside: ["bad", "The published number of paths lies outside the interval, as happens in one of a hundred estimates."],
  unknown: ["plain", "No number of paths is published for this position and depth."],
};
/** What each mode does, in a line. */
export const modes = {
  count: "Exact, by the method that is fastest here.",
  hashed: "Exact but for a false match in the table, whose odds are told.",
  unhashed: "Exact, without a table: slow, and nothing can be mistaken for anything else.",
  configurations: "Exact, without keys: both sides' moves are combined.",
  verify: "Counts with a table, then every subtree again without, and explains any difference.",
  stats: "Captures, checks, mates and the like among the moves of the last ply.",
  unique: "Distinct positions of every ply, exactly.",
  estimate: "An estimate from random games, with a 99 % interval: for depths out of reach.",
};

// What else is, or is not, compared.
const verdictsOf = {
  stats: {
    match: ["good", "The paths agree with their published number. Captures, checks and the like are not compared."],
    mismatch: ["bad", "The paths differ from their published number."],
  },
  unique: {
    match: ["good", "Distinct positions and paths agree with their published numbers."],
    mismatch: ["bad", "Distinct positions or paths differ from their published numbers, at the plies marked below."],
    unknown: ["plain", "No number of distinct positions is published for this position and depth."],
  },
};
/** Of what was asked for, and of nothing else. */
export const verdict = ({mode, verdict: name}) => verdictsOf[mode]?.[name] ?? verdicts[name] ?? ["plain", name];

/** The part of a report that counts: a verify job has one for each run. */
export const mainRun = report => Array.isArray(report.hashed) ? report.hashed[0] : report;

/** A rate that means something, or null: the server's, else what was counted in the time it took. */
const rate = (perSecond, counted, seconds) =>
  perSecond >= 0 && Number.isFinite(perSecond) ? si(perSecond)
    : counted != null && seconds >= 0.001 ? si(Number(counted) / seconds) : null;
const leavesRate = run => rate(run.leaves_per_second, run.nodes, run.seconds);
const visitedRate = run => rate(run.visited_per_second, run.visited, run.seconds);

export const facts = report => {
  const run = mainRun(report);
  return figures([
    ["Counting", duration(run.seconds ?? report.plies.reduce((all, {seconds}) => all + seconds, 0))],
    ["Setting up", run.setup_seconds >= 0.001 ? duration(run.setup_seconds) : null],
    ["Leaves/s", leavesRate(run)], ["Visited/s", visitedRate(run)],
    ["Samples", run.samples ? si(run.samples) : null], ["Seed", run.samples ? run.seed : null],
    ["Threads", run.threads], ["Kernel", run.kernel], ["Method", run.method],
    ["Resumed", run.resumed_units ? `${run.resumed_units} of ${run.units} subtrees` : null],
  ]);
};

const phases = {starting: "Starting", splitting: "Splitting the work", "setting up": "Setting up the table",
  "first plies": "Making the first plies", counting: "Counting", finishing: "Adding up"};
/** What a running job does now; of a mode with phases of its own which of them. */
export function phaseWords({phase = "starting"} = {}) {
  const [part, now] = phase.includes(", ") ? phase.split(", ") : phases[phase] ? ["", phase] : [phase, "counting"];
  const words = phases[now] ?? now;
  return part ? `${part[0].toUpperCase()}${part.slice(1)}: ${words[0].toLowerCase()}${words.slice(1)}` : words;
}
/** Whether what is done is counting, and not what comes before. */
const counts = ({phase = "starting"}) => !/(^|, )(starting|splitting|setting up|first plies)$/.test(phase);

/** What a running job has done, and what is known of the rest; its lines are there from the first, so that none moves another. */
export const progress = now => figures([
  [counts(now) ? "Done" : "Done of this step", now.share == null ? "not yet known" : percent(now.share)],
  ["Time left", now.seconds_left >= 0 && now.seconds_left != null ? duration(now.seconds_left) : "not yet known"],
  ["Leaves/s", rate(now.leaves_per_second || null) ?? "–"], ["Visited/s", rate(now.visited_per_second || null) ?? "–"],
  ["Elapsed", now.seconds >= 0 ? duration(now.seconds) : "–"],
  ["Done before a restart", now.resumed > 0 ? percent(now.resumed) : now.resumed_units ? `${now.resumed_units} subtrees` : null]]);

/** A move as it is written, and as others write it. */
export const moveText = (move, at) => [written(move, at), beside(move, at)];

/** The same, one beside the other. */
export const named = (move, at) => {
  const [text, other] = moveText(move, at);
  return [text, other ? element("span", {className: "beside"}, other) : null];
};

/** The same as a button that goes behind the move, where there is anything behind it. */
export const moveNames = (move, at, choose) => {
  const [name, other] = named(move, at);
  return [choose ? element("button", {type: "button", className: "move", "data-move": move, onclick: choose}, name)
    : element("span", {className: "move"}, name), other];
};
const moveCell = (move, at, choose) =>
  element("span", {className: "names"}, ...moveNames(move, at, choose ? () => choose(move) : null).filter(part => part));

const methods = {hashed: "Hashed", unhashed: "Unhashed", configurations: "By configurations"};

/** This count and the same by `method` side by side; that one may not have been counted yet. */
export function versus(run, other, method, countOther) {
  const runs = [run, other];
  const row = (label, value) => element("tr", {}, element("th", {scope: "row"}, label),
    ...runs.map(each => element("td", {}, each ? value(each) : "–")));
  const children = [element("table", {},
    element("thead", {}, element("tr", {}, element("td"), ...[run.method, method].map(name =>
      element("th", {scope: "col"}, methods[name] ?? name)))),
    element("tbody", {}, row("Paths", each => count(each.nodes)), row("Counting", each => duration(each.seconds)),
      row("Leaves/s", each => leavesRate(each) ?? "–"), row("Visited/s", each => visitedRate(each) ?? "–")))];
  if (other) {
    const same = run.nodes === other.nodes;
    const [fast, slow] = runs.toSorted((a, b) => a.seconds - b.seconds);
    const times = slow.seconds / Math.max(fast.seconds, 1e-6);
    children.push(element("p", {className: same ? "good" : "bad"}, same
      ? `Both come to the same total; ${(methods[fast.method] ?? fast.method).toLowerCase()} was ${times.toPrecision(3)} times as fast.`
      : "The totals differ. One of them is wrong: run this position in verify mode."));
  } else {
    children.push(element("button", {type: "button", onclick: countOther},
                          `Count ${method === "hashed" ? "with" : "without"} the table`));
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

/** An estimate, and how sure it is. */
export const interval = report => report.exact ? ["So few plies are counted: this is exact."] : [
  element("p", {}, element("strong", {}, "99 %: "), `${rounded(report.low)} to ${rounded(report.high)}`),
  element("p", {className: "hint"},
    `That is ${(50 * (report.high - report.low) / report.estimate).toPrecision(3)} % to either side. Of a hundred such intervals, ` +
    "about 99 hold the true count. Four times the samples make it half as wide."),
  report.published ? element("p", {}, "Published paths: ", count(report.published)) : null].filter(part => part);

const statistics = [
  ["nodes", "Paths"], ["captures", "Captures"], ["en_passants", "en passant", true], ["castles", "Castles"],
  ["promotions", "Promotions"], ["checks", "Checks, no mate"], ["direct_checks", "direct", true],
  ["discovered_checks", "discovered", true], ["direct_discovered_checks", "both", true],
  ["double_discovered_checks", "double discovered", true], ["mates", "Mates"], ["direct_mates", "direct", true],
  ["discovered_mates", "discovered", true], ["direct_discovered_mates", "both", true],
  ["double_discovered_mates", "double discovered", true]];
/** What the moves of each ply are, the deepest first; `countOthers` is offered for plies that are missing. */
export function statisticsByPly(reports, countOthers) {
  const sorted = [...reports].sort((a, b) => b.depth - a.depth);
  const missing = sorted[0].depth > sorted.length;
  return [element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Statistics by ply"},
    element("table", {}, element("thead", {}, element("tr", {}, element("td"),
      ...sorted.map(({depth}) => element("th", {scope: "col"}, `Ply ${depth}`)))),
      element("tbody", {}, ...statistics.map(([name, label, part]) => element("tr", {},
        element("th", {scope: "row", className: part ? "part" : ""}, label),
        ...sorted.map(report => element("td", {className: report[name] === "0" ? "none" : ""}, count(report[name]),
          name === "nodes" || report[name] === "0" ? null
            : element("small", {className: "hint"}, percent(Number(report[name]) / Number(report.nodes)))))))))),
    missing && countOthers ? element("button", {type: "button", id: "all-plies", onclick: countOthers}, "Count the plies before, too") : null,
    element("p", {className: "hint"}, "Shares are of the paths. A check is direct (the piece that moved gives it), discovered (another one does), " +
      "both, or double discovered. Mates are not counted among the checks."),
  ].filter(part => part);
}

/** The distinct positions of each ply, the deepest first as in the statistics. */
export const distinctByPly = plies => [
  element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Distinct positions by ply"},
    element("table", {},
      element("thead", {}, element("tr", {}, ...["Ply", "Positions", "Paths to them", "Took", "On disk"].map(label =>
        element("th", {scope: "col"}, label)))),
      element("tbody", {}, ...plies.toReversed().map(({ply, distinct, paths, known, seconds, file_bytes}) =>
        element("tr", {className: known === "mismatch" ? "differs" : ""},
          element("th", {scope: "row"}, ply), element("td", {}, count(distinct)), element("td", {}, count(paths)),
          element("td", {}, duration(seconds)), element("td", {}, file_bytes ? bytes(file_bytes) : "–")))))),
  element("p", {className: "hint"}, "Positions are the same if pieces, side to move, castling rights and a possible en passant capture " +
    "are. Whole boards are compared: these numbers are exact.")];

export function table(report) {
  const run = mainRun(report);
  if (run.method === "hashed" && run.expected_false_matches == null) {
    return [element("p", {}, "Several workers have counted, each with a table of its own; what these did is not told.")];
  }
  const words = element("p", {}, run.matrix ? "No false match is possible: both sides' configurations are compared whole, without keys."
    : falseMatches(run.expected_false_matches));
  if (run.probes != null) {  // statistics have a table of their own
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
  queued: job.queue_position > 1 ? `Waiting, ${job.queue_position - 1} ahead` : "Waiting, next in line",
  running: phaseWords(job.progress), done: "Done", failed: "Failed", cancelled: "Cancelled",
})[job.state];
export const statusWords = job => job.state === "failed" ? `Failed: ${job.error?.detail ?? "no reason given"}`
  : job.storage_problem ? `${stateWords(job)}. Nothing can be stored at present: ${job.storage_problem}` : stateWords(job);

/** Which position was counted how deep, and how. */
export const resultTitle = question => [`Depth ${question.depth}, ${question.mode}: `,
  element("span", {className: "where"}, describe({...question, moves: question.moves.map((move, ply) =>
    written(move, {start: question.start, moves: question.moves.slice(0, ply)}))}))];

/** Depth by depth, what is published of a position: what stands there before anything was counted. */
export const published = (values, chosen) => values.length ? [element("table", {},
  element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "Depth"), element("th", {scope: "col"}, "Paths"))),
  element("tbody", {}, ...values.map(({depth, nodes}) => element("tr", depth === chosen ? {className: "chosen", "aria-current": "true"} : {},
    element("td", {}, depth), element("td", {}, count(nodes))))))]
  : [element("p", {className: "hint"}, "No count of this position is published.")];

/** What was asked for: paths, counted or estimated, or distinct positions. */
function answer({nodes, estimate, distinct}) {
  if (nodes == null && estimate == null) return null;
  const [number, unit] = distinct != null ? [count(distinct), "distinct positions"]
    : [nodes != null ? count(nodes) : element("span", {className: "count"}, `≈ ${rounded(estimate)}`), "paths"];
  return element("span", {}, number, element("span", {className: "hint unit"}, ` ${number.textContent === "1" ? unit.slice(0, -1) : unit}`));
}

export function jobRow(job, current, open) {
  const {progress: now} = job;
  const share = job.state === "running" && now?.share > 0 && counts(now) ? ` ${percent(now.share)}` : "";
  return element("button", {type: "button", className: "job", "data-job": job.id, "aria-current": String(current), onclick: open},
    element("span", {className: "line"}, element("span", {className: `state ${job.state}`}, stateWords(job) + share),
      element("span", {className: "hint"}, `#${job.id} · ${ago(job.created)}`)),
    element("span", {}, `Depth ${job.depth}, ${job.mode}`),
    element("span", {className: "where"}, describe(questionOf(job))),
    answer(job));
}

// ---- the descent

const kinds = {
  missing: "your program lacks this move",
  lost: "not in what was pasted",
  extra: "not a legal move here",
  twice: "listed twice",
  wrong: "counts differ",
};
const kind = row => row.theirs == null ? "missing" : row.ours == null ? "extra" : row.ours === row.theirs ? "twice" : "wrong";

const kFolded = 3;  // equal rows are folded if there are more

/** One paste beside our counts: rows that differ first, those that do not folded. `into(move)` goes down there, where there is a down. */
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

/** Which depths were pasted, and which of them are right. */
const depthsOf = ({depths}) => depths ? element("p", {className: "hint"}, "In this paste: ",
  depths.map(({depth, agrees}) => `depth ${depth} ${agrees ? "agrees" : "differs"}`).join(", "), ".") : null;

/** Which columns, or which divides of one depth, were pasted, and which of them this is. */
const readingsOf = ({readings, reading}) => readings ? element("p", {className: "bad warning readings"}, "The text can be read in several ways: ",
  readings.map(({name, agrees}) => `${name} ${agrees ? "agrees" : "differs"}`).join(", "), `. Compared here: ${reading}.`) : null;

/** Where the rows do not make the total: a paste that was cut. */
export const cutPaste = ({pasted_total: total, pasted_sum: sum}) => total == null || total === sum ? null
  : element("p", {className: "bad warning"}, "The rows add up to ", count(sum ?? "0"), ", but the total among them is ", count(total),
            ". If a line was lost on the way, paste again.");

/** One step that lies behind: what differed, and where it went on. */
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

/** What may be meant where a paste can be read in several ways. */
const notes = ({notes: all}) => all?.length ? element("ul", {className: "hint notes"}, ...all.map(note => element("li", {}, note))) : null;

/** The end of the way: what is wrong in this position, and which rule that breaks. */
export function finding({start, moves, depth, answer, rightAsFen}, fen, tellAsFen, goInto, copyReport) {
  const at = {start, moves};
  const wrong = answer.rows.filter(row => !row.same);
  const of = which => wrong.filter(row => kind(row) === which);
  // A cause without moves: right, but an answer to another question.
  if (answer.causes.length && !answer.causes[0].moves.length) {
    return element("section", {className: "found other"}, element("h2", {}, "Found: an answer to another question"),
      causes(answer), notes(answer));
  }
  const parts = [element("h2", {}, "Found: the mistake is in this position's own moves"), causes(answer),
    element("dl", {className: "figures wide"}, ...[
      list(answer.incomplete ? "Legal, and not in what was pasted" : "Legal, and missing in yours", of("missing"), at), list("Yours, and not legal", of("extra"), at),
      list("Listed twice", of("twice"), at), list(depth === 1 ? "Not counted as 1" : "Counts differ", of("wrong"), at)].filter(part => part))];
  // It lies where Compare did: who presses twice has answered nothing.
  parts.push(element("div", {className: "row"},
    element("button", {type: "button", id: "copy-report", onclick: copyReport}, "Copy a bug report")));
  if (moves.length && (of("missing").length || of("extra").length)) {
    if (rightAsFen == null) {
      parts.push(element("p", {}, "One more question tells where to look. Ask your program about the FEN alone, without the moves:"),
        element("pre", {}, `position fen ${fen}\ngo perft 1`),
        element("div", {className: "row"},
          element("button", {type: "button", id: "wrong-as-fen", onclick: () => tellAsFen(false)}, "It is wrong again"),
          element("button", {type: "button", id: "right-as-fen", onclick: () => tellAsFen(true)}, "Now it is right")));
    } else {
      parts.push(element("p", {id: "as-fen"}, rightAsFen
        ? "Right as a FEN: your program lists moves correctly, and its position went wrong on the way. Look at how it makes one of the moves above: castling rights, the en passant square, a piece left behind."
        : "Wrong as a FEN, too: look at how your program lists the moves of this one position."));
    }
  }
  if (answer.next) {
    parts.push(element("p", {}, "Counts behind other moves differ, too: ",
      element("button", {type: "button", onclick: () => goInto(answer.next.move)}, `go into ${answer.next.move}`)));
  }
  return element("section", {className: "found"}, ...parts);
}

/** What was pasted contradicts itself, and the step above says how. */
export const undecided = () => element("section", {className: "found other"},
  element("h2", {}, "Nothing can be told from this"), element("p", {}, "Paste all that your program prints, once more."));

/** The paste is another depth's divide. */
export function otherDepth({depth, answer}, asked, compareThere) {
  const right = answer.rows.filter(row => row.same).length;
  return element("section", {className: "found other"},
    element("h2", {}, `This looks like depth ${depth}, not ${asked}`),
    element("p", {}, right === answer.rows.length ? `All ${right} counts are those of depth ${depth}.`
      : `${right} of ${answer.rows.length} counts are those of depth ${depth}.`),
    element("button", {type: "button", id: "compare-there", onclick: compareThere}, `Compare at depth ${depth}`));
}

/** Nothing differs: at the start, or below a move behind which something did. */
export function agreement({depth, answer}, above, deeper) {
  if (!above) {
    return element("section", {className: "found right"},
      element("p", {className: "good"}, `All ${answer.rows.length} moves agree at depth ${depth}.`),
      element("button", {type: "button", id: "deeper", onclick: deeper}, `Try depth ${depth + 1}`));
  }
  const row = above.answer.rows.find(({move}) => move === above.into);
  return element("section", {className: "found"},
    element("h2", {}, `Found: your program is right here, but not one move earlier`),
    element("p", {}, `Behind ${above.into} it counted `, count(row.theirs), " paths instead of ", count(row.ours),
      `; asked for the position itself, it counts rightly. So it does not play ${above.into} as it sets up a position ` +
      "(castling rights, the en passant square), does not take moves back cleanly, stops where it sees a draw, or its table takes positions for each other."),
    element("p", {className: "hint"}, "If you told it the FEN, try again with the moves: a FEN hides what a program forgets on the way."));
}
