// Starts workers that count, and sends them questions.
import { isNode, nodes } from './where.js';

/** The input is invalid, or the request cannot be met. */
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
  const file = './worker.js';  // in a variable; otherwise vite would bundle a second copy
  // The worker must not inherit Node's own options, such as the program's --eval.
  const thread = new Thread(new URL(/* webpackIgnore: true */ file, import.meta.url), { execArgv: [] });
  return {
    post: (message) => thread.postMessage(message),
    end: () => thread.terminate(),
    listen: (heard, failed) => {
      thread.on('message', heard);
      thread.on('error', failed);
      thread.on('exit', () => failed(new Error('the worker has ended')));
    },
    // An idle worker must not keep the program running.
    busy: (is) => (is ? thread.ref() : thread.unref()),
  };
}

/** One worker. Send it one question at a time. */
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
  heard({ progress, told, answer }) {
    if (progress !== undefined) {
      try {
        this.pending?.onProgress?.(progress, told);
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

/**
 * Calls `use` with `count` workers and returns the result of `use`. Keeps up to `mostIdle` workers for later calls.
 * Ends the workers if `signal` is aborted or `use` fails. But keeps a single worker that has only refused the question.
 */
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

/** Ends idle workers, which are kept for the next question, and frees their memory. */
export function close() {
  for (const counter of idle.splice(0)) counter.end(new Error('closed'));
}
