// Where a position is put: board, box, moves played, legal moves, and positions that everybody counts.
import {Board} from "./board.js";
import {Field} from "./fields.js";
import {element} from "./format.js";
import {presets, randomStart} from "./position_text.js";

const $ = id => document.getElementById(id);

export class PositionPanel {
  moves = [];

  /**
   * `go(change)` puts another position on the board, and answers whether it could; `settle()` does so with what is in
   * the box, `climb(ply)` goes back up to a move, without one to the last but one of those on the way. `drafts` keeps
   * what is in the box and not on the board.
   */
  constructor({go, settle, climb, say, drafts}) {
    Object.assign(this, {go, settle, climb, say});
    this.box = new Field($("fen"), drafts);
    this.board = new Board($("board"), (move, of) => this.play(move, of), choosePromotion);
    $("fen-form").addEventListener("submit", event => {
      event.preventDefault();
      settle();
    });
    $("fen").addEventListener("change", () => settle({focus: false}));
    $("fen").addEventListener("paste", ({clipboardData}) => setTimeout(() => {
      const text = clipboardData.getData("text");
      if (text.trim() && $("fen").value.trim() === text.trim().replaceAll(/\s*\n\s*/g, " ")) settle({focus: false});
    }));
    $("flip").addEventListener("click", () => this.board.flip());
    $("back").addEventListener("click", () => climb());
    $("presets").append(...presets.map(({name, start}) => element("option", {value: start}, name)),
                        element("option", {value: "random"}, "Random Chess960 start"));
    $("presets").addEventListener("change", ({target}) => {
      const start = target.value === "random" ? randomStart() : target.value;
      target.value = "";
      if (start) go({start, moves: []});
    });
    $("moves").addEventListener("keydown", event => this.#walk(event));
    $("legal").open = matchMedia("(min-width: 52rem)").matches;
  }

  /** `{start, moves}`, and what whoever counts says about it; the box has it unless somebody edited what stood there at `edits`. */
  show({moves}, here, note = "", edits = this.box.edits) {
    this.moves = moves;
    this.box.complain("");
    $("fen-note").textContent = this.box.show(here.fen, edits) ? note : "";
    this.board.show(here.fen, here.legal_moves, moves);
    const held = $("moves").contains(document.activeElement), climbed = $("crumbs").contains(document.activeElement);
    $("legal-count").textContent = here.legal_moves.length === 1 ? "1 legal move" : `${here.legal_moves.length} legal moves`;
    $("moves").replaceChildren(...here.legal_moves.map((move, at) =>
      element("button", {type: "button", tabIndex: at ? -1 : 0, onclick: () => this.play(move, moves)}, move)));
    $("crumbs").replaceChildren(...["Root", ...moves].map((name, ply) => ply === moves.length
      ? element("span", {"aria-current": "step", tabIndex: -1}, name)
      : element("button", {type: "button", onclick: () => this.climb(ply)}, name)));
    $("crumbs").hidden = !moves.length;
    const back = document.activeElement === $("back");
    $("back").disabled = !moves.length;
    if (held) ($("moves").firstElementChild ?? $("legal").firstElementChild).focus();
    if (climbed) (moves.length ? $("crumbs").lastElementChild : $("flip")).focus();
    if (back && $("back").disabled) $("flip").focus();
  }

  /** What was asked for when the box stood at `edits` was not found to be a position: says so there, beside `text`. */
  refuse(error, edits, text = null) {
    if (this.box.edits !== edits) return;  // what stands there now has not been asked for
    if (text != null) this.box.propose(text);
    $("fen-note").textContent = "";
    this.box.complain(error.message);
  }

  /** A move of the position after the moves `of`. */
  async play(move, of) {
    if (this.box.typed) return this.settle();  // the box comes first, and this move was another position's
    if (of === this.moves && await this.go({moves: [...of, move]})) {
      this.say(`${move} played. ${$("legal-count").textContent}.`);
    }
  }

  /** One stop of the Tab key for all moves; arrows go from one to the next. */
  #walk(event) {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const all = [...$("moves").children];
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1
      : step && (all.indexOf(document.activeElement) + step + all.length) % all.length;
    if (to == null) return;
    event.preventDefault();
    for (const button of all) button.tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  }
}

function choosePromotion(candidates) {
  return new Promise(resolve => {
    const names = {q: "Queen", r: "Rook", b: "Bishop", n: "Knight"};
    const dialog = element("dialog", {"aria-label": "Promote to"}, element("form", {method: "dialog", className: "row"},
      ...candidates.map(move => element("button", {value: move}, names[move.at(-1)] ?? move))));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
