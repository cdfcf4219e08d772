// Usage: node stage.mjs SOURCE MODULES OUT [PACKAGE MODULE OPENAPI LICENCES]. Collects the page from the folder SOURCE and the
// libraries from the folder MODULES (node_modules) in OUT. esbuild joins and minifies the scripts and the style sheets. Names
// in OUT/assets contain a digest of the content, so a browser can keep these files for ever. Each file is also stored in
// compressed form. If PACKAGE (the files of the npm package), MODULE (the library as WebAssembly) and OPENAPI (openapi.json)
// are given, the page counts in the browser, on any host. LICENCES has the licences of the code that is linked into MODULE.
import {createHash} from "node:crypto";
import {cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync} from "node:fs";
import {basename, dirname, extname, join, relative} from "node:path";
import {pathToFileURL} from "node:url";
import {brotliCompressSync, constants, gzipSync} from "node:zlib";

const [source, modules, out, npm, engine, openapi, linked] = process.argv.slice(2);
const {build, transform} = await import(pathToFileURL(join(modules, "esbuild-wasm/lib/main.js")));
const kTarget = ["chrome111", "firefox121", "safari16.4"];  // the page uses :has() and toSorted()
const raw = `${out}.parts`;  // the files before they are joined
const others = npm ? ["http_counter.js", "http.js", "follower.js", "follower_worker.js"]  // only for pages of a server,
  : ["sw.js", "local_counter.js"];  // only for pages without one
const own = readdirSync(source).filter(file => /\.(html|css|js|svg)$/.test(file) && !others.includes(file));
const vendor = {
  "cm-chessboard": ["src/Chessboard.js", "src/lib", "src/model", "src/view", "src/extensions/markers", "src/extensions/arrows",
                    "assets/chessboard.css", "assets/pieces/standard.svg", "assets/extensions/markers/markers.css",
                    "assets/extensions/markers/markers.svg", "assets/extensions/arrows/arrows.css",
                    "assets/extensions/arrows/arrows.svg"],
  "uplot": ["dist/uPlot.esm.js", "dist/uPlot.min.css"],
};

