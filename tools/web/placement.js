// Reads and writes the first field of a FEN, and draws pieces. This file knows no chess rules; the counter decides which
// positions are valid.
const words = {k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn"};
export const files = [..."abcdefgh"];

/** Maps squares to pieces as in FENs: {e1: "K", …}. */
export function piecesOf(fen) {
  const pieces = {};
  fen.split(" ")[0].split("/").forEach((rank, row) => {
    let file = 0;
    for (const sign of rank) {
      if (/\d/.test(sign)) file += Number(sign);
      else pieces[files[file++] + (8 - row)] = sign;
    }
  });
  return pieces;
}
export const placementOf = pieces => [8, 7, 6, 5, 4, 3, 2, 1].map(rank =>
  files.map(file => pieces[file + rank] ?? "1").join("").replaceAll(/1+/g, free => String(free.length))).join("/");

export const isWhite = piece => piece < "a";
/** Returns the colour and name of a piece, such as "white knight". */
export const pieceWords = piece => `${isWhite(piece) ? "white" : "black"} ${words[piece.toLowerCase()]}`;
const svg = (name, attributes, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
/** Draws a piece. The board's sprite has the drawings, by names such as "wn". */
export const picture = piece => svg("svg", {viewBox: "0 0 40 40", "aria-hidden": "true"},
  svg("use", {href: `#${isWhite(piece) ? "w" : "b"}${piece.toLowerCase()}`}));

/** Describes a position in words, for users who cannot see it. */
export function inWords(fen) {
  const placed = {true: [], false: []};
  for (const [square, piece] of Object.entries(piecesOf(fen))) placed[isWhite(piece)].push(`${words[piece.toLowerCase()]} ${square}`);
  return `Board. White: ${placed.true.join(", ")}. Black: ${placed.false.join(", ")}. ` +
    `${fen.split(" ")[1] === "b" ? "Black" : "White"} to move.`;
}
