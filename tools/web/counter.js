// The interface between the page and a counter, which is a server or this browser. The page uses nothing else:
//
//   position({start, moves})          {fen, position, side_to_move, in_check, legal_moves, san, chess960, published: [{depth,
//                                     nodes}]}, and how a typed start was interpreted: {start, moves, assumed, aside}
//   count(question)                   resolves to a job without waiting for its end; it is done if the answer is known
//   divide(question, options)         resolves to [{move, nodes}] after counting
//   stats(question, options)          resolves to the report after counting
//   diff(question, pasted, options)   compares a pasted divide; options.asFen: whether the program is right if given the FEN
//   watch(id, onJob, signal)          calls onJob(job) for every change, at last with the report; resolves when the job ends
//   cancel(id), remove(id)            cancels a job; removes a finished job
//   job(id), jobs(before)             a stored job; {jobs, next}, newest first
//   campaigns(), campaign(name)       counts that many machines share: a list of all; one with its parts and workers
//   text(id, format)                  a finished job's report as a Blob: json, csv, stockfish or epd
//   limits()                          JSON Schemas of a question's fields, by name
//
// A question is {start, moves, depth, mode}; an estimate also has samples and seed. `start` is the user's text (a FEN or a
// name), `moves` are UCI moves played from there. Counts are strings of digits. Options are {signal, onJob}.
// A function throws `Refused` if the question is invalid, and `Unreachable` if no answer could be obtained.

/** `field` names the wrong part of the question, if known; `status` is an HTTP status. */
export class Refused extends Error {
  constructor(message, {field = null, status = 422} = {}) {
    super(message);
    Object.assign(this, {field, status});
  }
}
/** The server cannot be reached. HttpCounter reports by onConnection() when the server answers again. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

const finalStates = ["done", "failed", "cancelled"];
export const isFinal = state => finalStates.includes(state);

/** Returns a string that is equal for equal questions. */
export const keyOf = ({start, moves, depth, mode, samples, seed}) =>
  JSON.stringify([start, moves.join(" "), depth, mode, ...(mode === "estimate" ? [samples, seed] : [])]);
export const samePosition = (a, b) => a.start === b.start && a.moves.join(" ") === b.moves.join(" ");
/** Returns the question of a job. */
export const questionOf = job => ({start: job.fen, moves: job.moves ? job.moves.split(" ") : [], depth: job.depth,
                                   mode: job.mode, ...(job.samples ? {samples: job.samples, seed: job.seed} : {})});

/** The base class of all counters. */
export class Counter {
  /** Resolves to the finished job of `question`, with its report. */
  async finish(question, {signal = new AbortController().signal, onJob = () => {}} = {}) {
    let job = await this.count(question);
    if (!isFinal(job.state)) await this.watch(job.id, seen => onJob(job = seen), signal);
    signal.throwIfAborted();
    if (job.state !== "done") throw new Refused(job.error?.detail ?? `Job ${job.id} was ${job.state}, so there is no count.`);
    return job.report ? job : this.job(job.id);
  }
  async divide(question, options) {
    return (await this.finish({...question, mode: "count"}, options)).report.divide;
  }
  async stats(question, options) {
    return (await this.finish({...question, mode: "stats"}, options)).report;
  }
}
