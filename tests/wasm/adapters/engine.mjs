// engine.mjs LIBRARY [DEPTH FEN]: turns a library from npm into an engine. With DEPTH and FEN, prints one divide.
// Otherwise answers lines "divide DEPTH FEN" from standard input.
import { createInterface } from "node:readline";
const [library, ...question] = process.argv.slice(2);
const { divide } = await import(`./${library}.mjs`);
function answer(depth, fen) {
  let total = 0;
  for (const [move, nodes] of divide(fen, Number(depth))) {
    total += nodes;
    console.log(`${move}: ${nodes}`);
  }
  console.log(`\n${total}`);
}
if (question.length > 0) {
  answer(...question);
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const [, depth, fen] = /^divide (\d+) (.*)$/.exec(line) ?? [];
    if (fen !== undefined) answer(depth, fen);
  }
}
