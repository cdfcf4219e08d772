// How moves are written: in UCI, as programs print them, or in algebraic notation with letters or figurines, as people
// prefer. What a move is called depends on its position, and whoever counts says it.
const kStored = "notation";
const kPositions = 500;  // whose moves are remembered
const figurines = {K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘"};
const names = new Map();  // by position: from UCI to SAN

export const notations = ["uci", "san", "figurine"];
let chosen = localStorage.getItem(kStored);  // asked for with each move that is written
export const notation = () => notations.includes(chosen) ? chosen : "uci";
export function setNotation(name) {
  chosen = name;
  localStorage.setItem(kStored, name);
}

const keyOf = ({start, moves}) => `${start} | ${moves.join(" ")}`;
/** What whoever counts says of the position `at`: its legal moves in both notations. */
export function learn(at, {legal_moves: moves, san}) {
  names.delete(keyOf(at));
  names.set(keyOf(at), new Map(moves.map((move, i) => [move, san[i]])));
  for (const old of names.keys()) if (names.size > kPositions) names.delete(old);
}
export const isLearned = at => names.has(keyOf(at));

const sanOf = (move, at) => names.get(keyOf(at))?.get(move) ?? null;
const drawn = san => notation() === "figurine" ? san.replaceAll(/[KQRBN]/g, letter => figurines[letter]) : san;

/** `move` of the position `at`, as people prefer it; in UCI where nothing else is known. */
export function written(move, at) {
  const san = notation() === "uci" ? null : sanOf(move, at);
  return san ? drawn(san) : move;
}
/** The same in the notation that is not preferred, or nothing. */
export const beside = (move, at) => notation() === "uci" ? sanOf(move, at) : sanOf(move, at) && move;
