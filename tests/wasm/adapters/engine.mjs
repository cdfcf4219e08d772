// engine.mjs LIBRARY [DEPTH FEN]: a library of npm as an engine, which is run for each question, or answers lines
// "divide DEPTH FEN".
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
