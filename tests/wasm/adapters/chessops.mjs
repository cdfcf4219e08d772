import { perft } from "chessops/debug";
import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { makeUci } from "chessops/util";
const [depth, fen] = process.argv.slice(2);
const position = Chess.fromSetup(parseFen(fen).unwrap(), { ignoreImpossibleCheck: true }).unwrap();
let total = 0;
for (const [from, squares] of position.allDests())
  for (const to of squares)
    for (const promotion of position.board.pawn.has(from) && (to < 8 || to > 55) ? ["queen", "rook", "bishop", "knight"] : [undefined]) {
      const move = { from, to, promotion }, after = position.clone();
      after.play(move);
      const nodes = perft(after, depth - 1, false);
      const way = position.board.king.has(from) && position.board.occupied.has(to) && position.board[position.turn].has(to)
        ? { from, to: from + (to > from ? 2 : -2) } : move;  // castling as the king's step
      total += nodes;
      console.log(`${makeUci(way)}: ${nodes}`);
    }
console.log(`\n${total}`);
