// Compares the npm package with the native command on the same machine. Prints medians of five.
//   node bench/npm_package.mjs build/npm build/release/tools/perft [ENGINE]
// The first argument is the package's folder, which tools/wasm/build.sh makes. Checks the counts.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { constants, brotliCompressSync } from "node:zlib";

const [folder, perft, engine = "stockfish"] = process.argv.slice(2);
const unpacked = resolve(folder, "package");
const { close, divide, perft: count } = await import(join(unpacked, "index.js"));
const command = join(unpacked, "bin/manyply.js");

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
async function milliseconds(body) {
  const all = [];
  for (let i = 0; i < 5; ++i) {
    const begun = performance.now();
    await body();
    all.push(performance.now() - begun);
  }
  return median(all);
}
const expect = (found, nodes) => { if (found !== nodes) throw new Error(`${found} is not ${nodes}`); };
const brotli = (file) => brotliCompressSync(readFileSync(file), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
const row = (what, figure, bar) => console.log(`${what.padEnd(46)} ${figure.padEnd(30)} ${bar}`);

console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}\n`);
const tgz = readdirSync(folder).find((name) => name.endsWith(".tgz"));
row("perft.wasm, brotli", `${Math.round(statSync(join(unpacked, "perft.wasm.br")).size / 1000)} K`, "");
row("manyply.wasm, brotli", `${Math.round(brotli(join(unpacked, "manyply.wasm")) / 1000)} K`, "");
row("package", `${(statSync(join(folder, tgz)).size / 1e6).toFixed(2)} MB`, "at most 1.6 MB");

const nativeSeconds = (depth, options) => {
  const seconds = [];
  for (let i = 0; i < 5; ++i) {
    const { nodes, seconds: one } = JSON.parse(execFileSync(perft, ["count", String(depth), ...options, "--threads", "1", "--format", "json"]));
    seconds.push(one);
  }
  return median(seconds) * 1e3;
};
for (const [fen, depth, nodes, options, more, bar] of [
  ["startpos", 6, 119060324n, { method: "hashed" }, ["--method", "hashed"], ""],
  ["kiwipete", 5, 193690690n, { method: "hashed" }, ["--method", "hashed"], ""],
  ["startpos", 7, 3195901860n, { method: "hashed", hash: 256 << 20 }, ["--method", "hashed", "--hash", "256M"], "at most 2.0 x"],
]) {
  // Compare the seconds that the counts themselves report, which exclude the set-up.
  const seconds = [];
  for (let i = 0; i < 6; ++i) {
    const { total, document } = await divide(fen, depth, options);
    expect(total, nodes);
    if (i > 0) seconds.push(document.seconds);  // the first round is a warm-up
  }
  const wasm = median(seconds) * 1e3;
  const native = nativeSeconds(depth, ["--fen", fen, "--kernel", "portable", ...more]);
  row(`${fen} ${depth}, hashed, one thread`, `${wasm.toFixed(0)} ms, native portable ${native.toFixed(0)} ms: ${(wasm / native).toFixed(2)} x`, bar);
}

const deep = (workers) => milliseconds(async () => expect(await count("startpos", 8, { workers }), 84998978956n));
const one = await deep(1);
row("startpos 8, one worker", `${one.toFixed(0)} ms`, "");
for (const [workers, bar] of [[2, 1.6], [4, 2.5]]) {
  if (workers > cpus().length) continue;
  const shared = await deep(workers);
  row(`startpos 8, ${workers} workers`, `${shared.toFixed(0)} ms: ${(one / shared).toFixed(2)} x`, `at least ${bar} x`);
}

// After the first third of a count, compares each shown time left with the true time left. Prints the errors in percent
// of the true time. Errors below 0.3 s count as 0.
for (const [fen, depth, method] of [["startpos", 8, "auto"], ["kiwipete", 6, "auto"], ["startpos", 9, "auto"],
                                    ["startpos", 7, "hashed"], ["startpos", 8, "hashed"]]) {
  for (const workers of [1, 2]) {
    const told = [];
    const begun = performance.now();
    const seconds = () => (performance.now() - begun) / 1e3;
    await count(fen, depth, { method, workers, onProgress: ({ seconds_left: left }) => told.push({ at: seconds(), left }) });
    const end = seconds();
    const errors = told.filter(({ at, left }) => left !== null && at > end / 3)
      .map(({ at, left }) => (Math.abs(left - (end - at)) < 0.3 ? 0 : 100 * ((left - (end - at)) / (end - at))));
    row(`${fen} ${depth} ${method}, ${workers} workers, ${end.toFixed(1)} s: time left`,
        errors.length === 0 ? "not shown" : `${errors.length} times, ${Math.min(...errors).toFixed(0)} to ${Math.max(...errors).toFixed(0)} %`,
        "within 25 %");
  }
}
close();

const empty = await milliseconds(() => spawnSync(process.execPath, ["-e", "0"]));
const start = await milliseconds(() => spawnSync(process.execPath, [command, "count", "1"]));
row("start of the command, over an empty Node", `${(start - empty).toFixed(0)} ms`, "at most 250 ms");

const asked = ["bisect", "4", "--fen", "kiwipete", "--engine", engine];
const wall = await milliseconds(() => spawnSync(process.execPath, [command, ...asked]));
const native = await milliseconds(() => spawnSync(perft, asked));
row(`bisect against ${engine}`, `${wall.toFixed(0)} ms, native ${native.toFixed(0)} ms: ${(wall / native).toFixed(2)} x`, "at most 1.6 x");
