// Has the named positions. This file knows no chess rules; the counter interprets texts and validates positions.

export const presets = [
  {name: "Start position", start: "startpos", fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
  {name: "Kiwipete", start: "kiwipete", fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
  {name: "Position 3", start: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
  {name: "Position 4", start: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"},
  {name: "Position 5", start: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"},
  {name: "Position 6", start: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"},
];

/** Returns the name of a position, such as "Kiwipete"; if it has no name, `start`. */
export const nameOf = start => presets.find(preset => start === preset.start || start === preset.fen)?.name ?? start;
export const describe = ({start, moves}) => nameOf(start) + (moves.length ? ` after ${moves.join(" ")}` : "");

/**
 * Returns how the counter interprets a typed or pasted text: {start, moves, note}. The note says what was added or ignored;
 * if that is nothing, the note is empty.
 */
export function asRead(text, {start, moves, assumed, aside}) {
  const named = presets.some(preset => preset.start === text);
  const notes = [assumed ? `Read with ${assumed}.` : "", aside ? `Ignored: ${aside}` : ""];
  return {start: named ? text : start, moves, note: notes.filter(note => note).join(" ")};
}

/** Returns one of the 960 start positions as Shredder-FEN. `random()` is a function such as Math.random. */
export function randomStart(random = Math.random) {
  const files = Array(8).fill("");
  const put = (piece, at) => { files[at] = piece; };
  const free = () => files.flatMap((piece, at) => piece ? [] : [at]);
  const any = squares => squares[Math.floor(random() * squares.length)];
  put("B", any([0, 2, 4, 6]));
  put("B", any([1, 3, 5, 7]));
  for (const piece of "QNN") put(piece, any(free()));
  const [left, middle, right] = free();
  put("R", left);
  put("K", middle);
  put("R", right);
  const back = files.join("");
  const rights = "ABCDEFGH"[right] + "ABCDEFGH"[left];
  return `${back.toLowerCase()}/pppppppp/8/8/8/8/PPPPPPPP/${back} w ${rights}${rights.toLowerCase()} - 0 1`;
}
