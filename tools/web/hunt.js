// The guided search for the move that the user's program gets wrong, one pasted divide per step. The next position to
// compare is always the one on the board, at the depth beside the board. This file keeps the steps that led to that
// position.
import {bugReport} from "./bug_report.js";
import {copy} from "./clipboard.js";
import {samePosition} from "./counter.js";
import {Drafts, Field, focusFrom} from "./fields.js";
import {keepingFocus, percent} from "./format.js";
import {during} from "./pressed_controls.js";
import * as render from "./render.js";

const $ = id => document.getElementById(id);
const kStored = "trail";  // key in the session storage, so that a reload continues

export class Hunt {
  #busy = null;  // AbortController of the running comparison
  #told = 0;  // number of times that the user said whether the program counts correctly from the FEN alone
  #steps = [];  // all comparisons along the last path; the trail has those that lead to the position on the board

  /**
   * `go(change)` shows another position and depth, and resolves to whether that succeeded. `settle()` does the same with the
   * typed text. `point(moves)` draws moves on the board: [{move, legal}].
   */
  constructor(counter, {go, settle, say, point}) {
    Object.assign(this, {counter, go, settle, say, point});
    this.trail = [];  // {start, moves, depth, pasted, answer, into, rightAsFen}; `into`: the move that was followed, if any
    try {
      this.#steps = JSON.parse(sessionStorage.getItem(kStored)) ?? [];
    } catch {
      // Invalid contents: start without a trail.
    }
    // The pasted text belongs to the tab, not to a step of the history.
    const drafts = new Drafts("pasted");
    drafts.arrive("here");
    this.paste = new Field($("pasted"), drafts);
    this.paste.restore();
    const compare = () => during($("diff-form").querySelector(".primary"), (async () => {
      const pasted = this.paste.text, {edits} = this.paste;
      if (await this.settle()) await this.compare(pasted, edits);
    })());
    $("diff-form").addEventListener("submit", event => {
      event.preventDefault();
      compare();
    });
    // Text that is pasted into the empty box is compared at once.
    $("pasted").addEventListener("paste", () => {
      if (!this.paste.text) setTimeout(() => this.paste.text && compare());
    });
    $("hunt-restart").addEventListener("click", () => this.restart());
    for (const [button, text] of [["copy-commands", () => this.commands()], ["copy-fen", () => this.here.fen]]) {
      $(button).addEventListener("click", async ({target}) => await this.settle() && copy(text(), target, this.say));
    }
  }

  /**
   * Shows the steps that lead to `{start, moves, depth}`, the position on the board. `here` has the counter's facts about
   * that position, `root` those about its start.
   */
  show({start, moves, depth}, here, root) {
    const before = this.question;
    Object.assign(this, {question: {start, moves, depth}, here, root});
    if (before && samePosition(before, this.question) && before.depth === depth) return;
    this.#stop();
    const leadsHere = step => step.start === start && step.depth === depth + moves.length - step.moves.length &&
      step.moves.every((move, ply) => move === moves[ply]) &&
      (step.into ? moves[step.moves.length] === step.into : moves.length === step.moves.length);
    this.trail = this.#steps.filter(leadsHere);
    this.complain("");
    this.draw();
  }
  /** Returns whether there is a trail. If there is one, going back follows the trail. */
  get under() {
    return this.trail.length > 0;
  }

  commands() {
    const {start, moves, depth} = this.question;
    // The FEN is sent as given, because the program may misread exactly this text.
    const complete = start.trim().split(/\s+/).length >= 6;
    const root = start === "startpos" ? "startpos" : `fen ${complete ? start.trim() : this.root.fen}`;
    return `${this.here.chess960 ? "setoption name UCI_Chess960 value true\n" : ""}position ${root}` +
      `${moves.length ? ` moves ${moves.join(" ")}` : ""}\ngo perft ${depth}`;
  }

