import { Position } from "kokopu";
const after = (position, move) => { const next = new Position(position); next.play(move); return next; };
const count = (position, depth) =>
  depth === 0 ? 1 : position.moves().reduce((sum, move) => sum + count(after(position, move), depth - 1), 0);
export function* divide(fen, depth) {
  const isStandard = /^([KQkq]+|-)$/.test(fen.split(" ")[2]);
  const position = new Position(isStandard ? fen : `chess960:${fen}`);
  for (const move of position.moves()) yield [position.uci(move), count(after(position, move), depth - 1)];
}
