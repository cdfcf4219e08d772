// Tests the package's library in a project in which the package is installed. Expected counts are published ones.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import test, { after } from "node:test";
import { Worker } from "node:worker_threads";

import * as manyply from "manyply";

const { perft, divide, stats, unique, estimate, verify, legalMoves, play, suite, bisect, close, ManyplyError } = manyply;
const workerThreads = createRequire(import.meta.url)("node:worker_threads");
const native = process.env.PERFT;  // the command for this machine
const nativeCount = (fen, depth) => BigInt(JSON.parse(
  execFileSync(native, ["count", String(depth), "--fen", fen, "--format", "json"], { encoding: "utf8" })).nodes);
after(close);

test("the classic six", async () => {
  const known = { startpos: [5, 4865609n], kiwipete: [4, 4085603n], position3: [6, 11030083n], position4: [5, 15833292n],
                  position5: [4, 2103487n], position6: [4, 3894594n] };
  for (const [fen, [depth, nodes]] of Object.entries(known)) assert.equal(await perft(fen, depth), nodes, fen);
});

test("counts are what they are however they are counted", async () => {
  for (const method of ["auto", "hashed", "unhashed", "configurations"])
    assert.equal(await perft("startpos", 6, { method }), 119060324n, method);
  assert.equal(await perft("startpos", 7, { method: "hashed", hash: 64 << 20 }), 3195901860n);
  assert.equal(await perft("startpos", 5, { hash: 0 }), 4865609n);
});

test("workers add up to the same", async () => {
  const whole = await divide("kiwipete", 5);
  for (const [workers, method, by] of [[2, "auto", "configurations"], [3, "configurations", "configurations"], [2, "hashed", "hashed"]]) {
    const divided = await divide("kiwipete", 5, { workers, method });
    assert.equal(divided.total, 193690690n);
    assert.equal(divided.method, by);
    assert.equal(Object.keys(divided.moves).length, 48);
    assert.deepEqual(divided.moves, whole.moves);
  }
  assert.equal((await divide("kiwipete", 5, { workers: 2, hash: 1 << 24 })).method, "hashed");
  assert.equal(await perft("startpos", 7, { workers: 2 }), 3195901860n);  // counts in lanes
  assert.equal(await perft("startpos", 2, { workers: 4 }), 400n);  // too small to be shared
});

test("200 positions of suites and 100 of Chess960, as the native command counts them", async () => {
  for (const [name, most] of [["tricky", 200], ["chess960", 100]]) {
    const lines = readFileSync(new URL(`${process.env.SOURCE}/tools/suites/${name}.epd`, "file://"), "utf8")
      .split("\n").filter((line) => line !== "" && !line.startsWith("#")).slice(0, most);
    const { agrees, results, refused } = await suite(lines.join("\n"), { maxNodes: 200_000 });
    assert.ok(agrees);
    assert.deepEqual(refused, []);
    assert.ok(results.length >= most / 2, `${results.length} of ${name}`);
    for (const { fen, depth, counted } of results.filter((_, i) => i % 40 === 0))
      assert.equal(counted, nativeCount(fen, depth));
  }
});

test("a suite that is wrong is told so", async () => {
  const { agrees, results } = await suite("startpos ;D1 20 ;D2 401");
  assert.equal(agrees, false);
  assert.deepEqual(results.map(({ agrees: right }) => right), [true, false]);
  const { agrees: none, skipped } = await suite("startpos ;D1 20", { maxNodes: 1 });
  assert.deepEqual([none, skipped], [false, 1]);
  const { agrees: all } = await suite("startpos ;D1 20", { maxNodes: 1n << 70n, signal: null });
  assert.equal(all, true);
});

test("statistics, distinct positions, an estimate, a verification", async () => {
  const counted = await stats("kiwipete", 3);
  assert.deepEqual([counted.nodes, counted.captures, counted.en_passants, counted.castles, counted.checks + counted.mates, counted.mates],
                   [97862n, 17102n, 45n, 3162n, 993n, 1n]);
  const { plies } = await unique("startpos", 4);
  assert.deepEqual(plies.map(({ distinct }) => distinct), [1n, 20n, 400n, 5362n, 72078n]);
  const { low, high } = await estimate("startpos", 7, { samples: 20_000, seed: 3 });
  assert.ok(low < 3195901860 && 3195901860 < high);
  const verified = await verify("startpos", 5);
  assert.equal(verified.agrees, true);
  assert.equal(verified.verdict, "agree");
});

