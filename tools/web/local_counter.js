// A counter that runs the library as WebAssembly in workers of this browser. It manages jobs as a server does, but for one
// user and without campaigns.
import {Counter, Refused, isFinal, keyOf} from "./counter.js";
import {divide} from "./engine/index.js";
import {uniqueByShares} from "./engine/count_in_workers.js";
import {interval, punctual} from "./engine/time_left.js";
import {ManyplyError, withWorkers} from "./engine/worker_pool.js";

const kStored = "counted here";  // finished jobs, in the browser's storage, shared by all its windows
const kLast = "last job here";  // in the same storage: the newest job number
const kBegun = "counting here";  // in the window's storage: unfinished jobs, [{job, question, published}]
const kKept = 30;
const kPage = 20;
const kAtOnce = 2;  // concurrent jobs
const kWorkers = Math.min(Math.max(navigator.hardwareConcurrency || 1, 1), 4);
const kTable = {from: 8, bytes: 2 ** 28};  // from this depth on, limits each worker's table; without limits, tables would use all memory
const kShared = 6;  // smallest depth that several workers share

const now = () => new Date().toISOString();
const plain = ({start, moves, depth = 0}) => ({fen: start, moves: moves.join(" "), depth});

/** Reads a list from the browser's storage; empty if it is invalid or there is no storage. */
function read(storage, name) {
  try {
    const list = JSON.parse(storage.getItem(name));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
function write(storage, name, list) {
  try {
    storage.setItem(name, JSON.stringify(list));
  } catch {
    // Too long, or no storage: keep the list only until the page is closed.
  }
}

/** Converts an error of the engine to Refused. Returns any other error unchanged. */
function refused(error) {
  if (!(error instanceof ManyplyError)) return error;
  return new Refused(error.message, {field: error.field || null, status: error.code === "internal" ? 500 : 422});
}
async function ask(question, {signal, onProgress} = {}) {
  for (let tries = 1;; ++tries) {
    try {
      return await withWorkers(1, signal, ([worker]) => worker.ask(question, onProgress && punctual(onProgress)));
    } catch (error) {
      if (signal?.aborted || error instanceof ManyplyError && error.code !== "internal" || tries === 2) throw refused(error);
    }  // try once more with a new worker if the worker has died
  }
}

export class LocalCounter extends Counter {
  #jobs = new Map();  // by id
  #work = new Map();  // unfinished jobs, by id: {question, published, abort, listeners}
  #known;  // facts about the start position, used until a worker runs

  constructor() {
    super();
    this.#known = fetch("start.json").then(response => response.json());
    this.#warm();
    this.#load();
    addEventListener("storage", ({key}) => key === kStored && this.#load());
    // Continue unfinished counts after a reload.
    for (const {job, question, published} of read(sessionStorage, kBegun)) this.#begin({...job, state: "queued", progress: undefined}, question, published);
  }

  /** Loads the finished jobs from storage, because other windows may have added or removed some. */
  #load() {
    for (const {id, state} of [...this.#jobs.values()]) if (isFinal(state)) this.#jobs.delete(id);
    for (const job of read(localStorage, kStored)) this.#jobs.set(job.id, job);
  }
  #newId() {
    const id = Math.max(Number(read(localStorage, kLast)[0]) || 0, ...this.#jobs.keys()) + 1;
    write(localStorage, kLast, [id]);
    return id;
  }

  /** Loads the engine after the page, so that the first count need not wait for the engine. */
  async #warm() {
    if (document.readyState !== "complete") await new Promise(resolve => addEventListener("load", resolve, {once: true}));
    ask({do: "describe", fen: "startpos", moves: "", depth: 0}).catch(() => {});  // ignore errors, because the first question will report them
  }

  async position({start, moves}) {
    if (start === "startpos" && !moves.length) return this.#known;
    return ask({do: "describe", ...plain({start, moves})});
  }

  async count(question) {
    const {mode, samples, seed, depth} = question;
    const {fen, chess960, published} = await this.position(question);
    const job = {id: this.#newId(), state: "queued", fen: question.start, moves: question.moves.join(" "), position: fen, chess960, depth, mode,
      divide: true, created: now(), attempts: 1, ...(mode === "estimate" ? {samples, seed} : {})};
    const before = [...this.#jobs.values()].find(other => other.state === "done" && other.position === fen && other.report &&
      keyOf({...question, start: fen, moves: []}) === keyOf({...other, start: other.position, moves: []}));
    if (before) {
      Object.assign(job, {...before, id: job.id, created: job.created, fen: job.fen, moves: job.moves});
      this.#jobs.set(job.id, job);
      this.#store();
      return job;
    }
    this.#begin(job, question, published);
    return job;
  }
  #begin(job, question, published) {
    this.#jobs.set(job.id, job);
    this.#work.set(job.id, {question, published, abort: new AbortController(), listeners: new Set()});
    this.#store();
    this.#next();
  }

  /** Starts waiting jobs while there is room. */
  #next() {
    const waiting = [...this.#work.keys()].map(id => this.#jobs.get(id));
    const running = waiting.filter(({state}) => state === "running").length;
    waiting.filter(({state}) => state === "queued").forEach((job, at) => {
      if (running + at < kAtOnce) this.#run(job);
      else this.#tell(job, {queue_position: running + at - kAtOnce + 1, waits_for: waiting[0].id});
    });
  }
  #tell(job, change) {
    Object.assign(job, change);
    for (const listener of this.#work.get(job.id)?.listeners ?? []) listener({...job});
  }
  async #run(job) {
    const work = this.#work.get(job.id), {signal} = work.abort;
    const progress = change => this.#tell(job, {progress: {...job.progress, ...change}});
    this.#tell(job, {state: "running", started: now(), progress: {phase: "starting", share: null, resumed: 0, resumed_units: 0, seconds: 0,
      leaves_per_second: 0, visited_per_second: 0, seconds_left: null}});
    delete job.queue_position;
    delete job.waits_for;
    let end;
    try {
      const answer = await this.#answer(job, work.published, signal,
        ({fraction, ...figures}) => progress({...figures, share: fraction ?? null}));
      end = {state: "done", ...answer};
    } catch (error) {
      end = signal.aborted ? {state: "cancelled"} : {state: "failed", error: {detail: error.message, field: error.field ?? undefined}};
    }
    delete job.progress;
    this.#tell(job, {...end, finished: now()});
    this.#work.delete(job.id);
    this.#store();
    this.#next();
  }

  /** Counts, and returns the members that only a finished job has. */
  async #answer(job, published, signal, onProgress) {
    const question = {...plain({start: job.fen, moves: job.moves ? job.moves.split(" ") : [], depth: job.depth})};
    const method = {count: "configurations", hashed: "hashed"}[job.mode];
    if (method && job.depth >= kShared && kWorkers > 1) {
      const shared = await this.#shared(job, {...question, method}, published, signal, onProgress);
      if (shared) return shared;
    }
    const asked = {do: "answer", ...question, mode: job.mode, divide: true, samples: job.samples, seed: job.seed, progressMilliseconds: interval};
    const shared = job.mode === "unique" && kWorkers > 1 ? await uniqueByShares(asked, kWorkers, {signal, onProgress}) : null;
    const {nodes, estimate, distinct, verdict, document, note} = shared ?? await ask(asked, {signal, onProgress});
    return {...(nodes != null ? {nodes} : {}), ...(estimate != null ? {estimate} : {}), ...(distinct != null ? {distinct} : {}), verdict,
      report: document, ...(note ? {note} : {})};
  }
  /** Counts with several workers, each with its own matrices or table. Resolves to null if there is not enough memory. */
  async #shared(job, {fen, moves, depth, method}, published, signal, onProgress) {
    const begun = performance.now();
    let counted;
    try {
      counted = await divide(fen, depth, {moves, method, workers: kWorkers, signal, onProgress,
        ...(method === "hashed" && depth >= kTable.from ? {hash: kTable.bytes} : {})});
    } catch (error) {
      if (error.code === "unavailable" && !signal.aborted) return null;
      throw refused(error);
    }
    const seconds = (performance.now() - begun) / 1000, nodes = String(counted.total);
    const known = published.find(value => value.depth === depth)?.nodes;
    const verdict = known == null ? "unknown" : known === nodes ? "match" : "mismatch";
    const rows = Object.entries(counted.moves).map(([move, paths]) => ({move, nodes: String(paths)}));
    return {nodes, verdict, ...(counted.note ? {note: counted.note} : {}), report: {fen: job.position, depth, nodes, known: verdict, seconds, setup_seconds: 0,
      leaves_per_second: seconds > 0 ? Number(nodes) / seconds : null, threads: counted.method ? kWorkers : 1, method, expected_false_matches: null, divide: rows}};
  }

  async watch(id, onJob, signal) {
    const work = this.#work.get(id);
    if (!work) return onJob({...await this.job(id)});
    await new Promise(resolve => {
      const end = () => {
        work.listeners.delete(listener);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const listener = job => {
        onJob(job);
        if (isFinal(job.state)) end();
      };
      work.listeners.add(listener);
      signal.addEventListener("abort", end);
      onJob({...this.#jobs.get(id)});
    });
  }
  async cancel(id) {
    const job = await this.job(id), work = this.#work.get(id);
    work?.abort.abort();
    if (job.state === "queued") {
      this.#tell(job, {state: "cancelled", finished: now()});
      this.#work.delete(id);
      this.#store();
      this.#next();
    }
    return job;
  }
  async remove(id) {
    this.#jobs.delete(id);
    this.#store();
  }
  async job(id) {
    const job = this.#jobs.get(id);
    if (!job) throw new Refused(`Job ${id} is not stored in this browser.`, {status: 404});
    return job;
  }
  async jobs(before = Infinity) {
    const all = [...this.#jobs.values()].filter(({id}) => id < before).sort((a, b) => b.id - a.id);
    return {jobs: all.slice(0, kPage).map(({report, ...job}) => ({...job})), next: all.length > kPage ? all[kPage - 1].id : null};
  }
  #store() {
    const all = [...this.#jobs.values()].sort((a, b) => a.id - b.id);
    write(localStorage, kStored, all.filter(({state}) => isFinal(state)).slice(-kKept));
    write(sessionStorage, kBegun, [...this.#work].map(([id, {question, published}]) => ({job: this.#jobs.get(id), question, published})));
  }

  async diff(question, pasted, {asFen = null, signal} = {}) {
    const job = await this.finish({...question, mode: "count"}, {signal});
    return ask({do: "diff", ...plain(question), pasted, ours: job.report.divide, right_as_fen: asFen}, {signal});
  }

  async campaigns() {
    return {shown: false, age_seconds: 0, away: false, campaigns: []};
  }
  async campaign(name) {
    throw new Refused(`No campaign has the name ${name}.`, {status: 404});
  }
  async text(id, format) {
    const {mode, report} = await this.job(id);
    if (format === "json") return new Blob([`${JSON.stringify(report)}\n`]);
    return new Blob([(await ask({do: "written", mode, format, document: report})).text]);
  }
  async limits() {
    return (await fetch("limits.json")).json();
  }
}
