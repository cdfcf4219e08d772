// Node stage.mjs SOURCE MODULES OUT [PACKAGE MODULE OPENAPI LICENCES]: collects the page in OUT: our own files unchanged,
// and of the two libraries only what the page loads, with their licences. If PACKAGE (the files of the npm package) and
// MODULE (its library as WebAssembly) are given, the page counts in the browser, on any host. LICENCES has the licences of
// the code linked into MODULE. Each file is then also stored in compressed form, for servers that can send it.
import {createHash} from "node:crypto";
import {cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {pathToFileURL} from "node:url";
import {brotliCompressSync, constants, gzipSync} from "node:zlib";

const [source, modules, out, npm, engine, openapi, linked] = process.argv.slice(2);
const others = npm ? ["http_counter.js", "http.js", "follower.js", "follower_worker.js"]  // only for pages of a server,
  : ["sw.js", "local_counter.js"];  // only for pages without one
const own = readdirSync(source).filter(file => /\.(html|css|js|svg)$/.test(file) && !others.includes(file));
const vendor = {
  "cm-chessboard": ["src/Chessboard.js", "src/lib", "src/model", "src/view", "src/extensions/markers", "src/extensions/arrows",
                    "assets/chessboard.css", "assets/pieces/standard.svg", "assets/extensions/markers/markers.css",
                    "assets/extensions/markers/markers.svg", "assets/extensions/arrows/arrows.css",
                    "assets/extensions/arrows/arrows.svg"],
  "uplot": ["dist/uPlot.iife.min.js", "dist/uPlot.min.css"],
};

rmSync(out, {recursive: true, force: true});
mkdirSync(out, {recursive: true});
for (const file of own) cpSync(join(source, file), join(out, file));
let licences = `Manyply (MIT)\n\n${readFileSync(join(source, "../../LICENSE"), "utf8").trim()}\n\n\n`;
for (const [name, files] of Object.entries(vendor)) {
  for (const file of files) {
    cpSync(join(modules, name, file), join(out, "vendor", name, file.replace(/^dist\//, "")), {recursive: true, filter: from => !/\.md$/.test(from)});
  }
  const about = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  const text = readFileSync(join(modules, name, "LICENSE"), "utf8").trim();
  licences += `${about.name} ${about.version} (${about.license})\n\n${text}\n\n\n`;
}
// The library has no minified version that is a module.
const plot = join(out, "vendor/uplot/uPlot.iife.min.js");
writeFileSync(join(out, "vendor/uplot/uPlot.js"), `${readFileSync(plot, "utf8").trimEnd()}\nexport default uPlot;\n`);
rmSync(plot);
if (linked) for (const name of readdirSync(linked).sort()) {
  licences += `${name}, in engine/manyply.wasm\n\n${readFileSync(join(linked, name), "utf8").trim()}\n\n\n`;
}
writeFileSync(join(out, "licences.txt"), licences.trimEnd() + "\n");
if (npm) await countByItself();
fetchAtOnce(npm ? "local_counter.js" : "http_counter.js");
if (npm) {
  keepOffline();
  compress();
}

function change(file, ...pairs) {
  let text = readFileSync(join(out, file), "utf8");
  for (const [from, to] of pairs) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replace(from, to);
  }
  writeFileSync(join(out, file), text);
}

/** Requests all modules together with the page, instead of each one when its importer has arrived. */
function fetchAtOnce(counter) {
  const found = new Set();
  const add = file => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(join(out, file), "utf8");
    for (const [, name] of text.matchAll(/^(?:import|export|\}) ?[^;]*?from ["'](\.[^"']+)["']/gm)) add(join(dirname(file), name));
  };
  add("app.js");
  add(counter);
  const links = [...found].map(file => `<link rel="modulepreload" href="${file}">\n`).join("");
  change("index.html", ['<script type="module"', `${links}<script type="module"`]);
}

async function countByItself() {
  mkdirSync(join(out, "engine"));
  for (const file of ["index.js", "where.js", "wasi.js", "worker.js", "workers.js"]) cpSync(join(npm, file), join(out, "engine", file));
  writeFileSync(join(out, "engine", "manyply.wasm"), readFileSync(engine));  // linkers make it executable
  change("index.html", ['<meta name="counter" content="server">', '<meta name="counter" content="here">\n' +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'">`],
    ['  <a href="openapi.json">API</a>\n', ""]);

  const {JobRequest} = JSON.parse(readFileSync(openapi, "utf8")).components.schemas;
  writeFileSync(join(out, "limits.json"), JSON.stringify(JobRequest.properties));
  // Includes the facts about the start position, so that they are available before the engine.
  const {close, withWorkers} = await import(pathToFileURL(join(out, "engine", "workers.js")));
  const start = await withWorkers(1, undefined, ([worker]) => worker.ask({do: "describe", fen: "startpos", moves: "", depth: 0}));
  writeFileSync(join(out, "start.json"), JSON.stringify(start));
  close();
}

/** Writes into the service worker the list of all files, and a name that changes with them. */
function keepOffline() {
  const files = readdirSync(out, {recursive: true}).filter(file => file !== "sw.js" && statSync(join(out, file)).isFile()).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  change("sw.js", ["/* FILES */", ["./", ...files].map(file => JSON.stringify(file)).join(", ")],
         ["/* VERSION */", hash.digest("hex").slice(0, 16)]);
}

/** Writes FILE.br and FILE.gz beside each file if they are smaller. */
function compress() {
  const {BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT} = constants;
  for (const file of readdirSync(out, {recursive: true}).map(name => join(out, name)).filter(name => statSync(name).isFile())) {
    const bytes = readFileSync(file);
    const params = {[BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 22, [BROTLI_PARAM_SIZE_HINT]: bytes.length};
    for (const [ending, small] of [["br", brotliCompressSync(bytes, {params})], ["gz", gzipSync(bytes, {level: 9})]]) {
      if (small.length < 0.9 * bytes.length) writeFileSync(`${file}.${ending}`, small);
    }
  }
}
