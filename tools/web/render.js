// From the server's answers to elements. No requests, no state.
import {bytes, compareCounts, count, duration, element, falseMatches, figures, grouped, percent, si} from "./format.js";

const verdicts = {
  match: ["good", "Agrees with the published value."],
  mismatch: ["bad", "Differs from the published value."],
  agree: ["good", "Counted with and without a table: both agree."],
  differ: ["bad", "Counted with and without a table: they differ."],
  unknown: ["plain", "No published value is known for this position and depth."],
};
export const verdict = name => verdicts[name] ?? ["plain", name];

/** The part of a report that counts: a verify job has one for each run. */
export const mainRun = report => Array.isArray(report.hashed) ? report.hashed[0] : report;

export const facts = report => {
  const run = mainRun(report);
  return figures([
    ["Counting", duration(run.seconds)],
    ["Setting up", run.setup_seconds >= 0.001 ? duration(run.setup_seconds) : null],
    ["Leaves/s", run.leaves_per_second != null ? si(run.leaves_per_second) : null],
    ["Visited/s", run.visited_per_second != null ? si(run.visited_per_second) : null],
    ["Threads", run.threads], ["Kernel", run.kernel],
    ["Resumed", run.resumed_units ? `${run.resumed_units} of ${run.units} subtrees` : null],
  ]);
};

/** A table whose heads sort; `choose(move)` opens a move. */
export function divide(rows, order, sort, choose) {
  const sorted = [...rows].sort((a, b) => (order.down ? -1 : 1) *
    (order.by === "nodes" ? compareCounts(a.nodes, b.nodes) : a.move < b.move ? -1 : 1));
  const head = (by, label) => element("th", {
    scope: "col", "aria-sort": order.by !== by ? "none" : order.down ? "descending" : "ascending"},
    element("button", {type: "button", onclick: () => sort(by)}, label));
  return element("table", {},
    element("thead", {}, element("tr", {}, head("move", "Move"), head("nodes", "Paths"))),
    element("tbody", {}, ...sorted.map(({move, nodes}) => element("tr", {},
      element("td", {}, element("button", {type: "button", className: "move", "data-move": move,
                                           disabled: !choose, onclick: () => choose(move)}, move)),
      element("td", {}, count(nodes))))));
}

/** Both ways side by side; one of them may not have been counted yet. */
export function versus(hashed, unhashed, countOther) {
  const cell = (run, value) => element("td", {}, run ? value(run) : "–");
  const row = (label, value) => element("tr", {}, element("th", {scope: "row"}, label),
    cell(hashed, value), cell(unhashed, value));
  const children = [element("table", {},
    element("thead", {}, element("tr", {}, element("td"), element("th", {scope: "col"}, "Hashed"),
                                 element("th", {scope: "col"}, "Unhashed"))),
    element("tbody", {}, row("Paths", run => count(run.nodes)), row("Counting", run => duration(run.seconds)),
      row("Leaves/s", run => si(run.leaves_per_second)), row("Visited/s", run => si(run.visited_per_second))))];
  if (hashed && unhashed) {
    const same = hashed.nodes === unhashed.nodes;
    const faster = unhashed.seconds / Math.max(hashed.seconds, 1e-6);
    children.push(element("p", {className: same ? "good" : "bad"}, same
      ? `Both come to the same total; ${faster >= 1 ? `the table made it ${faster.toPrecision(3)} times as fast.`
                                                    : `the table did not pay at this depth.`}`
      : "The totals differ. One of them is wrong: run this position in verify mode."));
  } else {
    children.push(element("button", {type: "button", onclick: countOther},
                          `Count ${hashed ? "without" : "with"} the table`));
  }
  return children;
}

