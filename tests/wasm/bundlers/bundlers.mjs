// Builds a small project with vite, webpack and esbuild, as the README of the package describes, and runs it in
// Chromium. The package is in node_modules, where npm installs it. The bundlers get only those settings that the README
// shows, and no plugins.
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import test, { after, before } from "node:test";

import { build as esbuild } from "esbuild";
import { chromium } from "playwright-core";
import { build as vite, createServer as viteServer } from "vite";
import webpack from "webpack";

const here = new URL("./", import.meta.url).pathname;
const page = (script) => `<!doctype html><title>manyply</title><body><script type="module" src="${script}"></script></body>`;
const program = `
  import { divide, legalMoves, perft } from "manyply";
  const say = (name, value) => { document.body.append(name + "=" + value + "\\n"); };
  try {
    say("perft", await perft("startpos", 5));
    say("workers", (await divide("kiwipete", 4, { workers: 2 })).total);
    say("moves", (await legalMoves("startpos")).length);
    say("refused", await perft("startpos", 1.5).catch(({ field }) => field));
  } catch (error) {
    say("error", error.stack ?? error);
  }
  say("done", true);`;
const right = { perft: "4865609", workers: "4085603", moves: "20", refused: "depth", done: "true" };

const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
let browser;
before(async () => { browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] }); });
after(() => browser.close());

/** Makes the project `name`, and returns its folder. */
async function project(name) {
  const folder = join(here, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await writeFile(join(folder, "index.html"), page("./main.js"));
  await writeFile(join(folder, "main.js"), program);
  return folder;
}

async function runAt(address) {
  const tab = await browser.newPage();
  const complaints = [];
  tab.on("console", (message) => { if (message.type() === "error" && !/favicon/.test(message.location().url)) complaints.push(message.text()); });
  tab.on("pageerror", (error) => complaints.push(String(error)));
  await tab.goto(address);
  await tab.waitForFunction(() => document.body.textContent.includes("done=true"), null, { timeout: 300_000 }).catch(() => {});
  const said = (await tab.evaluate(() => document.body.textContent)).trim().split("\n").map((line) => line.split("="));
  await tab.close();
  assert.deepEqual(complaints, []);
  assert.deepEqual(Object.fromEntries(said), right);
}

/** Runs the page in `folder`. A plain file server serves it. */
async function run(folder) {
  const server = createServer(async ({ url }, response) => {
    try {
      const bytes = await readFile(join(folder, url));
      response.writeHead(200, { "content-type": types[extname(url)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await runAt(`http://127.0.0.1:${server.address().port}/index.html`);
  } finally {
    server.close();
  }
}

const modulesIn = async (folder) => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".wasm"));

test("vite build", async () => {
  const root = await project("vite");
  await vite({ root, base: "./", configFile: false, logLevel: "warn" });
  assert.equal((await modulesIn(join(root, "dist"))).length, 1);
  await run(join(root, "dist"));
});

test("vite's development server", async () => {
  const root = await project("vite-dev");
  const server = await viteServer({ root, configFile: false, logLevel: "warn", optimizeDeps: { exclude: ["manyply"] },
                                    server: { host: "127.0.0.1", port: 0, fs: { allow: [here] } } });
  await server.listen();
  try {
    await runAt(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
});

test("webpack, for production", async () => {
  const root = await project("webpack");
  const path = join(root, "dist");
  const stats = await new Promise((resolve, reject) => {
    webpack({ mode: "production", context: root, entry: "./main.js", output: { path } },
            (error, done) => (error ? reject(error) : resolve(done)));
  });
  // webpack may warn about the size of the WebAssembly module.
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings].map(({ message, moduleName, loc }) => `${moduleName} ${loc}: ${message}`).filter((text) => !/size limit/.test(text)), []);
  assert.equal((await modulesIn(path)).length, 1);
  await writeFile(join(path, "index.html"), page("main.js"));
  await run(path);
});

test("esbuild", async () => {
  const root = await project("esbuild");
  const outdir = join(root, "dist");
  const { warnings } = await esbuild({ absWorkingDir: root, entryPoints: ["main.js", "manyply/worker.js"], bundle: true,
                                       format: "esm", minify: true, entryNames: "[name]", outdir, logLevel: "silent" });
  assert.deepEqual(warnings, []);
  await copyFile(join(here, "node_modules", "manyply", "manyply.wasm"), join(outdir, "manyply.wasm"));
  await writeFile(join(outdir, "index.html"), page("main.js"));
  await run(outdir);
});
