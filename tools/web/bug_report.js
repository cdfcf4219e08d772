// Writes a bug report in plain text with everything that is needed to reproduce the bug.

const list = (title, rows) => rows.length ? [`${title}: ${rows.map(({move}) => move).join(" ")}`] : [];

/** `fen` is the position of the last step, `root` the position where its moves start. */
export function bugReport({moves, depth, answer, rightAsFen}, fen, root) {
  const wrong = answer.rows.filter(row => !row.same);
  const counted = wrong.filter(({ours, theirs}) => ours != null && theirs != null);
  return [
    ...answer.causes.map(({rule, detail, moves: [move] = []}) => `Rule broken: ${rule}${detail ? ` (${move ? `${move}: ` : ""}${detail})` : ""}`),
    `FEN: ${fen}`,
    ...(moves.length ? [`Moves to it: ${moves.join(" ")}`, `From: ${root}`] : []),
    ...list(answer.incomplete ? "Legal moves that are not in the paste" : "Legal moves that are missing", wrong.filter(({theirs}) => theirs == null)),
    ...list("Illegal moves", wrong.filter(({ours}) => ours == null)),
    ...counted.map(({move, ours, theirs}) => `${move}: counted ${theirs}, expected ${ours} (depth ${depth})`),
    ...(rightAsFen == null ? [] : [rightAsFen ? "If the position is set up by its FEN, the moves are right: the error occurs when the moves are played."
      : "The moves are also wrong if the position is set up by its FEN."]),
    "", "To reproduce:",
    `position ${moves.length ? `fen ${root} moves ${moves.join(" ")}` : `fen ${fen}`}`, `go perft ${depth}`, "",
    `Expected: ${answer.rows.filter(({ours}) => ours != null).map(({move, ours}) => depth === 1 ? move : `${move}: ${ours}`).join(depth === 1 ? " " : "\n")}`,
  ].join("\n") + "\n";
}
