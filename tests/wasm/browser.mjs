// Tests the library in Chromium, once as the files of the package and once bundled by esbuild. A plain file server
// serves the page. The content security policy allows only 'wasm-unsafe-eval'.
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const installed = new URL("./node_modules/manyply/", import.meta.url).pathname;
const site = new URL("./site/", import.meta.url).pathname;

const program = `
  import { perft, divide, unique, suite, legalMoves, bisect } from MANYPLY;
  const say = (name, value) => { document.body.append(name + "=" + value + "\\n"); };
  try {
    say("isolated", globalThis.crossOriginIsolated);
    say("perft", await perft("startpos", 6));
    say("workers", (await divide("kiwipete", 5, { workers: 2 })).total);
    say("unique", (await unique("startpos", 5, { workers: 2 })).plies[5].distinct);
    say("suite", (await suite("startpos ;D1 20 ;D2 400")).agrees);
    say("moves", (await legalMoves("startpos")).length);
    const begun = performance.now();
    say("aborted", await perft("startpos", 11, { signal: AbortSignal.timeout(300) }).catch(({ name }) => name));
    say("after", await perft("startpos", 4));
    say("bisect", await bisect(2, { engine: "none" }).catch(({ code }) => code));
  } catch (error) {
    say("error", error.stack ?? error);
  }
  say("done", true);`;

await mkdir(join(site, "bundle"), { recursive: true });
await writeFile(join(site, "plain.js"), program.replace("MANYPLY", '"/manyply/index.js"'));
await writeFile(join(site, "app.js"), program.replace("MANYPLY", '"manyply"'));
await build({ entryPoints: { app: join(site, "app.js"), worker: join(installed, "worker.js") }, bundle: true, format: "esm",
              outdir: join(site, "bundle"), platform: "browser", target: "es2022", logLevel: "warning",
              nodePaths: [join(installed, "..")] });
await copyFile(join(installed, "manyply.wasm"), join(site, "bundle", "manyply.wasm"));

const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const server = createServer(async ({ url }, response) => {
  if (url.endsWith(".html")) {
    const script = { "/plain.html": "/plain.js", "/bundle.html": "/bundle/app.js" }[url];
    response.writeHead(200, { "content-type": "text/html",
                              "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; " +
                                                         "worker-src 'self'; connect-src 'self'" });
    response.end(`<!doctype html><title>manyply</title><body><script type="module" src="${script}"></script>`);
    return;
  }
  const file = url.startsWith("/manyply/") ? join(installed, url.slice("/manyply/".length)) : join(site, url);
  try {
    const bytes = await readFile(file);
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream",
                              "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'" });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  for (const name of ["plain", "bundle"]) {
    const page = await browser.newPage();
    const complaints = [];
    page.on("console", (message) => { if (message.type() === "error" && !/favicon/.test(message.location().url)) complaints.push(message.text()); });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/${name}.html`);
    await page.waitForFunction(() => document.body.innerText.includes("done=true"), null, { timeout: 300_000 });
    const said = Object.fromEntries((await page.evaluate(() => document.body.textContent)).trim().split("\n")
      .map((line) => line.split("=")));
    assert.deepEqual(said, { isolated: "false", perft: "119060324", workers: "193690690", unique: "822518", suite: "true", moves: "20",
                             aborted: "TimeoutError", after: "197281", bisect: "unavailable", done: "true" }, name);
    assert.deepEqual(complaints, [], name);
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
}
