// Shows a divide. The user can open a row to show the replies to its move, which are counted then. The style sheet lays
// out each row as a separate grid, so that the browser can skip rows that are out of view. In a real table, the browser
// would lay out all rows at each press. The elements need ARIA roles, because the browser does not recognise them as a
// table.
import {compareCounts, count, element, grouped, keepingFocus, percent} from "./format.js";
import {learn} from "./notation.js";
import {during, painted} from "./pressed_controls.js";
import * as render from "./render.js";

const kinds = [["captures", "captures"], ["en_passants", "en passant"], ["castles", "castlings"], ["promotions", "promotions"],
  ["checks", "checks"], ["mates", "mates"]];

export class DivideTree {
  #order = {by: "move", down: false};
  #root = null;  // {rows, total} of the question
  #open = new Map();  // open rows, by the moves that lead there: {rows, total, kinds}, or {error}, or {} while counting
  #signal = null;
  // The rows that exist, with their contents. The keys are the moves that lead to each row. Rows are reused, because
  // redrawing all of them takes too long on slow processors.
  #made = new Map();
  #body = element("tbody", {role: "rowgroup"});
  #table = null;

  /** `descend(path)` plays the moves `path` and counts the position after them. */
  constructor(host, counter, {descend, say}) {
    Object.assign(this, {host, counter, descend, say});
  }

