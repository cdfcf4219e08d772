// Manyply: exact chess move path counts (perft). What each function takes and gives stands in index.d.ts.
import { isNode } from './where.js';
import { close, ManyplyError, withWorkers } from './workers.js';

export { close, ManyplyError };

const progressMilliseconds = 250;

// What is none of these is refused here: further on it would be taken for something else, or be told in words of its reader.
const refuse = (field, message) => {
  throw new ManyplyError({ code: 'invalid_input', field, column: 0, message: `${field}: ${message}` });
};
function text(field, value) {
  if (typeof value !== 'string') refuse(field, 'must be text');
  return value;
}
const asMoves = (moves) => text('moves', Array.isArray(moves) ? moves.join(' ') : moves ?? '');
const maxDepth = 64;
function plies(depth) {
  if (!Number.isInteger(depth) || depth < 0 || depth > maxDepth) refuse('depth', `must be a number from 0 to ${maxDepth}`);
  return depth;
}
function whole(field, value, least = 0) {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (!Number.isInteger(number) || number < least) refuse(field, `must be a whole number from ${least} on`);
  return number;
}

// One question as worker.js has it.
function questionOf(mode, fen, depth, options) {
  const { moves, chess960 = false, kernel, samples, seed, hash, keySeed, onProgress } = options;
  return { do: 'answer', mode, fen: text('fen', fen), moves: asMoves(moves), chess960, depth: plies(depth), kernel,
           samples: whole('samples', samples, 1), seed: whole('seed', seed), keySeed: whole('keySeed', keySeed),
           divide: false, hashBytes: whole('hash', hash),
           progressMilliseconds: onProgress === undefined ? 0 : progressMilliseconds };
}

// Counts stand in documents as text, since numbers of JavaScript lose what is beyond 2^53; and no other text is digits.
function withCounts(value) {
  if (Array.isArray(value)) return value.map(withCounts);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withCounts(one)]));
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
}

async function answerTo(mode, fen, depth, options) {
  const { signal, onProgress } = options;
  const question = questionOf(mode, fen, depth, options);
  return withWorkers(1, signal, ([worker]) => worker.ask(question, onProgress));
}

// By ranges, each worker with a table of its own. Nothing if the count is too small for that.
async function sumsByRanges(fen, depth, options) {
  const { workers, signal, onProgress } = options;
  const rangesEach = 8;  // with 4, one of two waits longer for the other: 1.42 times one worker where this is 1.48
  return withWorkers(workers, signal, async (counters) => {
    const begun = performance.now();
    const question = { ...questionOf('hashed', fen, depth, options), do: 'prepare', ranges: workers * rangesEach };
    const plans = await Promise.all(counters.map((worker) => worker.ask(question)));
    const { ranges, moves } = plans[0];
    const note = plans.find((plan) => plan.note !== undefined)?.note;
    if (ranges === 0) return null;
    const sums = Array(moves.length).fill(0n);
    let next = 0;
    let done = 0;
    await Promise.all(counters.map(async (worker) => {
      while (next < ranges) {
        const { sums: counted } = await worker.ask({ do: 'range', range: next++ });
        counted.forEach((sum, i) => { sums[i] += BigInt(sum); });
        ++done;
        onProgress?.({ event: 'progress', phase: 'counting', fraction: done / ranges,
                       seconds: (performance.now() - begun) / 1e3, units_done: done, units_total: ranges });
      }
    }));
    return { rows: moves.map((move, i) => ({ move, nodes: sums[i] })), note };
  });
}

const mode = ({ method = 'auto' }) =>
  ({ auto: 'count', hashed: 'hashed', unhashed: 'unhashed', configurations: 'configurations' })[method] ?? method;

async function rowsOf(fen, depth, options, wantsRows) {
  if ((whole('workers', options.workers, 1) ?? 1) > 1) {
    const counted = await sumsByRanges(fen, depth, options);
    if (counted !== null) return { ...counted, total: counted.rows.reduce((sum, { nodes }) => sum + nodes, 0n) };
  }
  const { signal, onProgress } = options;
  const question = { ...questionOf(mode(options), fen, depth, options), divide: wantsRows };
  const answer = await withWorkers(1, signal, ([worker]) => worker.ask(question, onProgress));
  const document = withCounts(answer.document);
  return { rows: document.divide, total: BigInt(answer.nodes), document, note: answer.note };
}

export async function perft(fen, depth, options = {}) {
  return (await rowsOf(fen, depth, options, false)).total;
}

export async function divide(fen, depth, options = {}) {
  const { rows, total, document, note } = await rowsOf(fen, depth, options, true);
  const moves = Object.fromEntries(rows.map(({ move, nodes }) => [move, nodes]));
  return { total, moves, ...(document && { document }), ...(note && { note }) };
}

const documentOf = (name) => async (fen, depth, options = {}) => {
  const { document, verdict, note } = await answerTo(name, fen, depth, options);
  return { ...withCounts(document), verdict, ...(note && { note }) };
};
export const stats = documentOf('stats');
export const unique = documentOf('unique');
export const estimate = documentOf('estimate');
export const verify = documentOf('verify');

async function position(fen, moves, { chess960 = false, signal } = {}) {
  const question = { do: 'position', fen: text('fen', fen), moves: asMoves(moves), chess960 };
  return withWorkers(1, signal, ([worker]) => worker.ask(question));
}

export async function legalMoves(fen, options = {}) {
  return (await position(fen, options.moves, options)).moves;
}

export async function play(fen, moves, options = {}) {
  const { fen: after, check, moves: left } = await position(fen, moves, options);
  return { fen: after, check, over: left.length > 0 ? null : check ? 'mate' : 'stalemate' };
}

// What takes the whole command, engines among it, is in a file of its own, which needs Node.
const byCommand = (name) => async (...given) => {
  if (!isNode)
    throw new ManyplyError({ code: 'unavailable', field: name, column: 0, message: `${name} starts programs, and needs Node` });
  const file = './by_command.js';
  const commands = await import(/* @vite-ignore */ /* webpackIgnore: true */ file);
  return commands[name](...given);
};
export const bisect = byCommand('bisect');

export async function suite(lines, options = {}) {
  const { maxNodes, onResult, signal } = options;
  const { rows, refused } = await withWorkers(1, signal, ([worker]) => worker.ask({ do: 'suite', text: text('text', lines) }));
  const results = [];
  let skipped = 0;
  for (const { line, fen, tags, counts } of rows) {
    for (const { depth, nodes } of counts) {
      const expected = BigInt(nodes);
      if (maxNodes !== undefined && expected > BigInt(maxNodes)) {
        ++skipped;
        continue;
      }
      const counted = await perft(fen, depth, { ...options, onProgress: undefined });
      const result = { line, fen, tags, depth, expected, counted, agrees: counted === expected };
      results.push(result);
      onResult?.(result);
    }
  }
  return { agrees: refused.length === 0 && results.every(({ agrees }) => agrees), results, skipped, refused };
}
