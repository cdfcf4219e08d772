// The thread that runs the command.
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

import { Asker, room } from './channel.js';
import { files } from './files.js';
import { Exit, failed, wasi } from './wasi.js';

const { shared, args, env, columns, hasOutput } = workerData;
const main = new Asker(shared, (question) => parentPort.postMessage(question));
const eintr = -27;

const system = files((bytes) => {
  const count = main.ask({ do: 'input', most: Math.min(bytes.length, room) });
  if (count === eintr) throw failed('EINTR');
  if (count < 0) throw failed('EBADF');
  bytes.set(main.bytes.subarray(0, count));
  return count;
});
const program = wasi({ args, env, system });
const { bytesAt, textAt } = program;

const host = {
  now: () => performance.now(),
  terminal_columns: (fd) => columns[fd] ?? 0,
  has_output: () => (hasOutput ? 1 : 0),
  asked_to_stop: () => main.stop,
  input_there: () => main.ask({ do: 'look' }),
  rest: (milliseconds) => main.rest(milliseconds),
  open_suite: (at, length) => {
    try {
      return system.open(fileURLToPath(new URL(`./suites/${textAt(at, length)}.epd`, import.meta.url)), { read: true });
    } catch {
      return -1;
    }
  },
  lock: (fd) => (system.lock(fd) ? 1 : 0),
  start: (at, length, why, most) => {
    const number = main.ask({ do: 'start', words: textAt(at, length).split('\0').slice(0, -1) });
    if (number > 0) return number;
    const text = main.bytes.subarray(0, Math.min(-number, most));
    bytesAt(why, text.length).set(text);
    return 0;
  },
  wait: (number, milliseconds, forRoom, at, most) => {
    const answer = main.ask({ do: 'wait', number, milliseconds, forRoom: forRoom !== 0, room: Math.min(most, room) });
    const count = answer >> 2;
    if (count > 0) bytesAt(at, count).set(main.bytes.subarray(0, count));
    return answer;
  },
  write: (number, at, length) => main.ask({ do: 'write', number, bytes: bytesAt(at, length).slice() }),
  close_input: (number) => parentPort.postMessage({ do: 'close', number }),
  ended: (number) => main.ask({ do: 'ended', number }),
  kill: (number) => parentPort.postMessage({ do: 'kill', number }),
};

parentPort.once('message', async (module) => {
  let code = 0;
  try {
    const { exports } = await WebAssembly.instantiate(module, program.importsOf(module, host));
    program.attach(exports.memory);
    exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  } finally {
    system.closeAll();
  }
  parentPort.postMessage({ do: 'exit', code });
});
