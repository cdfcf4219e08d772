// Starts other programs on the main thread. Functions that wait for an event return promises.
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';

const mostUnread = 1 << 20;  // if there are more unread bytes, reading the program's output pauses
const mostUnwritten = 1 << 16;  // if this many bytes are unwritten, the program's input counts as full
const windows = process.platform === 'win32';

class Engine {
  unread = { out: [], err: [] };
  bytes = 0;
  ended = { out: false, err: false };
  exitCode = -1;
  broken = false;
  onEvent = () => {};

  constructor(child) {
    this.child = child;
    child.stdin.on('error', () => {
      this.broken = true;
      this.onEvent();
    });
    child.stdin.on('drain', () => this.onEvent());
    for (const [name, stream] of [['out', child.stdout], ['err', child.stderr]]) {
      stream.on('data', (chunk) => {
        this.unread[name].push(chunk);
        this.bytes += chunk.length;
        if (this.bytes > mostUnread) stream.pause();
        this.onEvent();
      });
      const end = () => {
        this.ended[name] = true;
        this.onEvent();
      };
      stream.on('end', end);
      stream.on('error', end);
    }
    this.gone = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        this.exitCode = signal === null ? code : 128 + (constants.signals[signal] ?? 0);
        resolve();
      });
    });
  }

  /** Returns the next event as [kind, bytes]; null if no event is waiting. tools/engine/wasm_child_process.cpp lists the kinds. */
  next(room, forRoom, told) {
    for (const [kind, name] of [[1, 'out'], [2, 'err']]) {
      const chunk = this.unread[name].shift();
      if (chunk !== undefined) {
        if (chunk.length > room) this.unread[name].unshift(chunk.subarray(room));
        const bytes = chunk.subarray(0, room);
        this.bytes -= bytes.length;
        if (this.bytes <= mostUnread) for (const stream of [this.child.stdout, this.child.stderr]) stream.resume();
        return [kind, bytes];
      }
      if (this.ended[name] && !told[name]) {
        told[name] = true;
        return [kind, new Uint8Array()];
      }
    }
    if (forRoom && (this.broken || this.child.stdin.writableLength < mostUnwritten)) return [3, new Uint8Array()];
    return null;
  }

  /** Kills the program and all processes that it has started. Resolves when the program has ended. */
  kill() {
    if (windows) {
      if (this.exitCode < 0) spawnSync('taskkill', ['/PID', String(this.child.pid), '/T', '/F'], { stdio: 'ignore' });
    } else {
      try {
        process.kill(-this.child.pid, 'SIGKILL');
      } catch {
        // The program and all processes that it started have ended.
      }
    }
    this.child.stdin.destroy();
    return this.gone;
  }
}

export class Engines {
  all = new Map();
  next = 1;

  /** Starts a program. Resolves to its number, or to the reason why it could not be started. */
  async start([command, ...words]) {
    // Debian installs chess engines in folders that are not in every user's PATH.
    const script = `PATH="$PATH:/usr/games:/usr/local/games"\n${command}${words.length > 0 ? ' "$@"' : ''}`;
    const child = windows
      ? spawn([command, ...words.map((word) => `"${word}"`)].join(' '), { shell: true, windowsHide: true })
      : spawn('/bin/sh', ['-c', script, 'sh', ...words], { detached: true });
    try {
      await new Promise((resolve, reject) => {
        child.once('spawn', resolve);
        child.once('error', reject);
      });
    } catch (error) {
      return { why: error.message };
    }
    this.all.set(this.next, { engine: new Engine(child), told: { out: false, err: false } });
    return { number: this.next++ };
  }

  /** Resolves to the next event of a program as [kind, bytes]. `kind` is 0 after `milliseconds` or after interrupted(). */
  waitFor(number, milliseconds, forRoom, room) {
    const { engine, told } = this.all.get(number);
    return new Promise((resolve) => {
      const look = () => {
        const found = engine.next(room, forRoom, told);
        if (found === null) return false;
        done(found);
        return true;
      };
      const done = (found) => {
        clearTimeout(timer);
        engine.onEvent = () => {};
        this.interrupted = () => {};
        resolve(found);
      };
      const timer = setTimeout(() => look() || done([0, new Uint8Array()]), milliseconds);
      engine.onEvent = look;
      this.interrupted = () => done([0, new Uint8Array()]);
      look();
    });
  }
  interrupted = () => {};

  write(number, bytes) {
    const engine = this.all.get(number)?.engine;
    if (engine === undefined || engine.broken || engine.child.stdin.destroyed) return -1;
    if (engine.child.stdin.writableLength >= mostUnwritten) return 0;
    engine.child.stdin.write(bytes);
    return bytes.length;
  }
  closeInput(number) {
    this.all.get(number)?.engine.child.stdin.end();
  }
  exitCode(number) {
    return this.all.get(number)?.engine.exitCode ?? -1;
  }
  going = new Set();
  kill(number) {
    const engine = this.all.get(number)?.engine;
    if (engine === undefined) return;
    this.all.delete(number);
    const gone = engine.kill();
    this.going.add(gone);
    gone.then(() => this.going.delete(gone));
  }
  /** Kills all programs. Resolves when all have ended. */
  killAll() {
    for (const number of [...this.all.keys()]) this.kill(number);
    return Promise.all(this.going);
  }
}