  draw(more = []) {
    const last = this.trail.at(-1);
    const ended = last && !last.into;
    const steps = ended ? this.trail.slice(0, -1) : this.trail;
    const {moves, depth} = this.question;
    keepingFocus(() => {
      $("trail").replaceChildren(...this.trail.map((step, i) =>
        render.trailStep(step, i + 1, i === this.trail.length - 1, move => this.into(step, move))).reverse());
      $("found").replaceChildren(...(!ended ? more : [last.answer.agrees
        ? render.agreement(last, steps.at(-1), () => this.go({depth: depth + 1}))
        : !last.answer.causes.length && !last.answer.next ? render.undecided()
        : render.finding(last, {fen: this.here.fen, report: () => bugReport(last, this.here.fen, this.root.fen), copyText: (text, button) => copy(text, button, this.say),
          tellAsFen: right => this.tellAsFen(last, right), goInto: move => this.into(last, move)})]));
    }, () => $("pasted"));
    const wrong = ended ? last.answer.rows.filter(row =>  // a row that is missing because the paste is incomplete is not an error
      !row.same && (row.ours == null || row.theirs == null && !last.answer.incomplete)) : [];
    this.point(wrong.map(({move, ours}) => ({move, legal: ours != null})));
    $("hunt-why").hidden = this.trail.length > 0;
    $("hunt").classList.toggle("ended", Boolean(ended));
    const askable = depth >= 1;
    $("step").textContent = !askable ? "Choose a depth of at least 1"
      : ended ? "Fixed? Paste the new output" : `Step ${steps.length + 1}: ask your program`;
    $("commands").textContent = askable ? this.commands() : "";
    $("here-fen").textContent = this.here.fen;
    $("told-fen").hidden = !moves.length || ended;
    $("told").hidden = ended;
    document.querySelector("main").classList.toggle("hunting", this.trail.length > 0);
    $("hunt-restart").hidden = !this.trail.length;
    try {
      sessionStorage.setItem(kStored, JSON.stringify(this.#steps));
    } catch {
      sessionStorage.removeItem(kStored);  // the trail is too long to be stored
    }
  }

  /** Scrolls the answer into the window. If the board stays at the top, as on a phone, the answer appears below the board. */
  #reveal() {
    const board = $("question").getBoundingClientRect(), found = $("found"), answer = found.getBoundingClientRect();
    const isAbove = board.left < answer.right && board.right > answer.left;
    const top = isAbove && getComputedStyle($("question")).position === "sticky" ? board.height : 0;
    if (answer.top >= top && answer.bottom <= innerHeight) return;
    found.style.scrollMarginTop = `${top + 8}px`;
    found.scrollIntoView({block: "start"});
  }

  complain(words) {
    this.paste.complain(words);
  }
  #stop() {
    this.#busy?.abort();
    this.#busy = null;
    $("diff-wait").textContent = "";
  }

