// The functions of WASI (preview 1) that our modules use. A `system` is an object that provides files and standard
// streams: plainSystem() or files() of files.js. Its functions throw errors with Node's codes.

const errors = {
  EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EDQUOT: 19, EEXIST: 20, EFBIG: 22, EINTR: 27, EINVAL: 28, EIO: 29,
  EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37, ENFILE: 41, ENODEV: 43, ENOENT: 44, ENOLCK: 46, ENOMEM: 48,
  ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, ENOTSUP: 58, ENXIO: 60, EOVERFLOW: 61, EPERM: 63, EPIPE: 64,
  EROFS: 69, ESPIPE: 70, ETXTBSY: 74, EXDEV: 75,
};
const numberOf = (error) => {
  if (!(error?.code in errors)) throw error;
  return errors[error.code];
};
export const failed = (code) => Object.assign(new Error(code), { code });

/** Thrown to end a program. */
export class Exit {
  constructor(code) {
    this.code = code;
  }
}

/** A system without files. Passes all bytes that the program writes to `write(fd, bytes)`. */
export const plainSystem = (write = () => {}) => ({
  write: (fd, bytes) => (write(fd, bytes.slice()), bytes.length),
  read: () => 0,
  kind: () => 'other',
  open: () => { throw failed('ENOENT'); },
  stat: () => { throw failed('ENOENT'); },
  random: (bytes) => globalThis.crypto.getRandomValues(bytes),
});

const folders = ['/'];  // prefixes of paths; these folders are open from the start, with descriptors from 3 on
const here = '.here/';  // marks relative paths, see core/base/wasm_files.cpp
const firstFolder = 3;
const types = { other: 0, device: 1, terminal: 2, folder: 3, file: 4, pipe: 6 };

