// Tests the time left of counts, with invented progress reports. No test waits or depends on the machine.
import assert from "node:assert/strict";
import test from "node:test";

const { punctual, RangesProgress, SharesProgress, interval } = await import(new URL("time_left.js", import.meta.resolve("manyply")));

const report = (seconds, left, fraction = 0.5) =>
  ({ event: "progress", phase: "counting", seconds, fraction, units_done: 1, units_total: 2, seconds_left: left });
const near = (value, expected, what) => assert.ok(Math.abs(value - expected) < 1e-6, `${what}: ${value}, not ${expected}`);

test("a late report is counted down to now", () => {
  let now = 0;
  const heard = [];
  const listen = punctual((progress) => heard.push(progress.seconds_left), () => now);
  listen(report(0, null), now);
  now = 2000;
  listen(report(1, 3), 2000);
  now = 3400;
  listen(report(2, 2), 3000);
  assert.deepEqual(heard, [null, 3, 1.6]);
});

test("the time left is null if it is less than an interval, or if the report is old", () => {
  let now = 0;
  const heard = [];
  const listen = punctual((progress) => heard.push(progress.seconds_left), () => now);
  listen(report(0, null), 0);
  now = 1000;
  listen(report(1, interval / 1e3 - 0.001), 1000);
  now = 2000;
  listen(report(2, interval / 1e3), 2000);
  now = 9000;
  listen(report(3, 60), 3000);
  assert.deepEqual(heard, [null, null, interval / 1e3, null]);
});

test("the time left is null until half a second of a phase is known", () => {
  let now = 0;
  const heard = [];
  const listen = punctual((progress) => heard.push(progress.seconds_left), () => now);
  for (const [at, phase] of [[0, "first plies"], [600, "counting"], [1000, "counting"], [1100, "counting"], [1200, "ply 7"]]) {
    now = at;
    listen({ ...report(at / 1e3, 9), phase }, at);
  }
  assert.deepEqual(heard, [null, null, null, 9, null]);
});

test("a shared count ends with its slowest worker, and is known when all workers are", () => {
  const progress = new SharesProgress(2);
  for (const share of [0, 1]) progress.hear(share, report(0, null, 0), 0);
  progress.hear(0, report(1, 4, 0.2), 1000);
  assert.equal(progress.at(1000).seconds_left, null);
  progress.hear(1, report(1, 9, 0.1), 1000);
  near(progress.at(1000).seconds_left, 9, "both known");
  near(progress.at(1500).seconds_left, 8.5, "half a second later");
  near(progress.at(1500).fraction, 0.15, "share");
  progress.hear(0, report(2, 3, 0.4), 2000);
  assert.equal(progress.at(2500).seconds_left, null, "the slowest worker has stalled");
  progress.hear(1, report(2.4, 7, 0.25), 2400);
  near(progress.at(2500).seconds_left, 6.9, "it goes on");
  progress.hear(1, report(4, 5, 0.5), 4000);
  progress.end(0);
  near(progress.at(4000).seconds_left, 5, "the other worker has ended");
  near(progress.at(4000).fraction, 0.75, "its share is done");
  progress.end(1);
  assert.deepEqual([progress.at(4200).seconds_left, progress.at(4200).fraction], [null, 1]);
});

/** Simulates a count of `ranges` ranges; range i takes `time(i)` milliseconds. Calls `look` at intervals of 10 ms. */
function played(workers, ranges, time, look) {
  const progress = new RangesProgress(workers, ranges, 0);
  const ends = Array(workers).fill(0);
  let next = 0;
  let now = 0;
  for (const none = Infinity; ends.some((at) => at !== none); now += 10) {
    for (let worker = 0; worker < workers; ++worker) {
      if (ends[worker] > now) continue;
      if (ends[worker] > 0) progress.end(worker, now);
      ends[worker] = next < ranges ? now + time(next) : none;
      if (next < ranges) progress.begin(worker, next++, now);
    }
    look(progress.at(now), now);
  }
  return now - 10;
}

test("ranges: the end of the last one is foreseen, whichever worker has it", () => {
  const speedUp = 0.2;
  for (const [workers, ranges] of [[1, 8], [2, 16], [2, 15], [3, 24], [7, 23]]) {
    for (const each of [1000, 330]) {
      const told = [];
      const time = (i) => 10 * Math.round(each / 10 * (1 + speedUp * (1 - (2 * i + 1) / ranges)));
      const end = played(workers, ranges, time, ({ seconds_left, fraction }, now) => told.push({ now, left: seconds_left, fraction }));
      const fractions = told.map(({ fraction }) => fraction);
      assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b));
      const known = told.filter(({ now, left }) => now > end / 3 && left !== null);
      assert.ok(known.length > 0);
      for (const { now, left } of known) assert.ok(Math.abs(left - (end - now) / 1e3) < 0.12, `${left} at ${now} of ${end}`);
      assert.equal(told.at(-1).left, null);
      near(told.at(-1).fraction, 1, "all");
    }
  }
});

test("ranges: one that takes longer than expected leaves nothing to tell", () => {
  const last = [];
  const end = played(2, 16, (i) => (i === 15 ? 5000 : 1000), ({ units_done, seconds_left }, now) => {
    if (units_done >= 14) last.push({ now, left: seconds_left });
  });
  assert.ok(last.some(({ left }) => left !== null), "until then, its end is foreseen");
  assert.ok(last.filter(({ now }) => now > end - 3000).every(({ left }) => left === null));
});
