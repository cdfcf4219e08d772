// node stage.mjs SOURCE MODULES OUT [PACKAGE MODULE OPENAPI]: gathers the page in OUT. Our own files as they are; of the
// two libraries only what the page loads, and their licences. With PACKAGE, the files of the npm package, and MODULE, its
// library as WebAssembly, the page counts by itself, on any host.
import {createHash} from "node:crypto";
import {cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from "node:fs";
import {join, relative} from "node:path";
import {pathToFileURL} from "node:url";

const [source, modules, out, npm, engine, openapi] = process.argv.slice(2);
const alone = ["sw.js", "local_counter.js"];  // what no page of a server has
const own = readdirSync(source).filter(file => /\.(html|css|js|svg)$/.test(file) && (npm || !alone.includes(file)));
const vendor = {
  "cm-chessboard": ["src/Chessboard.js", "src/lib", "src/model", "src/view", "src/extensions/markers", "src/extensions/arrows",
                    "assets/chessboard.css", "assets/pieces/standard.svg", "assets/extensions/markers/markers.css",
                    "assets/extensions/markers/markers.svg", "assets/extensions/arrows/arrows.css",
                    "assets/extensions/arrows/arrows.svg"],
  "uplot": ["dist/uPlot.esm.js", "dist/uPlot.min.css"],
};

rmSync(out, {recursive: true, force: true});
mkdirSync(out, {recursive: true});
for (const file of own) cpSync(join(source, file), join(out, file));
let licences = "";
for (const [name, files] of Object.entries(vendor)) {
  for (const file of files) {
    cpSync(join(modules, name, file), join(out, "vendor", name, file.replace(/^dist\//, "")), {recursive: true});
  }
  const about = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  const text = readFileSync(join(modules, name, "LICENSE"), "utf8").trim();
  licences += `${about.name} ${about.version} (${about.license})\n\n${text}\n\n\n`;
}
writeFileSync(join(out, "licences.txt"), licences.trimEnd() + "\n");
if (npm) await countByItself();

async function countByItself() {
  const change = (file, ...pairs) => {
    let text = readFileSync(join(out, file), "utf8");
    for (const [from, to] of pairs) {
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
      text = text.replace(from, to);
    }
    writeFileSync(join(out, file), text);
  };
  mkdirSync(join(out, "engine"));
  for (const file of ["index.js", "where.js", "wasi.js", "worker.js", "workers.js"]) cpSync(join(npm, file), join(out, "engine", file));
  cpSync(engine, join(out, "engine", "manyply.wasm"));
  change("index.html", ['<meta name="counter" content="server">', '<meta name="counter" content="here">\n' +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'">`],
    ['  <a href="openapi.json">API</a>\n', ""]);

  const {JobRequest} = JSON.parse(readFileSync(openapi, "utf8")).components.schemas;
  writeFileSync(join(out, "limits.json"), JSON.stringify(JobRequest.properties));
  // What the engine says of the start position is there before the engine.
  const {close, withWorkers} = await import(pathToFileURL(join(out, "engine", "workers.js")));
  const start = await withWorkers(1, undefined, ([worker]) => worker.ask({do: "describe", fen: "startpos", moves: "", depth: 0}));
  writeFileSync(join(out, "start.json"), JSON.stringify(start));
  close();

  const files = readdirSync(out, {recursive: true}).filter(file => file !== "sw.js" && statSync(join(out, file)).isFile()).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  change("sw.js", ["/* FILES */", ["./", ...files.map(file => relative(out, join(out, file)))].map(file => JSON.stringify(file)).join(", ")],
         ["/* VERSION */", hash.digest("hex").slice(0, 16)]);
}
