// The guided descent to the move that somebody's program gets wrong, paste by paste. What is asked next is always the
// position on the board and the depth beside it; this file remembers the steps that led there.
import * as api from "./api.js";
import {element} from "./format.js";
import * as render from "./render.js";

const $ = id => document.getElementById(id);

export class Hunt {
  /**
   * `goTo(fen, moves, depth)` puts them on the board, and answers whether it could; `settle()` does so with what was
   * typed; `count(request)` shows a job that has to be done first.
   */
  constructor(goTo, settle, count, say) {
    Object.assign(this, {goTo, settle, count, say});
    this.trail = [];  // {fen, moves, depth, pasted, answer, into, rightAsFen}; the last one may go nowhere
    $("diff-form").addEventListener("submit", async event => {
      event.preventDefault();
      if (await this.settle()) await this.compare();
    });
    $("hunt-restart").addEventListener("click", () => this.restart());
    for (const [button, text] of [["copy-commands", () => this.commands()], ["copy-fen", () => this.here.fen]]) {
      $(button).addEventListener("click", async () => {
        if (!await this.settle()) return;
        await navigator.clipboard?.writeText(text());
        this.say("Copied");
      });
    }
  }

  /** What is on the board now; `rootFen` is that of the position before the moves. Steps that do not lead here go. */
  show(fen, moves, depth, here, rootFen) {
    Object.assign(this, {fen, moves, depth, here, rootFen});
    const leadsHere = step => step.fen === fen && step.depth === depth + moves.length - step.moves.length &&
      step.moves.every((move, ply) => move === moves[ply]) &&
      (step.into ? moves[step.moves.length] === step.into : moves.length === step.moves.length);
    this.trail = this.trail.filter(leadsHere);
    this.draw();
  }

  commands() {
    const complete = this.fen.trim().split(/\s+/).length >= 6;  // told as it was given: it may be what is misread
    const root = this.fen === "startpos" ? "startpos" : `fen ${complete ? this.fen.trim() : this.rootFen}`;
    return `${this.here.chess960 ? "setoption name UCI_Chess960 value true\n" : ""}position ${root}` +
      `${this.moves.length ? ` moves ${this.moves.join(" ")}` : ""}\ngo perft ${this.depth}`;
  }

  draw() {
    const last = this.trail.at(-1);
    const ended = last && !last.into;
    const steps = ended ? this.trail.slice(0, -1) : this.trail;
    $("trail").replaceChildren(...this.trail.map((step, i) =>
      render.trailStep(step, i === this.trail.length - 1, move => this.into(step, move))));
    const goInto = move => this.into(last, move);
    $("found").replaceChildren(...(!ended ? [] : [last.answer.agrees
      ? render.agreement(last, steps.at(-1), () => this.goTo(this.fen, this.moves, this.depth + 1))
      : render.finding(last, this.here.fen, right => this.tellAsFen(last, right), goInto)]));
    const askable = this.depth >= 1;
    $("step").textContent = !askable ? "Choose a depth of at least 1"
      : ended ? "Ask again" : `Step ${steps.length + 1}: ask your program`;
    $("commands").textContent = askable ? this.commands() : "";
    $("here-fen").textContent = this.here.fen;
    $("hunt-restart").hidden = !this.trail.length;
  }

  async compare() {
    const {fen, moves, depth} = this;
    const pasted = $("pasted").value;
    $("diff-error").textContent = "";
    try {
      const answer = await this.ask(fen, moves, depth, pasted);
      if (this.fen !== fen || String(this.moves) !== String(moves) || this.depth !== depth) return;  // somebody went on meanwhile
      const step = {fen, moves, depth, pasted, answer, into: null};
      this.trail = this.trail.filter(({into}) => into);
      this.trail.push(step);
      $("pasted").value = "";
      if (!answer.agrees && !answer.causes.length && answer.next) return await this.into(step, answer.next.move);
      this.draw();
      this.say($("found").querySelector("h3, p")?.textContent ?? "");
      $("found").scrollIntoView({block: "nearest"});
    } catch (error) {
      $("diff-error").textContent = error.message;
    }
  }

  /** Deep divides are counted as a job first, which the page shows. */
  async ask(fen, moves, depth, pasted) {
    try {
      return await api.diff(fen, moves, depth, pasted);
    } catch (error) {
      if (error.status !== 409) throw error;
    }
    $("diff-error").replaceChildren(element("span", {className: "hint"}, "Counting this divide first; the comparison follows …"));
    const job = await this.count({fen, moves, depth, mode: "hashed"});
    if (job?.state !== "done") throw new Error("It was not counted, so there is nothing to compare with.");
    $("diff-error").textContent = "";
    return api.diff(fen, moves, depth, pasted);
  }

  /** From `step` down behind `move`. */
  async into(step, move) {
    this.trail.length = this.trail.indexOf(step) + 1;
    step.into = move;
    if (!await this.goTo(step.fen, [...step.moves, move], step.depth - 1)) {
      step.into = null;
      return this.draw();
    }
    this.say(`The difference lies behind ${move}. Now ask for depth ${step.depth - 1}.`);
    $("pasted").focus({preventScroll: true});
    $("step").scrollIntoView({block: "nearest"});
  }

  async tellAsFen(step, right) {
    try {
      step.answer = await api.diff(step.fen, step.moves, step.depth, step.pasted, right);
      step.rightAsFen = right;
      this.draw();
    } catch (error) {
      $("diff-error").textContent = error.message;
    }
  }

  restart() {
    const [first] = this.trail;
    this.trail = [];
    $("pasted").value = "";
    $("diff-error").textContent = "";
    this.goTo(first.fen, first.moves, first.depth);
  }
}