for (const folder of [out, raw]) rmSync(folder, {recursive: true, force: true});
mkdirSync(join(out, "assets"), {recursive: true});
mkdirSync(raw);
for (const file of own) cpSync(join(source, file), join(raw, file));
let licences = `Manyply (MIT)\n\n${readFileSync(join(source, "../../LICENSE"), "utf8").trim()}\n\n\n`;
for (const [name, files] of Object.entries(vendor)) {
  for (const file of files) {
    cpSync(join(modules, name, file), join(raw, "vendor", name, file.replace(/^dist\//, "")), {recursive: true, filter: from => !/\.md$/.test(from)});
  }
  const about = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  const text = readFileSync(join(modules, name, "LICENSE"), "utf8").trim();
  licences += `${about.name} ${about.version} (${about.license})\n\n${text}\n\n\n`;
}
if (linked) for (const name of readdirSync(linked).sort()) {
  licences += `${name}, in manyply.wasm\n\n${readFileSync(join(linked, name), "utf8").trim()}\n\n\n`;
}
writeFileSync(join(out, "licences.txt"), licences.trimEnd() + "\n");
const joining = new Set();  // the scripts that joined() is joining now
if (npm) await countByItself();
await joinAll();
if (npm) keepOffline();
rmSync(raw, {recursive: true});
compress();

function change(folder, file, ...pairs) {
  let text = readFileSync(join(folder, file), "utf8");
  for (const [from, to] of pairs) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replace(from, () => to);
  }
  writeFileSync(join(folder, file), text);
}

/** Stores `bytes` under a new name in the folder of files that never change. Returns that name. */
function keep(file, bytes) {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const name = `${basename(file, extname(file))}.${digest}${extname(file)}`;
  writeFileSync(join(out, "assets", name), bytes);
  return name;
}

/** Joins `entry` and all modules that it imports to one minified script. Returns the new name. */
async function joined(entry) {
  joining.add(entry);
  const namesFiles = {name: "names of files", setup: ({onLoad, onResolve}) => {
    // A module for the other kind of page is missing; replace it by an empty one.
    onResolve({filter: /_counter\.js$/}, ({path, resolveDir}) => existsSync(join(resolveDir, path)) ? null : {path, namespace: "missing"});
    onLoad({filter: /.*/, namespace: "missing"}, () => ({contents: ""}));
    onLoad({filter: /\.js$/}, async ({path}) => {
      let text = readFileSync(path, "utf8");
      for (const [whole, name] of text.matchAll(/new URL\(["'](?:\.\/)?([\w.]+)["'], import\.meta\.url\)/g)) {
        const named = join(dirname(relative(raw, path)), name);
        if (joining.has(named)) text = text.replace(whole, JSON.stringify(name));  // a worker must not start itself
        else text = text.replace(whole, `new URL("${name.endsWith(".js") ? await joined(named) : keep(named, readFileSync(join(raw, named)))}", import.meta.url)`);
      }
      return {contents: text};
    });
  }};
  const {outputFiles} = await build({entryPoints: [join(raw, entry)], bundle: true, minify: true, format: "esm", target: kTarget,
                                     legalComments: "none", write: false, plugins: [namesFiles]});
  joining.delete(entry);
  return keep(entry, outputFiles[0].contents);
}

/**
 * Joins the files of the page. Puts the sprites of the board into the page, because each would otherwise be a separate
 * request.
 */
async function joinAll() {
  const sheets = /(?:<link rel="stylesheet" href="[^"]+">\n)+/, links = readFileSync(join(raw, "index.html"), "utf8").match(sheets)[0];
  const style = [...links.matchAll(/href="([^"]+)"/g)].map(([, file]) => readFileSync(join(raw, file), "utf8")).join("\n");
  const assets = join("vendor", "cm-chessboard", "assets");
  const sprites = [["sprite", "pieces/standard.svg"], ["markers", "extensions/markers/markers.svg"], ["arrows", "extensions/arrows/arrows.svg"]]
    .map(([name, file]) => `<div id="cm-chessboard-${name}" class="sprite" aria-hidden="true">${
      readFileSync(join(raw, assets, file), "utf8").replace(/^<\?xml.*?\?>\s*|<!--.*?-->/gs, "").trim()}</div>\n`);
  change(raw, "index.html", [links, `<link rel="stylesheet" href="assets/${keep("style.css", (await transform(style, {loader: "css", minify: true, target: kTarget})).code)}">\n`],
    ['src="theme.js"', `src="assets/${keep("theme.js", readFileSync(join(raw, "theme.js")))}"`],
    ['src="app.js"', `src="assets/${await joined("app.js")}"`], ["</body>", `${sprites.join("")}</body>`]);
  for (const file of ["index.html", "icon.svg", ...(npm ? ["sw.js", "limits.json", "start.json"] : [])]) renameSync(join(raw, file), join(out, file));
}

async function countByItself() {
  mkdirSync(join(raw, "engine"));
  for (const file of ["index.js", "count_in_workers.js", "time_left.js", "where.js", "wasi.js", "worker.js", "worker_pool.js"]) cpSync(join(npm, file), join(raw, "engine", file));
  writeFileSync(join(raw, "engine", "manyply.wasm"), readFileSync(engine));  // cpSync would also copy the execute permission
  change(raw, "index.html", ['<meta name="counter" content="server">', '<meta name="counter" content="here">\n' +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'">`],
    ['  <a href="openapi.json">API</a>\n', ""], ['<link rel="preload" href="limits.json"', '<link rel="preload" href="start.json" as="fetch" crossorigin>\n<link rel="preload" href="limits.json"']);

  const {JobRequest} = JSON.parse(readFileSync(openapi, "utf8")).components.schemas;
  writeFileSync(join(raw, "limits.json"), JSON.stringify(JobRequest.properties, (key, value) => key === "description" ? undefined : value));
  // Include the facts about the start position, so that the page has them before the engine is loaded.
  const {close, withWorkers} = await import(pathToFileURL(join(raw, "engine", "worker_pool.js")));
  const start = await withWorkers(1, undefined, ([worker]) => worker.ask({do: "describe", fen: "startpos", moves: "", depth: 0}));
  writeFileSync(join(raw, "start.json"), JSON.stringify(start));
  close();
}

/** Writes into the service worker the list of all files, and a name that changes when a file changes. */
function keepOffline() {
  const files = readdirSync(out, {recursive: true}).filter(file => file !== "sw.js" && statSync(join(out, file)).isFile()).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  change(out, "sw.js", ["/* FILES */", ["./", ...files].map(file => JSON.stringify(file)).join(", ")],
         ["/* VERSION */", hash.digest("hex").slice(0, 16)]);
}

/** Writes FILE.br and FILE.gz beside each file if they are at least a tenth smaller. */
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
