// What people type and paste where a position is wanted, and what positions are called. No chess: whether it is a
// position, whoever counts decides.

export const presets = [
  {name: "Start position", start: "startpos", fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
  {name: "Kiwipete", start: "kiwipete", fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
  {name: "Position 3", start: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
  {name: "Position 4", start: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"},
  {name: "Position 5", start: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"},
  {name: "Position 6", start: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"},
];

/** "Kiwipete", or the FEN itself. */
export const nameOf = start => presets.find(preset => start === preset.start || start === preset.fen)?.name ?? start;
export const describe = ({start, moves}) => nameOf(start) + (moves.length ? ` after ${moves.join(" ")}` : "");

/** One of the 960 start positions, as a Shredder-FEN; `random()` as Math.random. */
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

const unquoted = text => text.trim().replace(/^(["'`])([^]*)\1[;,]?$/, "$2").trim();
const isNumber = text => /^\d+$/.test(text ?? "");

/**
 * A FEN, its placement alone, a line of an EPD file, a name, or a `position` command: {start, moves, note}. The note says
 * what was added or left aside, and is empty if nothing was.
 */
export function readPosition(text) {
  const line = unquoted(text).replaceAll(/\s+/g, " ");
  const command = line.replace(/^position (?=fen |startpos|kiwipete)/, "").replace(/^fen /, "");
  const [, position, played = ""] = /^(.*?)(?: moves ?(.*))?$/.exec(command);
  const moves = played.split(" ").filter(move => move);
  if (!position) return {start: "startpos", moves, note: ""};
  if (!position.includes("/")) return {start: position, moves, note: ""};
  const semicolon = position.indexOf(";");
  const fields = (semicolon < 0 ? position : position.slice(0, semicolon)).trim().split(" ");
  const kept = isNumber(fields[4]) ? isNumber(fields[5]) ? 6 : 5 : 4;
  const aside = position.slice(fields.slice(0, kept).join(" ").length).trim();
  const missing = [["w", "White to move"], ["-", "no castling"], ["-", "no en passant"]].slice(Math.max(fields.length, 1) - 1);
  const notes = [missing.length ? `Read with ${missing.map(([, words]) => words).join(", ")}.` : "",
                 aside ? `Left aside: ${aside}` : ""];
  return {start: [...fields.slice(0, kept), ...missing.map(([field]) => field)].join(" "), moves,
          note: notes.filter(note => note).join(" ")};
}