test("distinct positions shared by workers are those of one worker", async () => {
  const known = { startpos: [[4, 72078n], [5, 822518n], [6, 9417681n]], kiwipete: [[5, 27404650n]] };
  const counted = ({ seconds, passes, ...ply }) => ply;
  for (const [fen, counts] of Object.entries(known)) {
    for (const [depth, distinct] of counts) {
      const { plies: expected, ...others } = await unique(fen, depth);
      assert.equal(expected.at(-1).distinct, distinct);
      for (const workers of [1, 2, 3, 7]) {
        const { plies, ...more } = await unique(fen, depth, { workers });
        assert.deepEqual(plies.map(counted), expected.map(counted), `${fen} ${depth} by ${workers}`);
        assert.deepEqual(more, others);
      }
    }
  }
});

test("distinct positions shared by workers: progress, an abort, and a worker that ends", async () => {
  const heard = [];
  await unique("startpos", 7, { workers: 2, onProgress: (progress) => heard.push(progress) });
  const fractions = heard.map(({ fraction }) => fraction ?? 0);
  assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b));
  assert.ok(fractions.at(-1) > 0.2 && fractions.at(-1) <= 1, String(fractions));
  const controller = new AbortController();
  await assert.rejects(unique("startpos", 8, { workers: 2, signal: controller.signal, onProgress: () => controller.abort() }),
                       { name: "AbortError" });
  close();  // so that the next count starts workers
  const threads = [];
  const { Worker: Plain } = workerThreads;
  workerThreads.Worker = class extends Plain {
    constructor(...given) {
      super(...given);
      threads.push(this);
    }
  };
  syncBuiltinESMExports();
  try {
    const counting = unique("startpos", 8, { workers: 3, onProgress: () => threads[1].terminate() });
    await assert.rejects(counting, { message: "the worker has ended" });
    assert.equal(threads.length, 3);
  } finally {
    workerThreads.Worker = Plain;
    syncBuiltinESMExports();
  }
  assert.equal((await unique("startpos", 5, { workers: 2 })).plies.at(-1).distinct, 822518n);
});

