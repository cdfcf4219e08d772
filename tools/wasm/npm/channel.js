// How the thread that counts, which can wait and nothing else, has the main thread do what takes events: it posts a
// question, and sleeps until the answer lies in memory that both see.
const stateAt = 0;
const resultAt = 1;
const stopAt = 2;
const header = 64;

/** Bytes that an answer may have. */
export const room = 1 << 16;
export const channel = () => new SharedArrayBuffer(header + room);

export class Asker {
  constructor(shared, post) {
    this.words = new Int32Array(shared, 0, header / 4);
    this.bytes = new Uint8Array(shared, header);
    this.post = post;
  }
  /** The number that the main thread answers; what else it says lies in `bytes`. */
  ask(question) {
    Atomics.store(this.words, stateAt, 0);
    this.post(question);
    // The last answer may have been there before it was slept for, and its call comes now.
    while (Atomics.load(this.words, stateAt) === 0) Atomics.wait(this.words, stateAt, 0);
    return this.words[resultAt];
  }
  get stop() {
    return Atomics.load(this.words, stopAt);
  }
  /** Sleeps so long, or until a stop is asked for. */
  rest(milliseconds) {
    Atomics.wait(this.words, stopAt, 0, milliseconds);
  }
}

export class Answerer {
  constructor(shared) {
    this.words = new Int32Array(shared, 0, header / 4);
    this.bytes = new Uint8Array(shared, header);
  }
  answer(result, bytes = new Uint8Array()) {
    this.bytes.set(bytes);
    this.words[resultAt] = result;
    Atomics.store(this.words, stateAt, 1);
    Atomics.notify(this.words, stateAt);
  }
  get stop() {
    return Atomics.load(this.words, stopAt);
  }
  requestStop() {
    Atomics.store(this.words, stopAt, 1);
    Atomics.notify(this.words, stopAt);
  }
}