  /** Compares `pasted`, the contents of the box after `edits` edits. */
  async compare(pasted, edits) {
    this.#stop();
    const {question} = this;
    const take = focusFrom();
    this.complain("");
    const {signal} = this.#busy = new AbortController();
    try {
      if (question.depth < 1) throw new Error("Choose a depth of at least 1; a divide needs one ply.");
      const answer = await this.#ask(question, pasted, signal);
      const other = await this.#otherDepth(question, pasted, answer, signal);
      if (signal.aborted) return;  // the user has moved on
      this.trail = this.trail.filter(({into}) => into);
      if (other) {
        this.draw([render.otherDepth(other, question.depth, () => this.#compareAt(other.depth, pasted, edits))]);
        return this.#reveal();
      }
      const compared = {...question, depth: answer.depth ?? question.depth};  // if several depths were pasted, the smallest one that differs
      this.question = compared;
      if (compared.depth !== question.depth) await this.go({depth: compared.depth});
      const step = {...compared, pasted, answer, into: null};
      this.#steps = this.trail = [...this.trail, step];
      this.paste.show("", edits);  // the step shows the text now
      if (!answer.agrees && !answer.causes.length && answer.next) return await this.into(step, answer.next.move, take);
      this.draw();
      this.say($("found").querySelector("h2, p")?.textContent ?? "");
      this.#reveal();
    } catch (error) {
      if (signal.aborted) return;
      if (this.paste.edits === edits) {
        // Leave out the name of the field, because the message is shown at the box.
        this.complain(error.status ? error.message.replace(/^divide: /, "The text ")
          : "Not compared, because the server does not answer. Press Compare again later.");
        take($("pasted"));
      }
    } finally {
      if (this.#busy?.signal === signal) this.#stop();
    }
  }

  /** Requests the comparison. If the counter cannot count the divide at once, first counts it as a job. */
  async #ask(question, pasted, signal) {
    try {
      return await this.counter.diff(question, pasted, {signal});
    } catch (error) {
      if (error.status !== 409) throw error;
    }
    const wait = share => { $("diff-wait").textContent = `Counting this divide first${share ?? ""}; the comparison follows …`; };
    wait();
    await this.counter.divide(question, {signal, onJob: ({progress, queue_position: ahead}) =>
      wait(ahead ? `, ${ahead} in the queue` : progress?.units_total ? `, ${percent(progress.share)}` : "")});
    return this.counter.diff(question, pasted, {signal});
  }

  /**
   * If most counts of `pasted` are wrong at this depth, looks for a depth at which at least half of them are right. Tries two
   * depths, deeper or shallower as the sums of the counts suggest. Resolves to {depth, answer}, or to null.
   */
  async #otherDepth(question, pasted, answer, signal) {
    const share = ({rows}) => {
      const told = rows.filter(row => row.theirs != null);
      return told.filter(row => row.same).length / Math.max(told.length, 1);
    };
    const both = answer.rows.filter(({ours, theirs}) => ours != null && theirs != null);
    const sum = side => both.reduce((all, row) => all + BigInt(row[side]), 0n);
    if (answer.agrees || answer.depths || answer.readings || share(answer) >= 0.5) return null;
    const [ours, theirs] = [sum("ours"), sum("theirs")];
    const way = theirs >= 2n * ours ? 1 : 2n * theirs <= ours ? -1 : 0;
    for (const depth of [question.depth + way, question.depth + 2 * way]) {
      if (!way || depth < 1 || signal.aborted) return null;
      // The request fails if the divide is too deep for an immediate answer.
      const there = await this.counter.diff({...question, depth}, pasted, {signal}).catch(() => null);
      if (there && (there.agrees || share(there) >= 0.5)) return {depth, answer: there};
    }
    return null;
  }
  async #compareAt(depth, pasted, edits) {
    if (await this.go({depth})) await this.compare(pasted, edits);
  }

  /** Continues from `step` to the position after `move`. */
  async into(step, move, take = focusFrom()) {
    this.#steps = this.trail = this.trail.slice(0, this.trail.indexOf(step) + 1);
    step.into = move;
    if (!await this.go({start: step.start, moves: [...step.moves, move], depth: step.depth - 1})) {
      step.into = null;
      return this.draw();
    }
    this.say(`The difference is in the positions after ${move}. Now ask for depth ${step.depth - 1}.`);
    take($("pasted"), {preventScroll: true});
    $("step").scrollIntoView({block: "nearest"});
  }

  async tellAsFen(step, right) {
    const mine = ++this.#told;
    try {
      const answer = await this.counter.diff(step, step.pasted, {asFen: right});
      if (mine !== this.#told) return;
      Object.assign(step, {answer, rightAsFen: right});
      this.draw();
      this.say($("found").querySelector("#as-fen")?.textContent ?? "");
    } catch (error) {
      if (mine === this.#told) this.complain(error.message);
    }
  }

  async restart() {
    const [{start, moves, depth}] = this.trail;
    const take = focusFrom();
    this.#steps = this.trail = [];
    this.complain("");
    if (await this.go({start, moves, depth})) this.draw();
    take($("pasted"));
  }
}
