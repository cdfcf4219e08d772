// Functions that share a count among several workers. Each worker has its own memory. The functions take a question as
// worker.js receives it. They return null if the count is too small to share. sumsByShares() and uniqueByShares() also
// return null if the matrices do not fit into memory. The caller then counts in another way.
import { RangesProgress, SharesProgress, interval } from './time_left.js';
import { ManyplyError, withWorkers } from './worker_pool.js';

// Calls `body` at intervals until end() is called. If `body` throws, the promise `failure` is rejected.
function repeated(body) {
  let timer;
  const failure = new Promise((_, reject) => {
    timer = setInterval(() => {
      try {
        body();
      } catch (error) {
        reject(error);
      }
    }, interval);
  });
  return { failure, end: () => clearInterval(timer) };
}

/** Counts paths with a table in each worker. A worker that has finished a range takes the next one. */
export async function sumsByRanges(question, workers, { signal, onProgress }) {
  // With 8 ranges for each worker, two workers are 1.48 times as fast as one. With 4 ranges for each worker, they are
  // only 1.42 times as fast, because one waits longer for the other.
  const rangesEach = 8;
  return withWorkers(workers, signal, async (counters) => {
    const begun = Date.now();
    onProgress?.({ event: 'progress', phase: 'splitting', fraction: null, seconds: 0, units_done: 0, units_total: 0, seconds_left: null });
    const plans = await Promise.all(counters.map((worker) => worker.ask({ ...question, do: 'prepare', ranges: workers * rangesEach })));
    const { ranges, moves } = plans[0];
    const note = plans.find((plan) => plan.note !== undefined)?.note;
    if (ranges === 0) return null;
    const sums = Array(moves.length).fill(0n);
    const progress = new RangesProgress(workers, ranges, begun);
    const show = () => onProgress?.(progress.at(Date.now()));
    const shown = repeated(show);
    let next = 0;
    const counting = Promise.all(counters.map(async (worker, number) => {
      while (next < ranges) {
        const range = next++;
        progress.begin(number, range, Date.now());
        const { sums: counted } = await worker.ask({ do: 'range', range });
        progress.end(number, Date.now());
        counted.forEach((sum, i) => { sums[i] += BigInt(sum); });
        show();
      }
    }));
    await Promise.race([counting, shown.failure]).finally(shown.end);
    return { rows: moves.map((move, i) => ({ move, nodes: sums[i] })), total: sums.reduce((sum, nodes) => sum + nodes, 0n),
             note, method: 'hashed' };
  });
}

// Requests from each worker its share of the count. Returns the result of `use` for all answers; null if the count is too
// small or memory is lacking.
async function answersByShares(question, workers, { signal, onProgress }, use) {
  const progress = new SharesProgress(workers);
  const show = (share) => onProgress && ((report, made) => {
    progress.hear(share, report, made);
    onProgress(progress.at(Date.now()));
  });
  try {
    return await withWorkers(workers, signal, async (counters) => {
      const answers = await Promise.all(counters.map(async (worker, share) => {
        const answer = await worker.ask({ ...question, do: 'share', shares: workers, share }, show(share));
        progress.end(share);
        return answer;
      }));
      return answers[0].shares === 0 ? null : await use(answers, counters[0]);
    });
  } catch (error) {
    if (error instanceof ManyplyError && error.code === 'unavailable') return null;
    throw error;
  }
}

const sum = (counts) => counts.reduce((total, count) => total + BigInt(count), 0n);

/** Counts paths by configurations. Each worker makes the first plies and counts its share of the last ones. */
export const sumsByShares = (question, workers, watch) => answersByShares(question, workers, watch, (answers) => ({
  rows: answers[0].divide.map(({ move }, i) => ({ move, nodes: sum(answers.map(({ divide }) => divide[i].nodes)) })),
  total: sum(answers.map(({ nodes }) => nodes)),
  method: 'configurations',
}));

/**
 * Counts distinct positions. Each worker makes all plies except the last one, and counts its share of the last ply.
 * Returns the same answer as one worker.
 */
export const uniqueByShares = (question, workers, watch) => answersByShares(question, workers, watch, (answers, worker) => {
  const plies = answers[0].plies.map((ply, i) => ({ ...ply, seconds: Math.max(...answers.map((each) => each.plies[i].seconds)) }));
  const last = plies.length - 1;
  for (const name of ['distinct', 'paths']) plies[last][name] = String(sum(answers.map((each) => each.plies[last][name])));
  return worker.ask({ ...question, do: 'plies', plies });
});
