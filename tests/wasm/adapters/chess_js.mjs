import { Chess } from "chess.js";
export function* divide(fen, depth) {
  const chess = new Chess(fen);
  for (const { san, lan } of chess.moves({ verbose: true })) {
    chess.move(san);
    yield [lan, depth > 1 ? chess.perft(depth - 1) : 1];
    chess.undo();
  }
}
