// The board. It knows pieces and squares; which moves are legal it is told.
import {Chessboard, COLOR, INPUT_EVENT_TYPE, BORDER_TYPE} from "./vendor/cm-chessboard/src/Chessboard.js";
import {Markers, MARKER_TYPE} from "./vendor/cm-chessboard/src/extensions/markers/Markers.js";

// cm-chessboard places the dragged piece with setAttribute("style", …), which the server's content security
// policy refuses as it must; the same text set through the object model is allowed.
const setAttribute = Element.prototype.setAttribute;
SVGElement.prototype.setAttribute = function (name, value) {
  if (name === "style") this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

const pieces = {k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn"};
/** A position in words, for those who do not see it. */
function inWords(fen) {
  const [placement, side] = fen.split(" ");
  const placed = {w: [], b: []};
  placement.split("/").forEach((rank, row) => {
    let file = 0;
    for (const sign of rank) {
      if (/\d/.test(sign)) file += Number(sign);
      else placed[sign < "a" ? "w" : "b"].push(`${pieces[sign.toLowerCase()]} ${"abcdefgh"[file++]}${8 - row}`);
    }
  });
  return `Board. White: ${placed.w.join(", ")}. Black: ${placed.b.join(", ")}. ${side === "w" ? "White" : "Black"} to move.`;
}

export class Board {
  /** `onMove(move, of)` gets a legal move in UCI of the position shown as `of`; `choose(moves)` resolves to one of several promotions. */
  constructor(host, onMove, choose) {
    this.host = host;
    this.moves = [];
    this.board = new Chessboard(host, {
      assetsUrl: "vendor/cm-chessboard/assets/",
      style: {cssClass: "manyply", borderType: BORDER_TYPE.none,
              animationDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 180},
      extensions: [{class: Markers, props: {autoMarkers: null}}],
    });
    this.board.enableMoveInput(event => {
      this.board.removeMarkers();
      if (event.type === INPUT_EVENT_TYPE.moveInputStarted) {
        const from = this.moves.filter(move => move.startsWith(event.squareFrom));
        if (!from.length) return false;
        this.board.addMarker(MARKER_TYPE.square, event.squareFrom);
        for (const to of new Set(from.map(move => move.slice(2, 4)))) this.board.addMarker(MARKER_TYPE.dot, to);
        return true;
      }
      if (event.type === INPUT_EVENT_TYPE.validateMoveInput) {
        const meant = this.moves.filter(move => move.startsWith(event.squareFrom + event.squareTo));
        // The board itself never moves: the position that the server answers is shown instead.
        const {of} = this;
        if (meant.length === 1) queueMicrotask(() => onMove(meant[0], of));
        else if (meant.length) choose(meant).then(move => move && onMove(move, of));
        return false;
      }
      return undefined;
    });
  }

  show(fen, moves, of) {
    Object.assign(this, {moves, of});
    this.board.removeMarkers();
    this.host.querySelector("svg").setAttribute("aria-label", inWords(fen));
    return this.board.setPosition(fen, true);
  }
  flip() {
    return this.board.setOrientation(this.board.getOrientation() === COLOR.white ? COLOR.black : COLOR.white, true);
  }
}
