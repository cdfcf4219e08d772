// The command in Node. It counts in a separate thread. Meanwhile the main thread handles signals, standard input and
// engines.
import * as fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isatty, WriteStream } from 'node:tty';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { brotliDecompress } from 'node:zlib';

import { Answerer, channel } from './channel.js';
import { Engines } from './engines.js';

const interrupted = 130;

/** Standard input. Reads only on request. */
class Input {
  chunks = [];
  ended = false;
  failed = false;
  waiting = null;
  begun = false;

  begin() {
    this.begun = true;
    const { stdin } = process;
    stdin.on('data', (chunk) => {
      this.chunks.push(chunk);
      stdin.pause();
      this.waiting?.();
    });
    stdin.on('end', () => {
      this.ended = true;
      this.waiting?.();
    });
    stdin.on('error', () => {
      this.failed = this.ended = true;
      this.waiting?.();
    });
  }
  /** Returns whether there are unread bytes. If reading has not begun, begins it, so that bytes may arrive soon. */
  look() {
    if (!this.begun) this.begin();
    if (this.chunks.length === 0) process.stdin.resume();
    return this.chunks.length > 0;
  }
  /**
   * Calls `tell` with at most `most` bytes when bytes have arrived. Calls it with no bytes at the end of the input, and
   * with null after an error.
   */
  next(most, tell) {
    if (!this.begun) this.begin();
    const look = () => {
      if (this.chunks.length === 0 && !this.ended) return;
      this.waiting = null;
      const chunk = this.chunks.shift() ?? Buffer.alloc(0);
      if (chunk.length > most) this.chunks.unshift(chunk.subarray(most));
      tell(this.failed ? null : chunk.subarray(0, most));
    };
    this.waiting = look;
    process.stdin.resume();
    look();
  }
}

const columnsOf = (fd) => {
  if (!isatty(fd)) return 0;
  const [columns] = new WriteStream(fd).getWindowSize();
  return columns > 1 ? columns : 80;
};

const isOpen = (fd) => {
  try {
    fs.fstatSync(fd);
    return true;
  } catch {
    return false;
  }
};

// The words that start the command. The command prints them when it suggests commands.
const calledAs = () => (process.env.npm_command === 'exec' ? 'npx manyply' : 'manyply');

/** Runs `perft` with the arguments `args`, and then ends the process. */
export function run(args) {
  setFlagsFromString('--wasm-lazy-compilation');  // one run needs only a small part of the command
  const shared = channel();
  const worker = new Worker(new URL('./command_worker.js', import.meta.url), {
    workerData: { shared, args: [calledAs(), ...args], env: { ...process.env }, columns: [0, columnsOf(1), columnsOf(2)],
                  hasOutput: isOpen(1) } });
  const main = new Answerer(shared);
  const engines = new Engines();
  const input = new Input();
  let readsInput = false;

  const stop = () => {
    main.requestStop();
    engines.interrupted();
    if (readsInput) {
      readsInput = false;
      main.answer(-27);
    }
  };
  process.on('SIGINT', () => {
    if (main.stop !== 0) {
      engines.killAll();
      process.exit(interrupted);
    }
    stop();
  });
  // If engines run, stop them first: they are in separate process groups and would survive this process.
  process.on('SIGTERM', () => {
    if (engines.all.size > 0) return stop();
    process.removeAllListeners('SIGTERM');
    process.kill(process.pid, 'SIGTERM');
  });
  process.once('SIGHUP', () => {
    engines.killAll();
    process.kill(process.pid, 'SIGHUP');
  });

  const doing = {
    input: ({ most }) => {
      if (main.stop !== 0) return main.answer(-27);
      readsInput = true;
      input.next(most, (bytes) => {
        if (!readsInput) return;
        readsInput = false;
        bytes === null ? main.answer(-1) : main.answer(bytes.length, bytes);
      });
    },
    look: () => main.answer(input.look() ? 1 : 0),
    start: async ({ words }) => {
      const { number, why } = await engines.start(words);
      const text = new TextEncoder().encode(why ?? '');
      main.answer(number ?? -text.length, text);
    },
    wait: async ({ number, milliseconds, forRoom, room }) => {
      if (main.stop !== 0) milliseconds = 0;
      const [kind, bytes] = await engines.waitFor(number, milliseconds, forRoom, room);
      main.answer(bytes.length * 4 + kind, bytes);
    },
    write: ({ number, bytes }) => main.answer(engines.write(number, bytes)),
    ended: ({ number }) => main.answer(engines.exitCode(number)),
    close: ({ number }) => engines.closeInput(number),
    kill: ({ number }) => engines.kill(number),
    exit: async ({ code }) => {
      await engines.killAll();
      process.exit(code);
    },
  };
  worker.on('message', (message) => doing[message.do](message));
  worker.on('error', (error) => {
    engines.killAll();
    console.error(`perft: internal error: ${error.stack ?? error}`);
    process.exit(2);
  });
  // The module is compressed with Brotli, because npm's gzip would make it a third larger.
  readFile(new URL('./perft.wasm.br', import.meta.url))
    .then((packed) => promisify(brotliDecompress)(packed))
    .then((bytes) => WebAssembly.compile(bytes))
    .then((module) => worker.postMessage(module));
}