/** Returns functions for `WebAssembly.instantiate`. Call `attach` with the memory once it exists. */
export function wasi({ args = ['perft'], env = {}, system = plainSystem() }) {
  let memory;
  const view = () => new DataView(memory.buffer);
  const bytesAt = (at, length) => new Uint8Array(memory.buffer, at, length);
  const textAt = (at, length) => new TextDecoder().decode(bytesAt(at, length).slice());
  const encoder = new TextEncoder();
  const words = { args: args.map((word) => encoder.encode(`${word}\0`)),
                  env: Object.entries(env).map(([name, value]) => encoder.encode(`${name}=${value}\0`)) };

  const sizes = (list) => (count, length) => {
    view().setUint32(count, list.length, true);
    view().setUint32(length, list.reduce((sum, word) => sum + word.length, 0), true);
    return 0;
  };
  const get = (list) => (pointers, at) => {
    for (const word of list) {
      view().setUint32(pointers, at, true);
      bytesAt(at, word.length).set(word);
      pointers += 4;
      at += word.length;
    }
    return 0;
  };
  // Calls `move` with each buffer of the list until one of them is not used completely. Returns the sum of the results.
  const pieces = (list, count, move) => {
    let done = 0;
    for (let i = 0; i < count; ++i, list += 8) {
      const length = view().getUint32(list + 4, true);
      if (length === 0) continue;
      const moved = move(bytesAt(view().getUint32(list, true), length), done);
      done += moved;
      if (moved < length) break;
    }
    return done;
  };
  const moving = (moves) => (...given) => {
    const answer = given.at(-1);
    view().setUint32(answer, moves(...given), true);
    return 0;
  };
  const path = (folder, at, length) => {
    const text = textAt(at, length);
    return text.startsWith(here) ? text.slice(here.length) : `/${text}`;
  };
  const writeStat = (at, { kind, size = 0 }) => {
    bytesAt(at, 64).fill(0);
    view().setUint8(at + 16, types[kind] ?? 0);
    view().setBigUint64(at + 24, 1n, true);
    view().setBigUint64(at + 32, BigInt(size), true);
    return 0;
  };

  const functions = {
    args_sizes_get: sizes(words.args),
    args_get: get(words.args),
    environ_sizes_get: sizes(words.env),
    environ_get: get(words.env),
    clock_res_get: (clock, at) => (view().setBigUint64(at, 1000n, true), 0),
    clock_time_get: (clock, precision, at) => {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    random_get: (at, length) => {
      for (let done = 0; done < length; done += 65536)
        system.random(bytesAt(at + done, Math.min(65536, length - done)));
      return 0;
    },
    sched_yield: () => 0,
    proc_exit: (code) => { throw new Exit(code); },

    fd_read: moving((fd, list, count) => pieces(list, count, (bytes) => system.read(fd, bytes, null))),
    fd_write: moving((fd, list, count) => pieces(list, count, (bytes) => system.write(fd, bytes, null))),
    fd_pread: moving((fd, list, count, at) =>
      pieces(list, count, (bytes, done) => system.read(fd, bytes, Number(at) + done))),
    fd_pwrite: moving((fd, list, count, at) =>
      pieces(list, count, (bytes, done) => system.write(fd, bytes, Number(at) + done))),
    fd_close: (fd) => (system.close(fd), 0),
    fd_datasync: (fd) => (system.sync(fd), 0),
    fd_sync: (fd) => (system.sync(fd), 0),
    fd_seek: () => errors.ESPIPE,
    fd_fdstat_get: (fd, at) => {
      bytesAt(at, 24).fill(0);
      view().setUint8(at, types[fd - firstFolder in folders ? 'folder' : system.kind(fd)] ?? 0);
      bytesAt(at + 8, 16).fill(0xff);  // all rights
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: (fd, at) => writeStat(at, system.statOf(fd)),
    fd_filestat_set_size: (fd, size) => (system.cut(fd, Number(size)), 0),
    fd_prestat_get: (fd, at) => {
      if (!(fd - firstFolder in folders)) return errors.EBADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, folders[fd - firstFolder].length, true);
      return 0;
    },
    fd_prestat_dir_name: (fd, at, length) =>
      (bytesAt(at, length).set(encoder.encode(folders[fd - firstFolder]).subarray(0, length)), 0),
    path_open: (folder, links, at, length, how, rights, inheriting, flags, answer) => {
      const kWrite = 1n << 6n;
      const wanted = { create: (how & 1) !== 0, exclusive: (how & 4) !== 0, truncate: (how & 8) !== 0,
                       write: (rights & kWrite) !== 0n, read: (rights & 2n) !== 0n };
      view().setUint32(answer, system.open(path(folder, at, length), wanted), true);
      return 0;
    },
    path_filestat_get: (folder, links, at, length, answer) =>
      writeStat(answer, system.stat(path(folder, at, length))),
    path_rename: (from, at, length, to, toAt, toLength) =>
      (system.rename(path(from, at, length), path(to, toAt, toLength)), 0),
    path_unlink_file: (folder, at, length) => (system.remove(path(folder, at, length)), 0),
  };
  const guarded = {};
  for (const [name, body] of Object.entries(functions)) {
    guarded[name] = (...given) => {
      try {
        return body(...given);
      } catch (error) {
        return numberOf(error);
      }
    };
  }
  guarded.proc_exit = functions.proc_exit;
  return {
    functions: guarded,
    /** Returns the imports of `module`. Functions of WASI that are not implemented return ENOSYS. */
    importsOf(module, host) {
      const all = { wasi_snapshot_preview1: guarded, manyply: host };
      for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        if (!(from in all)) throw new Error(`the module wants ${from}.${name}`);
        if (name in all[from]) continue;
        if (from !== 'wasi_snapshot_preview1') throw new Error(`the module wants ${from}.${name}`);
        all[from][name] = () => errors.ENOSYS;
      }
      return all;
    },
    attach(its) {
      memory = its;
    },
    bytesAt,
    textAt,
  };
}
