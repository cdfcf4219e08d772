// The counting thread blocks, so it cannot handle events such as input. Instead, it asks the main thread: it posts a
// question and sleeps until the answer is in shared memory.
const stateAt = 0;
const resultAt = 1;
const stopAt = 2;
const header = 64;

/** The largest size of an answer, in bytes. */
export const room = 1 << 16;
export const channel = () => new SharedArrayBuffer(header + room);

export class Asker {
  constructor(shared, post) {
    this.words = new Int32Array(shared, 0, header / 4);
    this.bytes = new Uint8Array(shared, header);
    this.post = post;
  }
  /**
   * Posts `question` and sleeps until the main thread has answered. Returns the number in the answer. Further data of
   * the answer are in `bytes`.
   */
  ask(question) {
    Atomics.store(this.words, stateAt, 0);
    this.post(question);
    // The notification may belong to the previous answer, so check the state again.
    while (Atomics.load(this.words, stateAt) === 0) Atomics.wait(this.words, stateAt, 0);
    return this.words[resultAt];
  }
  get stop() {
    return Atomics.load(this.words, stopAt);
  }
  /** Sleeps for `milliseconds`, or until a stop is requested. */
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
