// The board for keyboards and screen readers: a grid of squares above the pieces. Only one square can be reached by the Tab
// key; arrow keys move between squares. The grid ignores pointers.
import {element} from "./format.js";
import {files, inWords, pieceWords, piecesOf} from "./placement.js";

const ways = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

export class Squares {
  #cells = new Map();  // by square
  #at = "e1";
  #flipped = false;

  /** `press(square)` handles Enter and the space bar, `leave()` Escape. */
  constructor(host, {press, leave}) {
    this.grid = element("div", {className: "squares", role: "grid"});
    host.append(this.grid);
    this.grid.addEventListener("keydown", event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const way = ways[event.key];
      if (way) this.#walk(...way);
      else if (event.key === "Enter" || event.key === " ") press(this.#at);
      else if (event.key === "Escape") leave();
      else return;
      event.preventDefault();
    });
    // From a screen reader
    this.grid.addEventListener("click", ({target}) => target.dataset.at && press(target.dataset.at));
    this.#lay();
  }

  #lay() {
    const ranks = [8, 7, 6, 5, 4, 3, 2, 1];
    const rows = this.#flipped ? ranks.toReversed() : ranks, columns = this.#flipped ? files.toReversed() : files;
    this.#cells.clear();
    this.grid.replaceChildren(...rows.map(rank => element("div", {role: "row"}, ...columns.map(file => {
      const cell = element("span", {role: "gridcell", tabIndex: file + rank === this.#at ? 0 : -1, "data-at": file + rank});
      this.#cells.set(file + rank, cell);
      return cell;
    }))));
  }
  #walk(right, down) {
    const turn = this.#flipped ? -1 : 1;
    const file = files[files.indexOf(this.#at[0]) + turn * right], rank = Number(this.#at[1]) - turn * down;
    const cell = this.#cells.get(file + rank);
    if (!cell) return;
    this.#cells.get(this.#at).tabIndex = -1;
    this.#at = file + rank;
    cell.tabIndex = 0;
    cell.focus();
  }

  flip() {
    const held = this.grid.contains(document.activeElement);
    this.#flipped = !this.#flipped;
    this.#lay();
    if (held) this.#cells.get(this.#at).focus();
  }
  /** `notes` maps squares to texts that are spoken in addition to the piece. */
  show(fen, notes = {}) {
    const pieces = piecesOf(fen);
    this.grid.setAttribute("aria-label", inWords(fen));
    for (const [square, cell] of this.#cells) {
      cell.setAttribute("aria-label", [square, pieces[square] && pieceWords(pieces[square]), notes[square]].filter(word => word).join(", "));
    }
  }
}
