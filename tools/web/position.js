// Shows the position: board, box, played moves and legal moves. Offers common positions.
import {Board} from "./board.js";
import {samePosition} from "./counter.js";
import {Editor} from "./editor.js";
import {Field} from "./fields.js";
import {element} from "./format.js";
import {beside, isLearned, learn, notation, written} from "./notation.js";
import {picture} from "./placement.js";
import {presets, randomStart} from "./named_positions.js";
import {during, painted} from "./pressed_controls.js";

const $ = id => document.getElementById(id);
const oneLine = text => text.trim().replaceAll(/\s*\n\s*/g, " ");

export class PositionPanel {
  moves = [];
  #ahead = [];  // the longest line played so far; its moves beyond the shown position were taken back
  #shown = null;
  #under = null;  // a change of position in progress

  /**
   * `go(change)` puts another position on the board, and resolves to whether that succeeded. `settle()` does the same with
   * the text of the box. `climb(ply)` goes back to the position after `ply` moves; without `ply`, one move back.
   * `refuseStale(what)` shows a message that `what` was not done, because the position was about to change. `drafts` stores
   * unapplied text of the box.
   */
  constructor(counter, {go, settle, climb, refuseStale, say, drafts}) {
    Object.assign(this, {counter, go, settle, climb, refuseStale, say});
    $("fen").value = oneLine($("fen").value);  // typed before this script ran, including Enter
    this.box = new Field($("fen"), drafts);
    this.board = new Board($("board"), (move, of) => this.play(move, of), choosePromotion, () => this.#isStale("That piece was not moved"));
    this.editor = new Editor($("editor"), this.board, {
      use: async (fen, button) => await during(button, this.go({start: fen, moves: []})) && this.#leaveEditor(),
      close: () => this.#closeEditor(), say});
    $("fen-form").addEventListener("submit", event => {
      event.preventDefault();
      during($("fen-form").querySelector("button"), settle());
    });
    $("fen").addEventListener("keydown", event => {  // the text is one line, even if it wraps
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      $("fen-form").requestSubmit();
    });
    $("fen").addEventListener("change", () => settle({focus: false}));
    $("fen").addEventListener("paste", ({clipboardData}) => setTimeout(() => {
      const text = oneLine(clipboardData.getData("text"));
      if (text && oneLine($("fen").value) === text) settle({focus: false});
    }));
    $("flip").addEventListener("click", () => this.board.flip());
    $("back").addEventListener("click", () => during($("back"), climb()));
    $("forth").addEventListener("click", () => during($("forth"), this.forth()));
    $("edit").addEventListener("click", () => this.#edits ? this.#closeEditor() : this.#edit());
    document.addEventListener("keydown", ({key, target}) => {
      if (key === "Escape" && this.editor.open && !target.closest("dialog")) this.#closeEditor();
    });
    $("presets").append(...presets.map(({name, start}) => element("option", {value: start}, name)),
                        element("option", {value: "random"}, "Random Chess960 start"));
    $("presets").addEventListener("change", ({target}) => {
      const start = target.value === "random" ? randomStart() : target.value;
      target.value = "";
      if (start) during(target, go({start, moves: []}));
    });
    $("moves").addEventListener("keydown", event => this.#walk(event));
    $("legal").open = matchMedia("(min-width: 52rem)").matches;
    $("all-moves").addEventListener("click", () => this.#fitMoves(!$("legal-part").classList.contains("all")));
    $("legal").addEventListener("toggle", () => this.#fitMoves());
    new ResizeObserver(() => this.#fitMoves()).observe($("moves"));
  }

  /**
   * Shows all moves, or only as many as fit. If not all moves fit, a button switches between the two views.
   */
  #fitMoves(all = $("legal-part").classList.contains("all")) {
    const moves = $("moves"), button = $("all-moves");
    $("legal-part").classList.toggle("all", all);
    button.hidden = !$("legal").open || !all && moves.scrollHeight <= moves.clientHeight + 4;
    button.textContent = all ? "Show fewer" : `Show all ${moves.childElementCount}`;
    button.setAttribute("aria-expanded", String(all));
  }

  /**
   * Shows the position `{start, moves}` and the counter's facts about it. The box shows the position, too, unless the
   * box has been edited more than `edits` times.
   */
  show({start, moves}, here, note = "", edits = this.box.edits) {
    this.moves = moves;
    this.#shown = {at: {start, moves}, here};
    const further = this.#ahead.start === start && moves.every((move, ply) => this.#ahead[ply] === move);
    if (!further || moves.length > this.#ahead.length) this.#ahead = Object.assign([...moves], {start});
    this.box.complain("");
    $("fen-note").textContent = this.box.show(here.fen, edits) ? note : "";
    if (this.editor.open) this.#leaveEditor();
    else this.#showBoard();
    const side = here.side_to_move === "black" ? "Black" : "White";
    const over = here.legal_moves.length ? here.in_check ? ", in check" : "" : here.in_check ? ": checkmate" : ": stalemate";
    $("turn").replaceChildren(picture(side === "White" ? "K" : "k"), `${side} to move${over}${here.legal_moves.length ? "" : ", no legal move"}`);
    $("legal-count").textContent = here.legal_moves.length === 1 ? "1 legal move" : `${here.legal_moves.length} legal moves`;
    this.#showMoves();
    const back = document.activeElement === $("back"), forth = document.activeElement === $("forth");
    $("back").disabled = !moves.length;
    $("forth").disabled = this.#ahead.length === moves.length;
    if (back && $("back").disabled || forth && $("forth").disabled) $("flip").focus();
    this.#learnCrumbs();
  }
  #showBoard() {
    const {here} = this.#shown;
    this.board.show(here.fen, here.legal_moves, this.moves, {inCheck: here.in_check});
  }
  /**
   * Shows that a change of position is in progress, or with null that it has ended. A played move is shown on the board at
   * once.
   */
  wait(under) {
    this.#under = under;
    $("question").setAttribute("aria-busy", String(under != null));
    const {wanted} = under ?? {}, {moves = [], start} = this.#shown?.at ?? {};
    const isNext = wanted && this.#shown && wanted.start === start && wanted.moves.length === moves.length + 1 && moves.every((move, ply) => move === wanted.moves[ply]);
    if (isNext) this.board.ahead(wanted.moves.at(-1));
    else if (!this.editor.open) this.board.recall();
  }
  /** Redraws moves in the current notation. */
  rename() {
    if (!this.#shown) return;
    this.#showMoves();
    this.#learnCrumbs();
  }
  #showMoves() {
    const {at, here} = this.#shown, {start, moves} = at;
    const held = $("moves").contains(document.activeElement), climbed = $("crumbs").contains(document.activeElement);
    $("moves").replaceChildren(...here.legal_moves.map((move, i) => element("button", {type: "button", tabIndex: i ? -1 : 0,
      title: beside(move, at) ?? "", onclick: ({currentTarget}) => during(currentTarget, this.play(move, moves))}, written(move, at))));
    $("crumbs").replaceChildren(...["Root", ...moves].map((move, ply) => {
      const name = ply ? written(move, {start, moves: moves.slice(0, ply - 1)}) : move;
      return ply === moves.length ? element("span", {"aria-current": "step", tabIndex: -1}, name)
        : element("button", {type: "button", onclick: ({currentTarget}) => during(currentTarget, this.climb(ply))}, name);
    }));
    $("crumbs").hidden = !moves.length;
    $("crumbs").scrollLeft = $("crumbs").scrollWidth;
    painted().then(() => this.#fitMoves());  // measure after the browser has computed the layout anyway
    if (held) ($("moves").firstElementChild ?? $("legal").firstElementChild).focus();
    if (climbed) (moves.length ? $("crumbs").lastElementChild : $("flip")).focus();
  }
  /** Requests the SAN of played moves if it is not known, for example after the user has opened a link. */
  async #learnCrumbs() {
    const {start, moves} = this.#shown.at;
    const unknown = moves.map((_, ply) => ({start, moves: moves.slice(0, ply)})).filter(at => !isLearned(at));
    if (!unknown.length || notation() === "uci") return;
    // If a request fails, the moves stay in UCI.
    await Promise.all(unknown.map(async at => learn(at, await this.counter.position(at)))).catch(() => {});
    if (this.moves === moves) this.#showMoves();
  }

  /** Whether the user is setting up a position. */
  get #edits() {
    return $("edit").getAttribute("aria-expanded") === "true";
  }
  set #edits(are) {
    $("edit").setAttribute("aria-expanded", String(are));
  }
  async #edit() {
    this.#edits = true;
    await painted();
    if (this.#edits) this.editor.begin(this.#shown?.here.fen ?? "8/8/8/8/8/8/8/8 w - - 0 1");
  }
  async #closeEditor() {
    this.#edits = false;
    await painted();
    if (!this.#edits && this.editor.open) this.#leaveEditor();
  }
  #leaveEditor() {
    const held = $("editor").contains(document.activeElement);
    this.#edits = false;
    this.editor.end();
    if (this.#shown) this.#showBoard();
    if (held) $("edit").focus();
  }
  /** Plays the next move that was taken back. Pressing the button twice plays two moves. */
  forth() {
    const at = this.#under ? this.#under.wanted : this.#shown?.at;
    if (!at) return this.refuseStale("No move was played");
    const next = at.start === this.#ahead.start ? this.#ahead[at.moves.length] : null;
    if (this.box.typed) return this.settle();
    if (next) return this.#go([...at.moves, next]);
  }
  async #go(moves) {
    if (await this.go({moves})) this.say(`${moves.at(-1)} played. ${$("legal-count").textContent}.`);
  }
  /** Returns whether the shown position is about to change. If so, shows a message that `what` was not done. */
  #isStale(what) {
    if (this.#under) this.refuseStale(what);
    return this.#under != null;
  }

  /**
   * Shows `error` beside the box, because the text is not a valid position. Puts `text` into the box, if given. Does
   * nothing if the box has been edited more than `edits` times.
   */
  refuse(error, edits, text = null) {
    if (this.editor.open) return this.editor.complain(error.message);
    if (this.box.edits !== edits) return;  // the error is not about the current text
    if (text != null) this.box.propose(text);
    $("fen-note").textContent = "";
    this.box.complain(error.message);
  }

  /** Plays `move` in the position after the moves `of`. */
  async play(move, of) {
    if (this.box.typed) return this.settle();  // the text in the box has priority over the move
    const moves = [...of, move];
    if (this.#under?.wanted && samePosition(this.#under.wanted, {...this.#shown.at, moves})) return this.#under.arrived;  // pressed twice
    if (of === this.moves && !this.#isStale(`${move} was not played`)) await this.#go(moves);
  }

  /** All moves are one stop of the Tab key; arrow keys move between them. */
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
