// Notations of moves: UCI, as programs print them, or SAN with letters or figurines. The SAN of a move depends on the
// position, so the counter supplies it.
const kStored = "notation";
const kPositions = 500;  // positions whose moves are remembered
const figurines = {K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘"};
const names = new Map();  // by position: from UCI to SAN

export const notations = ["uci", "san", "figurine"];
let chosen = localStorage.getItem(kStored);  // kept in a variable, because every written move needs it
export const notation = () => notations.includes(chosen) ? chosen : "uci";
export function setNotation(name) {
  chosen = name;
  localStorage.setItem(kStored, name);
}

const keyOf = ({start, moves}) => `${start} | ${moves.join(" ")}`;
/** Remembers the legal moves of the position `at` in both notations, as the counter returned them. */
export function learn(at, {legal_moves: moves, san}) {
  names.delete(keyOf(at));
  names.set(keyOf(at), new Map(moves.map((move, i) => [move, san[i]])));
  for (const old of names.keys()) if (names.size > kPositions) names.delete(old);
}
export const isLearned = at => names.has(keyOf(at));

const sanOf = (move, at) => names.get(keyOf(at))?.get(move) ?? null;
const drawn = san => notation() === "figurine" ? san.replaceAll(/[KQRBN]/g, letter => figurines[letter]) : san;

/** Returns `move` of the position `at` in the user's notation, or in UCI if its SAN is not known. */
export function written(move, at) {
  const san = notation() === "uci" ? null : sanOf(move, at);
  return san ? drawn(san) : move;
}
/** Returns the move in the other notation, if known. */
export const beside = (move, at) => notation() === "uci" ? sanOf(move, at) : sanOf(move, at) && move;
