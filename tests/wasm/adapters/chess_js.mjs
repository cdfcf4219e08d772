import { Chess } from "chess.js";
const [depth, fen] = process.argv.slice(2);
const chess = new Chess(fen);
let total = 0;
for (const { san, lan } of chess.moves({ verbose: true })) {
  chess.move(san);
  const nodes = depth > 1 ? chess.perft(depth - 1) : 1;
  chess.undo();
  total += nodes;
  console.log(`${lan}: ${nodes}`);
}
console.log(`\n${total}`);