  /** Shows the rows of `question`; `signal` is aborted when they are no longer shown. */
  show(question, rows, total, signal) {
    if (this.#signal !== signal) {
      this.#open.clear();
      this.#made.clear();
    }
    Object.assign(this, {question});
    this.#signal = signal;
    this.#root = {rows, total};
    this.#table = null;
    this.draw();
  }
  draw() {
    if (!this.#root) return;
    keepingFocus(() => this.#place(), () => this.host.querySelector("button"));
  }

  async #sort(by) {
    this.#order = {by, down: this.#order.by === by ? !this.#order.down : by === "nodes"};
    this.#nameOrder();
    await painted();
    this.draw();
  }
  #nameOrder() {
    const {by, down} = this.#order;
    for (const head of this.#table.querySelectorAll("th[data-by]")) {
      head.setAttribute("aria-sort", by !== head.dataset.by ? "none" : down ? "descending" : "ascending");
    }
  }
  /** Moves only rows that must move, because laying out all rows is too slow on slow processors. */
  #place() {
    const {rows, total} = this.#root;
    if (!this.#table) this.host.replaceChildren(this.#table = this.#makeTable());
    this.#nameOrder();
    const wanted = this.#rows([], rows, total), kept = new Set(wanted);
    for (const row of [...this.#body.children]) if (!kept.has(row)) row.remove();
    let next = this.#body.firstElementChild;
    for (const row of wanted) {
      if (row === next) next = next.nextElementSibling;
      else this.#body.insertBefore(row, next);
    }
    const longest = Math.max(...[...this.#table.querySelectorAll(".count")].map(({dataset}) => dataset.digits.length));
    this.#table.style.setProperty("--digits", longest + (longest - 1) / 6);  // a gap between groups is half a digit wide
    this.#table.style.setProperty("--deepest", Math.max(1, ...[...this.#open.keys()].map(path => path.split(" ").length)));
  }
  #makeTable() {
    const {rows} = this.#root;
    const head = (name, label) => element("th", {scope: "col", role: "columnheader", "data-by": name},
      element("button", {type: "button", onclick: () => this.#sort(name)}, label));
    const sum = rows.reduce((all, {nodes}) => all + BigInt(nodes), 0n);
    return element("table", {role: "table"},
      element("thead", {role: "rowgroup"}, element("tr", {role: "row"}, head("move", "Move"), head("nodes", "Paths"),
        element("th", {scope: "col", role: "columnheader"}, "Share of all"))),
      this.#body,
      element("tfoot", {role: "rowgroup"}, element("tr", {role: "row"},
        element("th", {scope: "row", role: "rowheader"}, rows.length === 1 ? "1 move" : `${rows.length} moves`),
        element("td", {role: "cell"}, count(String(sum))), element("td", {role: "cell"}))));
  }
  /** Returns the rows below `path`, each followed by the open rows below it. Shares refer to `total`. */
  #rows(path, rows, total) {
    const sign = this.#order.down ? -1 : 1;
    const sorted = [...rows].sort((a, b) => sign *
      (this.#order.by === "nodes" && a.nodes ? compareCounts(a.nodes, b.nodes) : a.move < b.move ? -1 : 1));
    const share = nodes => total === "0" ? 0 : Number(nodes) / Number(total);
    const largest = Math.max(...rows.map(({nodes}) => share(nodes))) || 1;
    const at = {start: this.question.start, moves: [...this.question.moves, ...path]};
    return sorted.flatMap(({move, nodes}) => {
      const below = [...path, move], open = this.#open.get(below.join(" "));
      return [this.#row(move, nodes, {below, at, open, share: nodes ? share(nodes) : 0, largest}), ...(open ? this.#opened(below, open) : [])];
    });
  }
  #row(move, nodes, {below, at, open, share, largest}) {
    const key = below.join(" "), says = JSON.stringify([nodes, share, largest, render.moveText(move, at)]);
    const before = this.#made.get(key);
    if (before?.says === says) {
      this.#turn(before.row, Boolean(open));
      return before.row;
    }
    const made = this.#makeRow(move, nodes, {below, at, open, share, largest});
    this.#made.set(key, {says, row: made});
    return made;
  }
  #makeRow(move, nodes, {below, at, open, share, largest}) {
    const deeper = this.question.depth - below.length > 0;
    const row = element("tr", {role: "row", className: below.length > 1 ? "below" : "", "data-path": below.join(" ")},
      element("td", {role: "cell", className: "names"},
        deeper && nodes && nodes !== "0" ? element("button", {type: "button", className: "opener", "data-open": below.join(" "), "aria-expanded": String(Boolean(open)),
          "aria-label": `Replies to ${below.join(" ")}`, onclick: () => this.#toggle(below)}) : element("span", {className: "opener"}),
        ...render.moveNames(move, at, deeper ? ({currentTarget}) => during(currentTarget, this.descend(below)) : null).filter(part => part)),
      element("td", {role: "cell"}, nodes ? count(nodes) : "…"),
      element("td", {role: "cell", className: "share"}, render.bar(share / largest), nodes ? percent(share) : ""));
    row.firstElementChild.style.setProperty("--level", below.length - 1);
    return row;
  }
  #opened(path, {rows, total, kinds: shares, error}) {
    const line = (words, className) => {
      const row = element("tr", {role: "row", className: `below line-of-words ${className}`},
        element("td", {role: "cell", "aria-colspan": "3"}, words));
      row.firstElementChild.style.setProperty("--level", path.length);
      return row;
    };
    if (error) return [line(error, "bad")];
    if (!rows) return [line("Counting …", "hint")];
    const of = rows.length && rows[0].nodes == null ? "Counting …"
      : `Shares below refer to these ${grouped(total)} paths. ${shares ? `Of these paths: ${shares}` : ""}`;
    return [line(of, "hint"), ...this.#rows(path, rows, total)];
  }

  #turn(row, open) {
    row.querySelector("button.opener")?.setAttribute("aria-expanded", String(open));
  }
  async #toggle(path) {
    const {question} = this, signal = this.#signal;
    const key = path.join(" "), opens = !this.#open.delete(key);
    if (opens) this.#open.set(key, {});
    this.#turn(this.#made.get(key).row, opens);
    await painted();
    if (signal.aborted) return;
    this.#redraw();
    if (!opens || !this.#open.has(key)) return;
    const there = {...question, moves: [...question.moves, ...path], depth: question.depth - path.length};
    try {
      const [report] = await Promise.all([
        question.mode === "stats" ? this.counter.stats(there, {signal})
          : this.counter.divide(there, {signal}).then(rows => ({divide: rows})),
        this.counter.position(there).then(position => {
          learn(there, position);
          if (signal.aborted || !this.#open.has(key)) return;
          // The counts follow later.
          this.#open.set(key, {rows: position.legal_moves.map(move => ({move, nodes: null})), total: "0"});
          this.#redraw();
        })]);
      const total = String(report.divide.reduce((all, {nodes}) => all + BigInt(nodes), 0n));
      const shares = kinds.filter(([name]) => report[name] && report[name] !== "0")
        .map(([name, words]) => `${words} ${percent(Number(report[name]) / Number(total))}`);
      if (this.#open.has(key)) this.#open.set(key, {rows: report.divide, total, kinds: shares.join(", ")});
      this.say(`${report.divide.length} moves after ${key}`);
    } catch (error) {
      if (signal.aborted) return;
      this.#open.set(key, {error: `The moves after ${key} were not counted. ${error.message}`});
    }
    if (!signal.aborted) this.#redraw();
  }
  #redraw() {
    const held = document.activeElement?.dataset.open;
    this.draw();
    if (held && document.activeElement?.dataset.open !== held) this.host.querySelector(`[data-open="${held}"]`)?.focus({preventScroll: true});
  }
}
