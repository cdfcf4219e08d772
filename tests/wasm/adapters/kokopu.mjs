import { Position } from "kokopu";
const [depth, fen] = process.argv.slice(2);
const count = (position, left) => left === 0 ? 1 : position.moves().reduce((sum, move) => {
  const after = new Position(position);
  after.play(move);
  return sum + count(after, left - 1);
}, 0);
const position = new Position(fen);
let total = 0;
for (const move of position.moves()) {
  const after = new Position(position);
  after.play(move);
  const nodes = count(after, depth - 1);
  total += nodes;
  console.log(`${position.uci(move)}: ${nodes}`);
}
console.log(`\n${total}`);
