// The worker that counts, in browsers, Deno and Node. It answers one question at a time. It must not use top-level
// await, for two reasons: a bundler may turn this file into a classic script, and the listener must exist before the
// first question arrives.
import { isNode, nodes } from './where.js';
import { plainSystem, wasi } from './wasi.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const system = plainSystem();
let port = globalThis;  // startInNode() replaces it in Node
const tell = (message) => port.postMessage(message);

async function compiled(url) {
  if (isNode) return WebAssembly.compile(await (await nodes('fs/promises')).readFile(url));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  try {
    return await WebAssembly.compileStreaming(response.clone());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;  // the server may have sent a wrong content type
    return WebAssembly.compile(await response.arrayBuffer());
  }
}

async function library() {
  const program = wasi({ system });
  // Bundlers recognise exactly this expression.
  const module = await compiled(new URL('./manyply.wasm', import.meta.url));
  const host = {
    now: () => performance.now(),
    terminal_columns: () => 0,
    has_output: () => 1,
    asked_to_stop: () => 0,
    progress: (at, length) => tell({ progress: JSON.parse(program.textAt(at, length)), told: Date.now() }),
    lock: () => 1,
  };
  const { exports } = await WebAssembly.instantiate(module, program.importsOf(module, host));
  program.attach(exports.memory);
  exports._initialize();
  return (question) => {
    const text = encoder.encode(JSON.stringify(question));
    const at = exports.manyply_question(text.length);
    program.bytesAt(at, text.length).set(text);
    const length = exports.manyply_ask();
    return JSON.parse(decoder.decode(program.bytesAt(exports.manyply_answer(), length).slice()));
  };
}

let answers = null;
const answer = async (question) => {
  try {
    answers ??= library();
    tell({ answer: (await answers)(question) });
  } catch (error) {
    answers = null;
    tell({ answer: { error: { code: 'internal', field: '', column: 0, message: String(error?.message ?? error) } } });
  }
};

async function startInNode() {
  const [{ parentPort }, { webcrypto }] = await Promise.all([nodes('worker_threads'), nodes('crypto')]);
  system.random = (bytes) => webcrypto.getRandomValues(bytes);
  port = parentPort;
  port.on('message', answer);  // until now, messages wait in the port
}
if (isNode) {
  startInNode();
} else {
  globalThis.onmessage = ({ data }) => answer(data);
}
