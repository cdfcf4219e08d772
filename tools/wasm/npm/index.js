// Manyply: exact chess move path counts (perft). index.d.ts documents the functions.
import { sumsByRanges, sumsByShares, uniqueByShares } from './count_in_workers.js';
import { interval, punctual } from './time_left.js';
import { isNode } from './where.js';
import { close, ManyplyError, withWorkers } from './worker_pool.js';

export { close, ManyplyError };

// Reject values of a wrong type here, because later code would convert them silently.
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
const ofUnique = [...ofCounts, 'workers'];
const ofPerft = [...ofCounts, 'method', 'workers'];
const ofEstimates = [...ofCounts, 'samples', 'seed'];
const ofPlay = ['chess960', 'signal'];
const ofSuites = [...ofPerft.filter((name) => name !== 'moves' && name !== 'onProgress'), 'maxNodes', 'onResult'];
const ofBisect = [...ofPositions, 'engine', 'fen', 'suite', 'maxNodes', 'causes', 'dialect', 'timeout', 'onProgress'];

// Returns `given`. Rejects unknown options, because a misspelt option would have no effect.
function optionsOf(given, known) {
  if (given === null || typeof given !== 'object') refuse('options', 'must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !known.includes(name)) refuse(name, `is not an option of this function; the options are ${known.join(', ')}`);
  }
  return given;
}

const asMoves = (moves) => text('moves', Array.isArray(moves) ? moves.join(' ') : moves ?? '');
const maxDepth = 64;
function plies(depth) {
  if (!Number.isInteger(depth) || depth < 0 || depth > maxDepth) refuse('depth', `must be a whole number from 0 to ${maxDepth}`);
  return depth;
}
// Returns `value` as a number; undefined if there is no value. Rejects numbers from 2^53 on, which are not exact in
// JavaScript.
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
           progressMilliseconds: onProgress === undefined ? 0 : interval };
}

// Converts counts to bigints. Documents contain them as text, because numbers above 2^53 are not exact. Only counts are
// texts of digits.
function withCounts(value) {
  if (Array.isArray(value)) return value.map(withCounts);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withCounts(one)]));
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
}

const watch = (options) => ({ signal: watched(options), onProgress: options.onProgress });
const answerOfOne = (question, { signal, onProgress }) =>
  withWorkers(1, signal, ([worker]) => worker.ask(question, onProgress && punctual(onProgress)));

// Compares two elements by the text that `key` returns. All interfaces list moves in this order.
const byText = (key) => (a, b) => (key(a) < key(b) ? -1 : 1);

const modes = new Map([['auto', 'count'], ['hashed', 'hashed'], ['unhashed', 'unhashed'], ['configurations', 'configurations']]);
const workersOf = ({ workers }) => whole('workers', workers, 1, 1024) ?? 1;

async function rowsOf(fen, depth, options, wantsRows) {
  const workers = workersOf(options);
  const { method = 'auto' } = options;
  if (!modes.has(method)) refuse('method', `must be one of ${[...modes.keys()].join(', ')}`);
  const question = (mode) => ({ ...questionOf(mode, fen, depth, options), divide: wantsRows });
  const asksForTable = options.hash !== undefined || options.keySeed !== undefined;
  // Count a large total with sumsByShares(), even if there is only one worker. With answerOfOne(), kiwipete 6 takes
  // 10 % longer, for unknown reasons (bench/results/zen4-2-cores/notes.md).
  const sharesPay = workers > 1 || (!wantsRows && depth >= 6);
  if (sharesPay && (method === 'configurations' || (method === 'auto' && !asksForTable))) {
    const counted = await sumsByShares(question('configurations'), workers, watch(options));
    if (counted !== null) return counted;
  }
  if (workers > 1 && (method === 'auto' || method === 'hashed')) {
    const counted = await sumsByRanges(question('hashed'), workers, watch(options));
    if (counted !== null) return counted;
  }
  const answer = await answerOfOne(question(modes.get(method)), watch(options));
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

const documentIn = ({ document, verdict, note }) => ({ ...withCounts(document), verdict, ...(note && { note }) });
const documentOf = (name, known = ofCounts) => async (fen, depth, options = {}) =>
  documentIn(await answerOfOne(questionOf(name, fen, depth, optionsOf(options, known)), watch(options)));
export const stats = documentOf('stats');
export async function unique(fen, depth, options = {}) {
  const workers = workersOf(optionsOf(options, ofUnique));
  const question = questionOf('unique', fen, depth, options);
  const shared = workers > 1 ? await uniqueByShares(question, workers, watch(options)) : null;
  return documentIn(shared ?? await answerOfOne(question, watch(options)));
}
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

// Functions that need the whole command are in a separate file, which requires Node.
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
  if (options.suite === undefined) {  // check here to report the field that is wrong; the command reports it only in words
    await position(options.fen ?? 'startpos', options.moves, options);
  } else if (text('suite', options.suite) === '-') {
    refuse('suite', 'must be a file or a name');
  }
  return bisectByCommand(depth, options);
}

export async function suite(lines, options = {}) {
  const { onResult, maxNodes: most, ...counting } = optionsOf(options, ofSuites);
  // The limit may be a bigint, because counts may exceed the numbers that are exact in JavaScript.
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