test("moves and positions", async () => {
  const moves = await legalMoves("startpos");
  assert.equal(moves.length, 20);
  assert.deepEqual(moves.find(({ uci }) => uci === "g1f3"), { uci: "g1f3", san: "Nf3" });
  assert.deepEqual(await legalMoves("8/8/8/8/8/5k2/6q1/7K w - - 0 1"), []);
  const mate = await play("startpos", "1. f3 e5 2. g4 Qh4");
  assert.deepEqual([mate.check, mate.over], [true, "mate"]);
  assert.equal((await play("startpos", ["e2e4"])).fen, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
});

test("what makes no sense is refused by name", async () => {
  await assert.rejects(perft("8/8/8/8/8/8/8/8 w - - 0 1", 1), (error) => error instanceof ManyplyError);
  await assert.rejects(perft("startpos", 65), { code: "invalid_input", field: "depth" });
  await assert.rejects(perft("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 1), { column: 19 });
  await assert.rejects(play("startpos", "e2e5"), { code: "illegal" });
  for (const method of ["guessed", "toString", "stats", null, 3])
    for (const workers of [1, 2])
      await assert.rejects(perft("startpos", 5, { method, workers }), { code: "invalid_input", field: "method" });
  for (const [field, ask] of Object.entries({
    depth: () => perft("startpos"), fen: () => perft(undefined, 3), moves: () => legalMoves("startpos", { moves: 7 }),
    hash: () => perft("startpos", 3, { hash: "lots" }), workers: () => perft("startpos", 3, { workers: 0 }),
    keySeed: () => perft("startpos", 3, { keySeed: "x" }), samples: () => estimate("startpos", 3, { samples: -1 }),
    chess960: () => play("startpos", "e2e4", { chess960: "yes" }), signal: () => legalMoves("startpos", { signal: {} }),
    kernel: () => stats("startpos", 3, { kernel: 3 }), seed: () => estimate("startpos", 3, { seed: 2 ** 60 }),
    engine: () => bisect(2, {}), text: () => suite(7) }))
    await assert.rejects(ask, { code: "invalid_input", field });
  await assert.rejects(perft("\ud800", 1), { code: "invalid_input", field: "fen" });
  await assert.rejects(perft("startpos", 3, { hash: 1n << 70n }), { code: "invalid_input", field: "hash" });
  await assert.rejects(suite("startpos ;D1 20", { moves: "e2e4" }), { code: "invalid_input", field: "moves" });
  const engine = "cat";
  await assert.rejects(bisect(2, { engine, fen: "bad" }), { code: "invalid_input", field: "placement", column: 2 });
  await assert.rejects(bisect(2, { engine, suite: "/nowhere/at.all" }), { code: "invalid_input" });
  for (const depth of ["three", "3", 2.5, -1, null, NaN])
    await assert.rejects(stats("startpos", depth), { message: "depth: must be a whole number from 0 to 64" });
  assert.equal(await perft("startpos", 3), 8902n);  // later calls still work
});

test("an option that is unknown is refused by its name", async () => {
  const known = { perft, divide, stats, unique, estimate, verify };
  for (const [name, count] of Object.entries(known))
    await assert.rejects(count("startpos", 3, { thread: 2 }), { code: "invalid_input", field: "thread" }, name);
  for (const [field, ask] of Object.entries({
    workers: () => stats("startpos", 3, { workers: 2 }), samples: () => perft("startpos", 3, { samples: 9 }),
    depth: () => legalMoves("startpos", { depth: 3 }), moves: () => play("startpos", "e2e4", { moves: "e2e4" }),
    onProgress: () => suite("startpos ;D1 20", { onProgress() {} }), maxnodes: () => bisect(2, { engine: "cat", maxnodes: 9 }),
    options: () => perft("startpos", 3, 7) }))
    await assert.rejects(ask, { code: "invalid_input", field });
  await assert.rejects(perft("startpos", 3, null), { code: "invalid_input", field: "options" });
  assert.equal(await perft("startpos", 3, { thread: undefined }), 8902n);
});

test("moves are sorted, as the command sorts them", async () => {
  const moves = (await legalMoves("kiwipete")).map(({ uci }) => uci);
  assert.deepEqual(moves, [...moves].sort());
  const printed = execFileSync(native, ["count", "3", "--divide", "--fen", "kiwipete"], { encoding: "utf8" });
  assert.deepEqual(moves, [...printed.matchAll(/^([a-h]\S+): /gm)].map(([, move]) => move));
  for (const workers of [1, 2])
    assert.deepEqual(Object.keys((await divide("kiwipete", 4, { workers })).moves), moves, String(workers));
});

test("a table that cannot be had", async () => {
  await assert.rejects(perft("startpos", 6, { hash: 2 ** 40 }), { code: "unavailable" });
});

// Node can be started with less memory for WebAssembly.
const inNodeOf16MiB = (...args) => spawnSync(process.execPath, ["--wasm-max-mem-pages=256", ...args], { encoding: "utf8" });

test("memory that cannot be had gives a smaller table, and a sentence", () => {
  const sentence = /^memory: \d+(\.\d+)? [KMG]iB requested, but .*; counted with (1|2|4|8) MiB$/;
  for (const options of ["{ method: 'hashed' }", "{ method: 'hashed', workers: 2 }"]) {
    const { stdout, stderr } = inNodeOf16MiB("--input-type=module", "--eval", `import { close, divide } from "manyply";
      const { total, note } = await divide("startpos", 7, ${options});
      console.log(total + " " + note);
      close();`);
    assert.equal(stdout.slice(0, 11), "3195901860 ", stderr);
    assert.match(stdout.slice(11).trim(), sentence);
  }
  const { status, stdout, stderr } = inNodeOf16MiB("node_modules/manyply/bin/manyply.js",
                                                   "count", "7", "--method", "hashed", "--format", "csv");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^total,3195901860$/m);
  assert.match(stderr.trim(), new RegExp(sentence.source.replace("^", "^perft: "), "m"));
  const asked = inNodeOf16MiB("node_modules/manyply/bin/manyply.js", "count", "7", "--hash", "512M");
  assert.equal(asked.status, 2);  // an explicit table size is never reduced silently
});

test("YAML is refused by its name", async () => {
  await assert.rejects(suite("- fen: startpos\n  perft: [20, 400]\n"), { code: "unavailable", message: /YAML/ });
});

test("an abort ends a count, before it and in it", async () => {
  await assert.rejects(perft("startpos", 12, { signal: AbortSignal.abort() }), { name: "AbortError" });
  const controller = new AbortController();
  let told = 0;
  const counting = perft("startpos", 12, {
    signal: controller.signal,
    onProgress: () => { if (++told === 2) controller.abort(); },
  });
  await assert.rejects(counting, { name: "AbortError" });
  assert.equal(await perft("startpos", 3), 8902n);
});

test("progress is told while it counts", async () => {
  const controller = new AbortController();
  const heard = [];
  await assert.rejects(perft("startpos", 12, { signal: controller.signal, onProgress: (progress) => {
    heard.push(progress);
    if (heard.length === 3) controller.abort();
  } }));
  assert.equal(heard.length, 3);
  for (const progress of heard) {
    assert.equal(progress.event, "progress");
    assert.equal(typeof progress.phase, "string");
  }
});

test("progress of shared counts grows, and tells what is left", async () => {
  for (const [method, nodes] of [["configurations", 84998978956n], ["hashed", 3195901860n]]) {
    const heard = [];
    const depth = method === "hashed" ? 7 : 8;
    assert.equal(await perft("startpos", depth, { workers: 2, method, onProgress: (progress) => heard.push(progress) }), nodes);
    const fractions = heard.map(({ fraction }) => fraction ?? 0);
    assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b), method);
    assert.ok(fractions.at(-1) > 0.2 && fractions.at(-1) <= 1, String(fractions));
    for (const { seconds_left: left } of heard) assert.ok(left === null || left >= 0.25, `${left} of ${method}`);
  }
});

