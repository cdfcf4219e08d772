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
    ...list(answer.incomplete ? "Legal moves that were not in what was pasted" : "Legal moves that are missing", wrong.filter(({theirs}) => theirs == null)),
    ...list("Moves that are not legal", wrong.filter(({ours}) => ours == null)),
    ...counted.map(({move, ours, theirs}) => `${move}: ${theirs} counted, ${ours} is right (depth ${depth})`),
    ...(rightAsFen == null ? [] : [rightAsFen ? "Set up by its FEN, the position is handled rightly: it goes wrong when the moves are played."
      : "It is wrong when the position is set up by its FEN, too."]),
    "", "To see it:",
    `position ${moves.length ? `fen ${root} moves ${moves.join(" ")}` : `fen ${fen}`}`, `go perft ${depth}`, "",
    `Right is: ${answer.rows.filter(({ours}) => ours != null).map(({move, ours}) => depth === 1 ? move : `${move}: ${ours}`).join(depth === 1 ? " " : "\n")}`,
  ].join("\n") + "\n";
}
