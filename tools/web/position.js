// Where a position is put: board, box, moves played, legal moves, and positions that everybody counts.
import {Board} from "./board.js";
import {element} from "./format.js";
import {presets, randomStart, readPosition} from "./position_text.js";

const $ = id => document.getElementById(id);

export class PositionPanel {
  #shown = null;  // what stands in the box when nothing was typed

  /**
   * `go(change)` puts another position on the board, and answers whether it could; `settle()` does so with what is in
   * the box, `climb(ply)` goes back up to a move.
   */
  constructor(go, settle, climb, say) {
    Object.assign(this, {go, settle, climb, say});
    this.board = new Board($("board"), move => this.play(move), choosePromotion);
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
    $("back").addEventListener("click", () => climb(this.moves.length - 1));
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

  get text() {
    return $("fen").value.trim();
  }
  /** Whether something was typed that is not on the board. */
  get dirty() {
    return this.text !== this.#shown;
  }
  read() {
    return readPosition(this.text);
  }
  focusBox() {
    $("fen").focus();
  }

  /** `{start, moves}`, and what whoever counts says about it. */
  show({moves}, here, note = "") {
    this.moves = moves;
    this.legal = here.legal_moves;
    this.#shown = $("fen").value = here.fen;
    this.#complain("");
    $("fen-note").textContent = note;
    this.board.show(here.fen, here.legal_moves);
    const held = $("moves").contains(document.activeElement), climbed = $("crumbs").contains(document.activeElement);
    $("legal-count").textContent = here.legal_moves.length === 1 ? "1 legal move" : `${here.legal_moves.length} legal moves`;
    $("moves").replaceChildren(...here.legal_moves.map((move, at) =>
      element("button", {type: "button", tabIndex: at ? -1 : 0, onclick: () => this.play(move)}, move)));
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

  /** The position was not found to be one: says so at the box, in which `text` stands. */
  refuse(error, text = null) {
    if (text != null) $("fen").value = text;
    $("fen-note").textContent = "";
    this.#complain(error.message);
  }

  #complain(words) {
    $("fen-error").textContent = words;
    if (words) $("fen").setAttribute("aria-invalid", "true");
    else $("fen").removeAttribute("aria-invalid");
  }

  async play(move) {
    if (this.dirty) return this.settle();  // the box comes first, and this move was another position's
    if (await this.go({moves: [...this.moves, move]})) {
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