test("what a listener to progress throws ends the count, and is passed on", async () => {
  for (const workers of [1, 2]) {
    const onProgress = () => { throw new RangeError("enough"); };
    await assert.rejects(perft("startpos", workers === 1 ? 12 : 8, { workers, onProgress }), { message: "enough" });
  }
  assert.equal(await perft("startpos", 3), 8902n);
});

// The main thread writes the answer and then wakes the command's thread. Between these two steps, the command's thread
// may already take the answer and ask the next question.
test("a call that comes late is no answer to the next question", async () => {
  const channelOf = new URL("channel.js", import.meta.resolve("manyply"));
  const { Answerer, channel } = await import(channelOf);
  const shared = channel();
  const asker = new Worker(`
    const { workerData, parentPort } = require("node:worker_threads");
    import(workerData.channel).then(({ Asker }) => {
      const asker = new Asker(workerData.shared, (question) => parentPort.postMessage(question));
      parentPort.postMessage([asker.ask("first"), asker.ask("second")]);
    });`, { eval: true, workerData: { channel: channelOf.href, shared } });
  const words = new Int32Array(shared);
  const answerer = new Answerer(shared);
  const told = await new Promise((resolve, reject) => {
    asker.on("error", reject);
    asker.on("message", (message) => {
      if (message === "first") return answerer.answer(7);
      if (message !== "second") return resolve(message);
      while (Atomics.notify(words, 0) === 0);  // repeat until the thread sleeps
      setTimeout(() => answerer.answer(9), 50);
    });
  });
  assert.deepEqual(told, [7, 9]);
});

test("bisect finds a move that an engine forgets", async () => {
  const engine = process.env.BROKEN_ENGINE;
  const asked = [];
  const wrong = await bisect(3, { engine: `${engine} check-ignored`, fen: "kiwipete",
                                  onProgress: (question) => asked.push(question) }).catch((error) => error);
  assert.equal(wrong.agrees, false, String(wrong.message ?? wrong.agrees));
  assert.deepEqual(asked.filter((one) => one.event === "question").map((one) => one.number).slice(0, 2), [1, 2]);
  await assert.rejects(bisect(2, { engine: "/nothing/here" }), { code: "unavailable" });
});
