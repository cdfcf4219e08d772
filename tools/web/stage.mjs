// node stage.mjs SOURCE MODULES OUT: gathers what the server serves as the page into OUT. Our own files as
// they are; of the two libraries only what the page loads, and their licences.
import {cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const [source, modules, out] = process.argv.slice(2);
const own = readdirSync(source).filter(file => /\.(html|css|js|svg)$/.test(file));
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
