// The progress of counts and the time that is left. The results depend only on the arguments. Callers pass the time by
// Date.now(), because a worker and its owner share no other clock.
//
// The time left is null until a phase has lasted half a second and a fifth of its work is done. If a worker estimates
// the time, a twentieth of the work is enough after five seconds. The time left is also null when it is less than the
// interval of reports, because the count will then probably end before the next report. A worker's estimate is counted
// down from the time when the worker made it, because busy threads receive reports late.

/** Milliseconds between reports. */
export const interval = 250;
/**
 * For this time after the first report of a phase, in milliseconds, the speed is not steady, because tables and caches
 * are empty.
 */
const unsteady = 2 * interval;
/** A worker that has not reported for this time, in milliseconds, has stalled. Its last estimate is then ignored. */
const stale = 4 * interval;

const told = (milliseconds) => (milliseconds >= interval ? milliseconds / 1e3 : null);

/** The reports of one worker. */
class Reports {
  last = null;
  fraction = null;
  #made = 0;
  #first = 0;  // when the first report of this phase was made

  hear(progress, made) {
    if (progress.phase !== this.last?.phase) this.#first = made;
    this.last = progress;
    this.fraction = progress.fraction ?? this.fraction;
    this.#made = made;
  }
  /** Returns the time at which the worker is expected to end; null if that is not known. */
  endsAt(now) {
    const left = this.last?.seconds_left;
    const isKnown = typeof left === 'number' && this.#made - this.#first >= unsteady && now - this.#made <= stale;
    return isKnown ? this.#made + left * 1e3 : null;
  }
}

/**
 * Returns a listener for the reports of one worker. The arguments of the listener are a report and `made`, the time at
 * which the worker made it. Passes each report to `onProgress`, and subtracts the time since `made` from the time left.
 */
export function punctual(onProgress, clock = Date.now) {
  const reports = new Reports();
  return (progress, made) => {
    reports.hear(progress, made);
    const now = clock();
    const ends = reports.endsAt(now);
    onProgress({ ...progress, seconds_left: ends === null ? null : told(ends - now) });
  };
}

/** The progress of a count that several workers share. The count ends when the slowest worker ends. */
export class SharesProgress {
  #shares;
  #ended = new Set();

  constructor(workers) {
    this.#shares = Array.from({ length: workers }, () => new Reports());
  }
  hear(share, progress, made) {
    this.#shares[share].hear(progress, made);
  }
  end(share) {
    this.#ended.add(this.#shares[share]);
  }
  /** Returns the progress of all workers. At least one must have reported. */
  at(now) {
    const known = this.#shares.map(({ last }) => last).filter((last) => last !== null);
    const sum = (name) => known.reduce((total, one) => total + (one[name] ?? 0), 0);
    const done = this.#shares.map((share) => (this.#ended.has(share) ? 1 : share.fraction));
    const ends = this.#shares.filter((share) => !this.#ended.has(share)).map((share) => share.endsAt(now));
    const counting = known.find(({ phase }) => phase === 'counting');
    return { ...(counting ?? known[0]), seconds: Math.max(...known.map(({ seconds }) => seconds)),
             fraction: done.some((one) => one !== null) ? done.reduce((total, one) => total + (one ?? 0), 0) / done.length : null,
             units_done: sum('units_done'), units_total: sum('units_total'),
             leaves_per_second: sum('leaves_per_second'), visited_per_second: sum('visited_per_second'),
             seconds_left: ends.length === 0 || ends.includes(null) ? null : told(Math.max(...ends) - now) };
  }
}

// Later ranges are faster, because the table fills: the last range takes (1 - speedUp) / (1 + speedUp) of the time of
// the first range. Measured speedUp: 0.2 at perft(8), 0.2 and 0.3 at kiwipete 6. The native command has another constant,
// because its units differ (kHashedSpeedUp in parallel/progress.h).
const speedUp = 0.2;

/** The progress of a hashed count in ranges. A worker that has finished a range takes the next one. */
export class RangesProgress {
  #ranges;
  #running;  // by worker: {range, since}, or null
  #finished = { ranges: 0, work: 0, milliseconds: 0 };
  #begun;
  #most = 0;

  constructor(workers, ranges, now) {
    this.#ranges = ranges;
    this.#running = Array(workers).fill(null);
    this.#begun = now;
  }
  // Returns the expected time of a range, as a multiple of the mean time of all ranges.
  #work(range) {
    return 1 + speedUp * (1 - (2 * range + 1) / this.#ranges);
  }
  begin(worker, range, now) {
    this.#running[worker] = { range, since: now };
  }
  end(worker, now) {
    const { range, since } = this.#running[worker];
    this.#running[worker] = null;
    this.#finished.ranges += 1;
    this.#finished.work += this.#work(range);
    this.#finished.milliseconds += now - since;
  }
  at(now) {
    const { ranges, work, milliseconds } = this.#finished;
    const mean = work > 0 ? milliseconds / work : Infinity;
    const running = this.#running.filter((one) => one !== null);
    const counted = running.reduce((sum, { range, since }) => sum + Math.min(this.#work(range), (now - since) / mean), work);
    this.#most = Math.max(this.#most, Math.min(1, counted / this.#ranges));  // at most 1, because sums are rounded
    return { event: 'progress', phase: 'counting', fraction: this.#most, seconds: (now - this.#begun) / 1e3,
             units_done: ranges, units_total: this.#ranges,
             seconds_left: work < this.#ranges / 5 || now - this.#begun < unsteady ? null : told(this.#endsAt(now, mean) - now) };
  }
  // Returns the time at which the count is expected to end. Each worker takes the next range as soon as it has finished
  // one.
  #endsAt(now, mean) {
    const free = this.#running.map((one) => (one === null ? now : one.since + mean * this.#work(one.range)));
    const first = this.#finished.ranges + this.#running.filter((one) => one !== null).length;
    // A worker that counts one of the last ranges and has exceeded the expected time may end at any time.
    if (first === this.#ranges && free.some((at) => at < now)) return now;
    for (let range = first; range < this.#ranges; ++range) {
      const next = free.indexOf(Math.min(...free));
      free[next] = Math.max(free[next], now) + mean * this.#work(range);
    }
    return Math.max(...free);
  }
}
