// The first field of a FEN, and what stands where. No chess: which positions there are, whoever counts decides.
const words = {k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn"};
export const files = [..."abcdefgh"];

/** From squares to pieces as FENs have them: {e1: "K", …}. */
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
/** "white knight" */
export const pieceWords = piece => `${isWhite(piece) ? "white" : "black"} ${words[piece.toLowerCase()]}`;
/** As the board's sprite names it: "wn". */
export const pieceName = piece => (isWhite(piece) ? "w" : "b") + piece.toLowerCase();

/** A position in words, for those who do not see it. */
export function inWords(fen) {
  const placed = {true: [], false: []};
  for (const [square, piece] of Object.entries(piecesOf(fen))) placed[isWhite(piece)].push(`${words[piece.toLowerCase()]} ${square}`);
  return `Board. White: ${placed.true.join(", ")}. Black: ${placed.false.join(", ")}. ` +
    `${fen.split(" ")[1] === "b" ? "Black" : "White"} to move.`;
}
