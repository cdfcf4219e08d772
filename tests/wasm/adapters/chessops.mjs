import { perft } from "chessops/debug";
import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { makeUci } from "chessops/util";
export function* divide(fen, depth) {
  const position = Chess.fromSetup(parseFen(fen).unwrap(), { ignoreImpossibleCheck: true }).unwrap();
  for (const [from, squares] of position.allDests())
    for (const to of squares)
      for (const promotion of position.board.pawn.has(from) && (to < 8 || to > 55) ? ["queen", "rook", "bishop", "knight"] : [undefined]) {
        const move = { from, to, promotion }, after = position.clone();
        after.play(move);
        yield [makeUci(move), perft(after, depth - 1, false)];  // the king castles by taking its rook
      }
}
