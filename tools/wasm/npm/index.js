// Manyply: exact chess move path counts (perft). index.d.ts documents the functions.
import { isNode } from './where.js';
import { close, ManyplyError, withWorkers } from './workers.js';

export { close, ManyplyError };

const progressMilliseconds = 250;

// Values of a wrong type are rejected here, since later code would convert them silently.
const refuse = (field, message) => {
  throw new ManyplyError({ code: 'invalid_input', field, column: 0, message: `${field}: ${message}` });
};
function text(field, value) {
  if (typeof value !== 'string' || /\p{Surrogate}/u.test(value)) refuse(field, 'must be text');
  return value;
}
function flag(field, value = false) {
  if (typeof value !== 'boolean') refuse(field, 'must be true or false');
  return value;
}

const ofPositions = ['moves', 'chess960', 'signal'];
const ofCounts = [...ofPositions, 'hash', 'keySeed', 'kernel', 'onProgress'];
const ofPerft = [...ofCounts, 'method', 'workers'];
const ofEstimates = [...ofCounts, 'samples', 'seed'];
const ofPlay = ['chess960', 'signal'];
const ofSuites = [...ofPerft.filter((name) => name !== 'moves' && name !== 'onProgress'), 'maxNodes', 'onResult'];
const ofBisect = [...ofPositions, 'engine', 'fen', 'suite', 'maxNodes', 'causes', 'dialect', 'timeout', 'onProgress'];

// Returns `given`. Rejects unknown options, since a misspelt option would have no effect.
function optionsOf(given, known) {
  if (given === null || typeof given !== 'object') refuse('options', 'must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !known.includes(name)) refuse(name, `is no option here; the options are ${known.join(', ')}`);
  }
  return given;
}

const asMoves = (moves) => text('moves', Array.isArray(moves) ? moves.join(' ') : moves ?? '');
const maxDepth = 64;
function plies(depth) {
  if (!Number.isInteger(depth) || depth < 0 || depth > maxDepth) refuse('depth', `must be a whole number from 0 to ${maxDepth}`);
  return depth;
}
// A whole number below 2^53: larger ones are not exact in JavaScript.
function whole(field, value, least = 0, most = Number.MAX_SAFE_INTEGER) {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (!Number.isSafeInteger(number) || number < least || number > most)
    refuse(field, `must be a whole number from ${least} to ${most}`);
  return number;
}
function watched({ signal }) {
  if (signal !== undefined && signal !== null && typeof signal.throwIfAborted !== 'function') refuse('signal', 'must be an AbortSignal');
  return signal;
}

// Makes a question for worker.js.
function questionOf(mode, fen, depth, options) {
  const { moves, chess960, kernel, samples, seed, hash, keySeed, onProgress } = options;
  return { do: 'answer', mode, fen: text('fen', fen), moves: asMoves(moves), chess960: flag('chess960', chess960),
           depth: plies(depth), kernel: kernel === undefined || kernel === null ? undefined : text('kernel', kernel),
           samples: whole('samples', samples, 1), seed: whole('seed', seed), keySeed: whole('keySeed', keySeed),
           divide: false, hashBytes: whole('hash', hash),
           progressMilliseconds: onProgress === undefined ? 0 : progressMilliseconds };
}

// Converts counts, which documents contain as text since numbers above 2^53 are not exact. No other text consists of
// digits only.
function withCounts(value) {
  if (Array.isArray(value)) return value.map(withCounts);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withCounts(one)]));
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
}

async function answerTo(mode, fen, depth, options) {
  const { onProgress } = options;
  const question = questionOf(mode, fen, depth, options);
  return withWorkers(1, watched(options), ([worker]) => worker.ask(question, onProgress));
}

