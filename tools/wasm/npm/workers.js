// Workers that count, and what they are asked.
import { isNode, nodes } from './where.js';

/** What was asked makes no sense, or cannot be had. */
export class ManyplyError extends Error {
  constructor({ code, field, column, message }) {
    super(message);
    this.name = 'ManyplyError';
    this.code = code;
    this.field = field;
    this.column = column;
  }
}

async function newWorker() {
  if (!isNode) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    return {
      post: (message) => worker.postMessage(message),
      end: () => worker.terminate(),
      listen: (heard, failed) => {
        worker.onmessage = ({ data }) => heard(data);
        worker.onerror = (event) => failed(new Error(event.message ?? 'the worker cannot be started'));
      },
      busy: () => {},
    };
  }
  const { Worker: Thread } = await nodes('worker_threads');
  const file = './worker.js';  // in a variable: vite would pack a second copy of it
  // Node's own options, such as --eval of the program, are not for the worker.
  const thread = new Thread(new URL(/* webpackIgnore: true */ file, import.meta.url), { execArgv: [] });
  return {
    post: (message) => thread.postMessage(message),
    end: () => thread.terminate(),
    listen: (heard, failed) => {
      thread.on('message', heard);
      thread.on('error', failed);
      thread.on('exit', () => failed(new Error('the worker has ended')));
    },
    // Nobody's program waits for a worker that has nothing to do.
    busy: (is) => (is ? thread.ref() : thread.unref()),
  };
}

/** One worker: it is asked one thing at a time. */
class Counter {
  static async make() {
    const counter = new Counter();
    counter.worker = await newWorker();
    counter.worker.listen((message) => counter.heard(message), (error) => counter.failed(error));
    return counter;
  }
  pending = null;
  dead = null;

  ask(question, onProgress) {
    return new Promise((resolve, reject) => {
      if (this.dead !== null) return reject(this.dead);
      this.pending = { resolve, reject, onProgress };
      this.worker.busy(true);
      this.worker.post(question);
    });
  }
  heard({ progress, answer }) {
    if (progress !== undefined) {
      try {
        this.pending?.onProgress?.(progress);
      } catch (error) {
        this.end(error);
      }
    }
    if (answer === undefined || this.pending === null) return;
    const { resolve, reject } = this.pending;
    this.pending = null;
    this.worker.busy(false);
    answer.error === undefined ? resolve(answer) : reject(new ManyplyError(answer.error));
  }
  failed(error) {
    this.dead ??= error;
    this.pending?.reject(this.dead);
    this.pending = null;
  }
  end(reason) {
    this.dead = reason;
    this.worker.end();
    this.pending?.reject(reason);
    this.pending = null;
  }
}

const idle = [];
const mostIdle = 8;

/** Calls `use` with `count` workers, which are ended if `signal` is aborted meanwhile, or if anything goes wrong. */
export async function withWorkers(count, signal, use) {
  signal?.throwIfAborted();
  const counters = await Promise.all(
    Array.from({ length: count }, () => idle.pop() ?? Counter.make()));
  const abort = () => counters.forEach((counter) => counter.end(signal.reason));
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  let whole = false;
  try {
    const result = await use(counters);
    whole = true;
    return result;
  } catch (error) {
    whole = error instanceof ManyplyError && error.code !== 'internal' && count === 1;
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    for (const counter of counters) {
      if (whole && counter.dead === null && idle.length < mostIdle) {
        idle.push(counter);
      } else {
        counter.end(new Error('ended'));
      }
    }
  }
}

/** Ends workers that are kept for the next question, and gives their memory back. */
export function close() {
  for (const counter of idle.splice(0)) counter.end(new Error('closed'));
}
