// The board. It knows pieces and squares but no rules; other code supplies the legal moves.
import {Chessboard, COLOR, INPUT_EVENT_TYPE, BORDER_TYPE} from "./vendor/cm-chessboard/src/Chessboard.js";
import {Arrows, ARROW_TYPE} from "./vendor/cm-chessboard/src/extensions/arrows/Arrows.js";
import {Markers, MARKER_TYPE} from "./vendor/cm-chessboard/src/extensions/markers/Markers.js";
import {element} from "./format.js";
import {files, inWords, pieceWords, piecesOf, placementOf} from "./placement.js";

// cm-chessboard places a dragged piece with setAttribute("style", …), which the server's content security policy
// forbids. Setting the same text through the object model is allowed.
const setAttribute = Element.prototype.setAttribute;
SVGElement.prototype.setAttribute = function (name, value) {
  if (name === "style") this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

const ways = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

// The board for keyboards and screen readers: a grid of squares above the pieces. Only one square can be reached by the Tab
// key; arrow keys move between squares. The grid ignores pointers.
class Squares {
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
    // Screen readers send clicks.
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

const marks = {last: {class: "marker-last", slice: "markerSquare"}, check: {class: "marker-check", slice: "markerSquare"}};

export class Board {
  #shown = {fen: "8/8/8/8/8/8/8/8 w - - 0 1", moves: [], of: null, last: null, inCheck: false};
  #lifted = null;  // the square whose piece is about to move
  #ahead = false;  // a move is shown, but the position after it is not known yet
  #editing = null;  // receives clicks and moves while a position is set up

  /**
   * `onMove(move, of)` receives a legal move in UCI notation; `of` is the list of moves that led to the position in
   * which the move is played. `choose(moves)` resolves to the promotion that the user chooses. `isStale()` returns
   * whether the shown position is about to change. If it is, isStale() also shows a message about that.
   */
  constructor(host, onMove, choose, isStale) {
    Object.assign(this, {onMove, choose, isStale});
    const pieces = element("div", {className: "pieces", "aria-hidden": "true"});
    host.append(pieces);
    this.board = new Chessboard(pieces, {
      assetsUrl: "vendor/cm-chessboard/assets/",
      style: {cssClass: "manyply", borderType: BORDER_TYPE.none,
              animationDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 180},
      extensions: [{class: Markers, props: {autoMarkers: null}}, {class: Arrows}],
    });
    const letters = pieces.querySelector(".coordinates");  // to be drawn above marked squares
    letters.parentElement.insertBefore(letters, pieces.querySelector(".pieces-layer"));
    this.squares = new Squares(host, {press: square => this.#press(square), leave: () => this.#lift(null)});
    this.board.enableMoveInput(event => this.#input(event));
    pieces.addEventListener("click", ({target}) => this.#editing?.press && target.dataset.square && this.#editing.press(target.dataset.square));
  }

  #input({type, squareFrom, squareTo}) {
    if (this.#editing) {
      if (type === INPUT_EVENT_TYPE.moveInputStarted) return !this.#editing.placing();
      if (type === INPUT_EVENT_TYPE.validateMoveInput) this.#editing.move(squareFrom, squareTo);
      return false;
    }
    if (type === INPUT_EVENT_TYPE.moveInputStarted) return !this.isStale() && this.#lift(squareFrom);
    if (type === INPUT_EVENT_TYPE.moveInputCanceled) this.#lift(null);
    // The board never moves pieces itself; it shows the position that the counter returns.
    if (type === INPUT_EVENT_TYPE.validateMoveInput) this.#put(squareFrom, squareTo);
    return false;
  }
  /** Handles the keyboard: the first press lifts a piece, the second puts it down. */
  #press(square) {
    if (this.#editing) return this.#editing.press(square);
    if (this.isStale()) return;
    if (this.#lifted && this.#shown.moves.some(move => move.startsWith(this.#lifted + square))) this.#put(this.#lifted, square);
    else this.#lift(square === this.#lifted ? null : square);
  }
  #lift(square) {
    this.#lifted = square && this.#shown.moves.some(move => move.startsWith(square)) ? square : null;
    this.#mark();
    return this.#lifted != null;
  }
  #put(from, to) {
    const {moves, of} = this.#shown;
    const meant = moves.filter(move => move.startsWith(from + to));
    this.#lift(null);
    if (meant.length === 1) queueMicrotask(() => this.onMove(meant[0], of));
    else if (meant.length) this.choose(meant).then(move => move && this.onMove(move, of));
  }

  /** Shows a position. `moves` are its legal moves. `of` are the moves that led to the position. */
  show(fen, moves, of, {inCheck = false} = {}) {
    this.#shown = {fen, moves, of, inCheck, last: of?.at(-1) ?? null};
    this.#lifted = null;
    this.#ahead = false;
    this.board.removeArrows();
    this.#mark();
    return this.board.setPosition(fen, true);
  }
  /** Shows a move of the current position as played, until show() or recall() is called. */
  ahead(move) {
    const pieces = piecesOf(this.#shown.fen), [from, to] = [move.slice(0, 2), move.slice(2, 4)];
    const isWhite = piece => piece === piece.toUpperCase();
    if (pieces[to] && isWhite(pieces[to]) === isWhite(pieces[from])) return;  // castling, written as in Chess960
    pieces[to] = move[4] ? isWhite(pieces[from]) ? move[4].toUpperCase() : move[4] : pieces[from];
    delete pieces[from];
    this.#ahead = true;
    this.board.removeMarkers();
    for (const square of [from, to]) this.board.addMarker(marks.last, square);
    this.board.setPosition(placementOf(pieces), false);
  }
  /** Takes back what ahead() has shown. */
  recall() {
    if (!this.#ahead) return;
    this.#ahead = false;
    this.#mark();
    this.board.setPosition(this.#shown.fen, true);
  }
  /** Draws arrows for moves: [{move, legal}]. */
  point(moves) {
    this.board.removeArrows();
    for (const {move, legal} of moves) {
      this.board.addArrow(legal ? ARROW_TYPE.success : ARROW_TYPE.danger, move.slice(0, 2), move.slice(2, 4));
    }
  }
  #mark() {
    const {fen, moves, last, inCheck} = this.#shown;
    this.board.removeMarkers();
    const notes = {};
    const mark = (kind, square, words) => {
      this.board.addMarker(kind, square);
      notes[square] = [notes[square], words].filter(text => text).join(", ");
    };
    if (last && !this.#editing) {
      mark(marks.last, last.slice(0, 2), "origin of the last move");
      mark(marks.last, last.slice(2, 4), "target of the last move");
    }
    const king = fen.split(" ")[1] === "b" ? "k" : "K";
    const [checked] = inCheck ? Object.entries(piecesOf(fen)).find(([, piece]) => piece === king) ?? [] : [];
    if (checked) mark(marks.check, checked, "in check");
    if (this.#lifted) {
      mark(MARKER_TYPE.square, this.#lifted, "lifted");
      const to = moves.filter(move => move.startsWith(this.#lifted)).map(move => move.slice(2, 4));
      for (const square of new Set(to)) mark(MARKER_TYPE.dot, square, "can move here");
    }
    this.squares.show(fen, notes);
  }

  /** Starts set-up mode: `editing` receives press(square), move(from, to) and placing(). Null ends set-up mode. */
  edit(editing) {
    this.#editing = editing;
    this.#lift(null);
  }
  flip() {
    this.squares.flip();
    this.#mark();
    return this.board.setOrientation(this.board.getOrientation() === COLOR.white ? COLOR.black : COLOR.white, true);
  }
}
