// Files and standard streams of Node, as a `system` for wasi.js. All functions block.
import { webcrypto } from 'node:crypto';
import * as fs from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';

import { failed } from './wasi.js';

const firstFile = 5;  // after the standard streams and the descriptors of wasi.js
const clock = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread. */
export const rest = (milliseconds) => Atomics.wait(clock, 0, 0, milliseconds);

/** Returns a `system`. `input(bytes)` must read standard input into `bytes` and return the number of bytes read. */
export function files(input) {
  const open = new Map();  // by the module's descriptor: { fd, path, lock }
  let next = firstFile;
  const fdOf = (fd) => {
    if (fd < 3) return fd;
    if (!open.has(fd)) throw failed('EBADF');
    return open.get(fd).fd;
  };
  const remember = (fd, what) => {
    open.set(next, { fd, ...what });
    return next++;
  };
  const kindOf = (stat) => stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isFIFO() ? 'pipe'
    : stat.isCharacterDevice() ? 'device' : 'other';
  // Writing to a full pipe in non-blocking mode fails with EAGAIN, so try again.
  const waiting = (write) => {
    for (;;) {
      try {
        return write();
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        rest(1);
      }
    }
  };
  const close = (fd) => {
    const file = open.get(fd);
    if (file === undefined) throw failed('EBADF');
    open.delete(fd);
    fs.closeSync(file.fd);
    if (file.lock !== undefined) fs.rmSync(file.lock, { force: true });
  };

  return {
    random: (bytes) => webcrypto.getRandomValues(bytes),
    read: (fd, bytes, at) => fd === 0 ? input(bytes) : fs.readSync(fdOf(fd), bytes, 0, bytes.length, at),
    write: (fd, bytes, at) => waiting(() => fs.writeSync(fdOf(fd), bytes, 0, bytes.length, at)),
    kind: (fd) => isatty(fdOf(fd)) ? 'terminal' : kindOf(fs.fstatSync(fdOf(fd))),
    statOf: (fd) => {
      const stat = fs.fstatSync(fdOf(fd));
      return { kind: kindOf(stat), size: stat.size };
    },
    stat: (path) => {
      const stat = fs.statSync(path);
      return { kind: kindOf(stat), size: stat.size };
    },
    cut: (fd, size) => fs.ftruncateSync(fdOf(fd), size),
    sync: (fd) => fs.fdatasyncSync(fdOf(fd)),
    close,
    open: (path, { create, exclusive, truncate, write, read }) => {
      const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants;
      const flags = (write ? (read ? O_RDWR : O_WRONLY) : O_RDONLY) | (create ? O_CREAT : 0) |
        (exclusive ? O_EXCL : 0) | (truncate ? O_TRUNC : 0);
      return remember(fs.openSync(path, flags, 0o666), { path: resolve(path) });
    },
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.unlinkSync(path),

    /**
     * Locks a file until it is closed. Node cannot lock files, so the lock is a second file, PATH.lock, with our
     * process id. Returns false if a running process holds the lock.
     */
    lock: (fd) => {
      const file = open.get(fd);
      const lock = `${file.path}.lock`;
      for (let tries = 0; tries < 2; ++tries) {
        try {
          fs.writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
          file.lock = lock;
          return true;
        } catch (error) {
          if (error.code !== 'EEXIST') return true;  // no lock file can be made here, so use the file without a lock
          if (lives(ownerOf(lock))) return false;
          fs.rmSync(lock, { force: true });
        }
      }
      return false;
    },
    closeAll: () => {
      for (const fd of [...open.keys()]) close(fd);
    },
  };
}

const ownerOf = (lock) => {
  try {
    return Number.parseInt(fs.readFileSync(lock, 'utf8'), 10);
  } catch {
    return Number.NaN;  // another process has just removed the lock
  }
};

const lives = (pid) => {
  if (!Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};