// Counts in ranges, with a table in each worker. Returns null if the count is too small for that.
async function sumsByRanges(fen, depth, workers, options) {
  const { onProgress } = options;
  // Two workers are 1.48 times as fast as one; with 4 ranges each 1.42 times, since one waits longer for the other.
  const rangesEach = 8;
  const speedUp = 0.3;  // of later ranges, measured at perft(8); see kHashedSpeedUp in parallel/progress.h
  return withWorkers(workers, watched(options), async (counters) => {
    const begun = performance.now();
    const seconds = () => (performance.now() - begun) / 1e3;
    onProgress?.({ event: 'progress', phase: 'splitting', fraction: null, seconds: 0, units_done: 0, units_total: 0, seconds_left: null });
    const question = { ...questionOf('hashed', fen, depth, options), do: 'prepare', ranges: workers * rangesEach };
    const plans = await Promise.all(counters.map((worker) => worker.ask(question)));
    const { ranges, moves } = plans[0];
    const note = plans.find((plan) => plan.note !== undefined)?.note;
    if (ranges === 0) return null;
    const sums = Array(moves.length).fill(0n);
    let next = 0;
    let done = 0;
    const secondsBefore = seconds();
    const show = () => {
      const units = Math.min(done + (workers - 1) / 2, ranges);  // the other workers are somewhere in a range
      const share = units / ranges;
      const fraction = share + speedUp * share * (1 - share);
      onProgress?.({ event: 'progress', phase: 'counting', fraction, seconds: seconds(), units_done: done, units_total: ranges,
                     seconds_left: fraction < 0.2 ? null : (seconds() - secondsBefore) * (1 - fraction) / fraction });
    };
    await Promise.all(counters.map(async (worker) => {
      while (next < ranges) {
        const { sums: counted } = await worker.ask({ do: 'range', range: next++ });
        counted.forEach((sum, i) => { sums[i] += BigInt(sum); });
        ++done;
        show();
      }
    }));
    return { rows: moves.map((move, i) => ({ move, nodes: sums[i] })), note, method: 'hashed' };
  });
}

// Returns a function that receives the progress of worker `share` and passes on that of all `workers`.
function sharedProgress(workers, onProgress) {
  const reports = Array(workers).fill(null);
  return (share) => (progress) => {
    // A busy main thread receives reports late, so the earliest begin that a worker's reports imply is nearest to the true one.
    const begun = Math.min(performance.now() - progress.seconds * 1e3, reports[share]?.begun ?? Infinity);
    reports[share] = { ...progress, begun, fraction: progress.fraction ?? reports[share]?.fraction ?? null };
    const known = reports.filter((one) => one !== null);
    const sum = (name) => known.reduce((total, one) => total + (one[name] ?? 0), 0);
    // The count ends with its slowest worker.
    const ends = known.filter(({ seconds_left }) => typeof seconds_left === 'number')
      .map(({ begun, seconds, seconds_left }) => begun + (seconds + seconds_left) * 1e3);
    onProgress({ ...progress, phase: known.some(({ phase }) => phase === 'counting') ? 'counting' : progress.phase,
                 fraction: known.some(({ fraction }) => fraction !== null) ? sum('fraction') / workers : null,
                 units_done: sum('units_done'), units_total: sum('units_total'),
                 leaves_per_second: sum('leaves_per_second'), visited_per_second: sum('visited_per_second'),
                 seconds_left: ends.length > 0 ? Math.max(0, Math.max(...ends) - performance.now()) / 1e3 : null });
  };
}

// Counts in shares by configurations, one in each worker. Returns null if the count is too small for that, or if its
// matrices do not fit into memory.
async function sumsByShares(fen, depth, workers, options, wantsRows) {
  const show = options.onProgress === undefined ? () => undefined : sharedProgress(workers, options.onProgress);
  try {
    return await withWorkers(workers, watched(options), async (counters) => {
      const question = { ...questionOf('configurations', fen, depth, options), do: 'share', shares: workers, divide: wantsRows };
      const sums = await Promise.all(counters.map((worker, share) => worker.ask({ ...question, share }, show(share))));
      if (sums[0].shares === 0) return null;
      const add = (counts) => counts.reduce((total, nodes) => total + BigInt(nodes), 0n);
      return { rows: sums[0].divide.map(({ move }, i) => ({ move, nodes: add(sums.map(({ divide }) => divide[i].nodes)) })),
               total: add(sums.map(({ nodes }) => nodes)), method: 'configurations' };
    });
  } catch (error) {
    if (error instanceof ManyplyError && error.code === 'unavailable') return null;
    throw error;
  }
}

// Compares two elements by the text that `key` returns. All interfaces list moves in this order.
const byText = (key) => (a, b) => (key(a) < key(b) ? -1 : 1);

const modes = new Map([['auto', 'count'], ['hashed', 'hashed'], ['unhashed', 'unhashed'], ['configurations', 'configurations']]);
const mostWorkers = 1024;

