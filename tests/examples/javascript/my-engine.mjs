// A small move generator that speaks UCI with `go perft N`. With FAULT=en-passant-unpins it does not check whether the
// king is safe after an en passant capture.
import { createInterface } from "node:readline";

// The board has 12 rows of 10 squares: a1 = 21, h8 = 98, "#" is outside. White's pieces are capitals.
const ORTHOGONAL = [1, -1, 10, -10], DIAGONAL = [9, -9, 11, -11], ALL = [...ORTHOGONAL, ...DIAGONAL];
const KNIGHT = [8, -8, 12, -12, 19, -19, 21, -21];
const PIECES = { n: [KNIGHT, false], k: [ALL, false], b: [DIAGONAL, true], r: [ORTHOGONAL, true], q: [ALL, true] };
const CORNERS = { 21: "Q", 28: "K", 91: "q", 98: "k" };
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const name = (at) => "abcdefgh"[(at % 10) - 1] + (Math.floor(at / 10) - 1);
const square = (text) => 20 + text.charCodeAt(0) - 96 + 10 * (text[1] - 1);
const isOf = (piece, white) => (white ? /[A-Z]/ : /[a-z]/).test(piece);
const coloured = (kind, white) => (white ? kind.toUpperCase() : kind);

function read(fen) {
  const [rows, side, rights, passed] = fen.split(" ");
  const board = Array(120).fill("#");
  rows.replace(/\d/g, (count) => ".".repeat(count)).split("/")
    .forEach((row, index) => [...row].forEach((piece, file) => { board[91 - 10 * index + file] = piece; }));
  return { board, white: side === "w", rights, passed: passed === "-" ? 0 : square(passed) };
}

function targets(board, at, [steps, slides]) {
  const found = [];
  for (const step of steps) {
    let to = at + step;
    for (; slides && board[to] === "."; to += step) found.push(to);
    if (board[to] !== "#") found.push(to);
  }
  return found;
}

function attacked(board, at, byWhite) {
  const pawn = coloured("p", byWhite), back = byWhite ? -10 : 10;
  return board[at + back - 1] === pawn || board[at + back + 1] === pawn ||
    Object.entries(PIECES).some(([kind, steps]) =>
      targets(board, at, steps).some((from) => board[from] === coloured(kind, byWhite)));
}

function* candidates({ board, white, rights, passed }) {
  for (let at = 21; at <= 98; ++at) {
    if (!isOf(board[at], white)) continue;
    const kind = board[at].toLowerCase(), ends = [];
    if (kind === "p") {
      const up = white ? 10 : -10, row = Math.floor(at / 10);
      if (board[at + up] === ".") {
        ends.push(at + up);
        if (row === (white ? 3 : 8) && board[at + 2 * up] === ".") ends.push(at + 2 * up);
      }
      ends.push(...[at + up - 1, at + up + 1].filter((to) => isOf(board[to], !white) || to === passed));
      for (const to of ends)
        for (const promotion of row === (white ? 8 : 3) ? "qrbn" : [""]) yield { from: at, to, promotion };
      continue;
    }
    ends.push(...targets(board, at, PIECES[kind]).filter((to) => !isOf(board[to], white)));
    if (kind === "k" && !attacked(board, at, !white)) {
      for (const [right, step, between] of [["k", 1, [1, 2]], ["q", -1, [-1, -2, -3]]])
        if (rights.includes(coloured(right, white)) && between.every((offset) => board[at + offset] === ".") &&
            !attacked(board, at + step, !white)) ends.push(at + 2 * step);
    }
    for (const to of ends) yield { from: at, to, promotion: "" };
  }
}

function play({ board: before, white, rights, passed }, { from, to, promotion }) {
  const board = [...before], piece = before[from], kind = piece.toLowerCase();
  board[from] = ".";
  board[to] = promotion ? coloured(promotion, white) : piece;
  const enPassant = kind === "p" && to === passed;
  if (enPassant) board[to + (white ? -10 : 10)] = ".";
  if (kind === "k" && Math.abs(to - from) === 2) {
    const corner = to > from ? to + 1 : to - 2;
    board[(from + to) / 2] = board[corner];
    board[corner] = ".";
  }
  const lost = [CORNERS[from], CORNERS[to], ...(kind === "k" ? [coloured("k", white), coloured("q", white)] : [])];
  const unsafe = attacked(board, board.indexOf(coloured("k", white)), !white);
  return {
    legal: !unsafe || (enPassant && process.env.FAULT === "en-passant-unpins"),
    position: { board, white: !white, rights: [...rights].filter((right) => !lost.includes(right)).join(""),
                passed: kind === "p" && Math.abs(to - from) === 20 ? (from + to) / 2 : 0 },
  };
}

function* moves(position) {
  for (const move of candidates(position)) {
    const { legal, position: after } = play(position, move);
    if (legal) yield [name(move.from) + name(move.to) + move.promotion, after];
  }
}

function perft(position, depth) {
  let count = 0;
  for (const [, after] of moves(position)) count += depth > 1 ? perft(after, depth - 1) : 1;
  return count;
}

let position = read(START);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...words] = line.split(" ");
  if (word === "uci") console.log("uciok");
  if (word === "isready") console.log("readyok");
  if (word === "quit") break;
  if (word === "position") {
    const [place, played = ""] = words.join(" ").split(/ ?moves /);
    position = read(place.startsWith("fen ") ? place.slice(4) : START);
    for (const move of played.split(" ").filter(Boolean)) position = new Map(moves(position)).get(move);
  }
  if (word === "go") {
    let total = 0;
    for (const [move, after] of moves(position)) {
      const count = words[1] > 1 ? perft(after, words[1] - 1) : 1;
      console.log(`${move}: ${count}`);
      total += count;
    }
    console.log(`\nNodes searched: ${total}`);
  }
}