export function verified(report) {
  const [run] = report.hashed;
  const differing = run.root_moves.map(({move, hashed, unhashed}) => element("tr", {className: "differs"},
    element("td", {}, move), element("td", {}, count(hashed)), element("td", {}, count(unhashed))));
  return [
    element("table", {}, element("thead", {}, element("tr", {}, element("td"),
      element("th", {scope: "col"}, "Hashed"), element("th", {scope: "col"}, "Unhashed"))),
      element("tbody", {}, element("tr", {}, element("th", {scope: "row"}, "Paths"), element("td", {}, count(run.nodes)),
        element("td", {}, count(report.unhashed.nodes))), ...differing)),
    element("p", {className: report.agrees ? "good" : "bad"},
      `${report.unhashed.subtrees} of ${report.subtrees} subtrees were counted again without a table; ` +
      (report.agrees ? "all agree." : `${run.differing_subtrees} differ. Cause: ${run.cause?.kind.replace("_", " ") ?? "unknown"}.`)),
  ];
}

export function table(report) {
  const run = mainRun(report);
  const words = element("p", {}, falseMatches(run.expected_false_matches));
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

const kinds = {
  missing: "the other program lacks this move",
  extra: "not a legal move here",
  wrong: "counts differ",
};
/** Rows that differ first; `descend(move)` goes to where the difference comes from. */
export function difference(answer, depth, descend) {
  const kind = row => row.theirs == null ? "missing" : row.ours == null ? "extra" : "wrong";
  const wrong = answer.rows.filter(row => !row.same);
  const right = answer.rows.filter(row => row.same);
  const line = row => element("tr", {className: row.same ? "" : "differs", "data-move": row.move},
    element("td", {}, row.move), element("td", {}, row.ours == null ? "–" : count(row.ours)),
    element("td", {}, row.theirs == null ? "–" : count(row.theirs)),
    element("td", {}, row.same ? "same" : kinds[kind(row)]));
  const parts = [element("p", {className: wrong.length ? "bad" : "good"},
    wrong.length ? `${wrong.length} of ${answer.rows.length} moves differ.` : `All ${answer.rows.length} moves agree.`)];
  const step = wrong.find(row => kind(row) !== "wrong") ?? [...wrong].sort((a, b) => compareCounts(a.ours, b.ours))[0];
  if (step && kind(step) !== "wrong") {
    parts.push(element("p", {className: "found"}, "Found: in this very position, ", element("strong", {}, step.move),
      kind(step) === "missing" ? " is a legal move that the other program does not make."
                               : " is a move that the other program makes and that is not legal."));
  } else if (step && depth > 1) {
    parts.push(element("p", {}, "The smallest wrong move is ", element("strong", {}, step.move), ": go there, then paste " +
      "the other program's divide of that position."),
      element("button", {type: "button", className: "primary", id: "descend", onclick: () => descend(step.move)},
              `Descend into ${step.move}`));
  } else if (step) {
    parts.push(element("p", {className: "found"}, "At depth 1 every move counts 1: the other program's output is not a divide of depth 1."));
  }
  parts.push(element("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Comparison"},
    element("table", {}, element("thead", {}, element("tr", {},
      ...["Move", "Manyply", "Other", ""].map(text => element("th", {scope: "col"}, text)))),
      element("tbody", {}, ...[...wrong, ...right].map(line)))));
  return parts;
}

export const stateWords = job => ({
  queued: job.queue_position > 1 ? `Waiting, ${job.queue_position - 1} ahead` : "Waiting, next in line",
  running: "Counting", done: "Done", failed: "Failed", cancelled: "Cancelled",
})[job.state];

export function jobRow(job, current, open) {
  const where = job.fen === "startpos" ? "Start position" : job.fen;
  return element("li", {}, element("button", {type: "button", className: "job", "data-job": job.id,
    "aria-current": String(job.id) === String(current) ? "true" : "false", onclick: () => open(job)},
    element("span", {className: `state ${job.state}`}, stateWords(job)),
    element("span", {}, `Depth ${job.depth}, ${job.mode}`),
    element("span", {className: "where"}, job.moves ? `${where} · ${job.moves}` : where),
    job.nodes ? element("span", {className: "count"}, grouped(job.nodes)) : null));
}