async function rowsOf(fen, depth, options, wantsRows) {
  const workers = whole('workers', options.workers, 1, mostWorkers) ?? 1;
  const { method = 'auto' } = options;
  if (!modes.has(method)) refuse('method', `must be one of ${[...modes.keys()].join(', ')}`);
  const asksForTable = options.hash !== undefined || options.keySeed !== undefined;
  // One worker counts a large total as the only share, too: kiwipete 6 takes 10 % longer as an answer, for reasons that were
  // not found (bench/results/zen4-2-cores/notes.md).
  const sharesPay = workers > 1 || (!wantsRows && depth >= 6);
  if (sharesPay && (method === 'configurations' || (method === 'auto' && !asksForTable))) {
    const counted = await sumsByShares(fen, depth, workers, options, wantsRows);
    if (counted !== null) return counted;
  }
  if (workers > 1 && (method === 'auto' || method === 'hashed')) {
    const counted = await sumsByRanges(fen, depth, workers, options);
    if (counted !== null) return { ...counted, total: counted.rows.reduce((sum, { nodes }) => sum + nodes, 0n) };
  }
  const { onProgress } = options;
  const question = { ...questionOf(modes.get(method), fen, depth, options), divide: wantsRows };
  const answer = await withWorkers(1, watched(options), ([worker]) => worker.ask(question, onProgress));
  const document = withCounts(answer.document);
  return { rows: document.divide, total: BigInt(answer.nodes), document, note: answer.note };
}

export async function perft(fen, depth, options = {}) {
  return (await rowsOf(fen, depth, optionsOf(options, ofPerft), false)).total;
}

export async function divide(fen, depth, options = {}) {
  const { rows, total, document, note, method } = await rowsOf(fen, depth, optionsOf(options, ofPerft), true);
  const moves = Object.fromEntries(rows.map(({ move, nodes }) => [move, nodes]).sort(byText(([move]) => move)));
  return { total, moves, ...(document && { document }), ...(method && { method }), ...(note && { note }) };
}

const documentOf = (name, known = ofCounts) => async (fen, depth, options = {}) => {
  const { document, verdict, note } = await answerTo(name, fen, depth, optionsOf(options, known));
  return { ...withCounts(document), verdict, ...(note && { note }) };
};
export const stats = documentOf('stats');
export const unique = documentOf('unique');
export const estimate = documentOf('estimate', ofEstimates);
export const verify = documentOf('verify');

async function position(fen, moves, options) {
  const chess960 = flag('chess960', options.chess960);
  const question = { do: 'position', fen: text('fen', fen), moves: asMoves(moves), chess960 };
  return withWorkers(1, watched(options), ([worker]) => worker.ask(question));
}

export async function legalMoves(fen, options = {}) {
  const { moves } = await position(fen, optionsOf(options, ofPositions).moves, options);
  return moves.sort(byText(({ uci }) => uci));
}

export async function play(fen, moves, options = {}) {
  const { fen: after, check, moves: left } = await position(fen, moves, optionsOf(options, ofPlay));
  return { fen: after, check, over: left.length > 0 ? null : check ? 'mate' : 'stalemate' };
}

// Functions that need the whole command are in a file of their own, which requires Node.
const byCommand = (name) => async (...given) => {
  if (!isNode)
    throw new ManyplyError({ code: 'unavailable', field: name, column: 0, message: `${name} starts programs, and needs Node` });
  const file = './by_command.js';
  const commands = await import(/* @vite-ignore */ /* webpackIgnore: true */ file);
  return commands[name](...given);
};
const bisectByCommand = byCommand('bisect');
export async function bisect(depth, options = {}) {
  plies(depth);
  optionsOf(options, ofBisect);
  if (text('engine', options.engine).trim() === '') refuse('engine', 'must be a command line');
  if (options.suite === undefined) {  // report which part of the input is wrong, which the command only says in words
    await position(options.fen ?? 'startpos', options.moves, options);
  } else if (text('suite', options.suite) === '-') {
    refuse('suite', 'must be a file or a name');
  }
  return bisectByCommand(depth, options);
}

export async function suite(lines, options = {}) {
  const { onResult, maxNodes: most, ...counting } = optionsOf(options, ofSuites);
  // The limit may be a bigint, since counts may exceed the numbers that are exact in JavaScript.
  const maxNodes = typeof most === 'bigint' && most >= 0n ? most : whole('maxNodes', most);
  const { rows, refused } = await withWorkers(1, watched(options), ([worker]) => worker.ask({ do: 'suite', text: text('text', lines) }));
  const results = [];
  let skipped = 0;
  for (const { line, fen, tags, counts } of rows) {
    for (const { depth, nodes } of counts) {
      const expected = BigInt(nodes);
      if (maxNodes !== undefined && expected > BigInt(maxNodes)) {
        ++skipped;
        continue;
      }
      const counted = await perft(fen, depth, counting);
      const result = { line, fen, tags, depth, expected, counted, agrees: counted === expected };
      results.push(result);
      onResult?.(result);
    }
  }
  // A suite has not passed if the limits skip all of its counts.
  const agrees = refused.length === 0 && results.length > 0 && results.every((result) => result.agrees);
  return { agrees, results, skipped, refused };
}
