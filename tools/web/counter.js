// Whoever counts. The page asks nobody else, and knows no more than this:
//
//   position({start, moves})          {fen, legal_moves, chess960, published: [{depth, nodes}]}, and what it has made of a
//                                     start as people type it: {start, moves, assumed, aside}
//   count(question)                   a job, at once; done if the answer is known already
//   divide(question, options)         [{move, nodes}], when it has been counted
//   stats(question, options)          the report, when it has been counted
//   diff(question, pasted, options)   how a pasted divide compares; options.asFen: whether it is right as a FEN
//   watch(id, onJob, signal)          onJob(job) for every change, the last one with its report; over when the job is
//   cancel(id), remove(id)            a job that has ended can be removed from what is kept
//   job(id), jobs(before)             what is kept: a job; {jobs, next}, newest first
//   campaigns(), campaign(name)       counts that many machines share: all, and one with its ranges and workers
//   text(id, format)                  a finished job's report as a Blob: json, csv, stockfish or epd
//   limits()                          JSON Schemas of a question's fields, by name
//
// A question is {start, moves, depth, mode}, an estimate's has samples and seed: `start` is what the user gave (a FEN or
// a name), `moves` are UCI moves played from there. Counts are strings of digits. Options are {signal, onJob}.
// What is asked wrongly is `Refused`; `Unreachable` says nothing about the question.

/** `field` names the part of the question that is wrong, where it is one; `status` is an HTTP status. */
export class Refused extends Error {
  constructor(message, {field = null, status = 422} = {}) {
    super(message);
    Object.assign(this, {field, status});
  }
}
/** Nobody is there; whoever counts says when somebody is again. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

const finalStates = ["done", "failed", "cancelled"];
export const isFinal = state => finalStates.includes(state);

/** What tells questions apart. */
export const keyOf = ({start, moves, depth, mode, samples, seed}) =>
  JSON.stringify([start, moves.join(" "), depth, mode, ...(mode === "estimate" ? [samples, seed] : [])]);
export const samePosition = (a, b) => a.start === b.start && a.moves.join(" ") === b.moves.join(" ");
/** What a job was asked for. */
export const questionOf = job => ({start: job.fen, moves: job.moves ? job.moves.split(" ") : [], depth: job.depth,
                                   mode: job.mode, ...(job.samples ? {samples: job.samples, seed: job.seed} : {})});

/** What every implementation has in common. */
export class Counter {
  /** The job of `question`, done, with its report. */
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
