// Functions that the tests of the page share: a server, a browser, visits, and what users do and read on the page.
//
// The result of a test must not depend on the speed of the machine. Tests wait for states, delay responses (`held`) and
// release them one by one, and slow the processor down if they test a slow one. Time limits only end tests that hang.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from "node:fs";
import {createServer} from "node:http";
import {createRequire} from "node:module";
import {join} from "node:path";
import {fileURLToPath} from "node:url";
import {chromium, firefox} from "playwright-core";

const kPatience = Number(process.env.MANYPLY_PATIENCE_MS ?? 5 * 60_000);  // time limit for waits that hang
const kShell = "/usr/bin/chromium-headless-shell";
const [, perft, work, words = ""] = process.argv.slice(2);
const pictures = join(work, "pictures");

export let url = null, browser = null;
export const complaints = [];  // errors that the browser reported; there must be none

/**
 * Serves the static files that run.sh has made, like a plain file server. The address has a base path. Resolves to the
 * same object as `serve`.
 */
async function serveFiles() {
  const folder = join(work, "site");
  const types = {html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", json: "application/json", wasm: "application/wasm"};
  const answering = createServer(({url: target, headers}, response) => {
    const path = new URL(target, "http://here").pathname.replace(/^\/a\/path\//, "/");
    try {
      const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
      const small = /\bbr\b/.test(headers["accept-encoding"]) && existsSync(`${file}.br`);
      const bytes = readFileSync(small ? `${file}.br` : file);
      response.writeHead(200, {"Content-Type": types[/\w+$/.exec(path)?.[0] ?? "html"] ?? "text/plain", "Vary": "Accept-Encoding",
        "Cache-Control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
        ...(small ? {"Content-Encoding": "br"} : {})}).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise(resolve => answering.listen(0, "127.0.0.1", resolve));
  return {url: `http://127.0.0.1:${answering.address().port}/a/path/`, stop: () => answering.closeAllConnections() ?? answering.close()};
}
/**
 * Starts `perft serve` with a low priority and one core less, so that the browser gets enough time. Resolves to {url,
 * stop()} when the server answers.
 */
async function serve({path = "/", options = []}) {
  const state = mkdtempSync(join(work, "state."));
  const child = spawn("nice", ["-n", "5", perft, "serve", "--listen", "127.0.0.1:0", "--base-path", path, "--max-depth", "32",
    "--threads", "1", "--hash", "256M", "--state", state, "--no-access-log", ...options], {stdio: ["ignore", "pipe", "inherit"]});
  const ended = new Promise(resolve => child.once("exit", resolve));
  process.once("exit", () => child.kill("SIGKILL"));  // end the server if this process ends for any reason
  const at = await new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", part => {
      const found = /http:\S+/.exec(said += part);
      if (found && said.includes("\n")) resolve(found[0]);
    });
    ended.then(code => reject(new Error(`the server ended with ${code}`)));
  });
  return {url: at, async stop() {
    child.kill();
    assert.equal(await ended, 0);
    rmSync(state, {recursive: true});
  }};
}

/**
 * Opens the page in a new window. `hash` is the fragment of the address. `before(page)` runs before the page loads.
 * With `early`, does not wait until the page is ready. With `alone`, the page follows jobs without the shared worker,
 * so that `page.route` sees its event streams.
 */
export async function visit({hash = "", before = null, context = null, early = false, alone = false,
                             viewport = usual.viewport, colorScheme = null, ...options} = {}) {
  const plain = !context && !Object.keys(options).length;
  const used = plain ? free.pop() : null;
  const page = used ?? await (context ?? await browser.newContext({...usual, viewport, colorScheme, ...options})).newPage();
  if (plain) plainly.add(page);
  if (used && viewport !== usual.viewport) await used.setViewportSize(viewport);
  if (used && colorScheme) await used.emulateMedia({colorScheme});
  if (alone) await prelude(page, () => { delete globalThis.SharedWorker; });
  page.setDefaultTimeout(kPatience);
  page.on("request", request => {
    const address = new URL(request.url());
    if (address.protocol !== "blob:" && address.origin !== new URL(url).origin) complaints.push(`request to ${address.origin}`);
  });
  page.on("console", message => {
    // The browser itself reports the refusals (4xx) and lost connections that tests provoke.
    if (message.type() === "error" && !/status of (4\d\d|503)|net::ERR_/.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", error => complaints.push(error.stack));
  await before?.(page);
  await page.goto(url + hash, early ? {waitUntil: "commit"} : {});
  if (!early) await ready(page);
  return page;
}
/**
 * Opens a window in which `import("/source/NAME.js")` loads one module of the page from its source. The page itself has
 * joined modules.
 */
export const visitSources = (options = {}) => visit({...options, before: page => page.route("**/source/**", route => {
  const name = new URL(route.request().url()).pathname.replace("/source/", "");
  const path = name === "vendor/uplot/uPlot.esm.js" ? join(perft, "../web/npm/node_modules/uplot/dist/uPlot.esm.js")
    : fileURLToPath(new URL(`../web/${name}`, process.env.MANYPLY_SUITES));
  return route.fulfill({path, contentType: "text/javascript"});
})});
/** For `before`: runs `script` in the window before the page's scripts, until the test ends. */
export async function prelude(page, script) {
  if (!plainly.has(page) || isFirefox()) {
    plainly.delete(page);  // such a script cannot be removed, so do not use the window again
    return page.addInitScript(script);
  }
  const session = await sessionOf(page);
  await session.send("Page.enable");
  await session.send("Page.addScriptToEvaluateOnNewDocument", {source: `(${script})()`});
}
/** Returns a session of the DevTools protocol for a window. It ends with the window. */
async function sessionOf(page) {
  if (!sessions.has(page)) sessions.set(page, await page.context().newCDPSession(page));
  return sessions.get(page);
}
const sessions = new Map();
const isFirefox = () => browser.browserType().name() === "firefox";

/**
 * From now on, holds back responses to requests whose address matches `pattern` and for which `fits` returns true.
 * `next()` resolves to the next such request: {request, release()}. `off()` releases all of them and holds back no
 * more.
 */
export async function held(page, pattern, fits = () => true) {
  const waiting = [], wanted = [];
  let open = false;
  const hand = async route => {
    if (open || !fits(route.request())) return route.fallback();
    const response = await route.fetch().catch(() => null);
    await new Promise(resolve => {
      const one = {request: route.request(), release: resolve};
      if (open) resolve();
      else if (wanted.length) wanted.shift()(one);
      else waiting.push(one);
      all.add(resolve);
    });
    return response ? route.fulfill({response}).catch(() => {}) : route.abort().catch(() => {});
  };
  const all = new Set();
  await page.route(pattern, hand);
  return {
    next: () => waiting.length ? Promise.resolve(waiting.shift())
      : within(`a request of ${pattern}`, new Promise(resolve => wanted.push(resolve))),
    off() {
      open = true;
      for (const release of all) release();
    },
  };
}
/** Returns `promise`, or throws if it takes too long. */
async function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what} never came`)), kPatience); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
/** Releases the response to `one`. Resolves when the page has received and processed it. */
export async function answered(page, one) {
  const response = page.waitForResponse(response => response.request() === one.request);
  one.release();
  await (await response).finished();
  await idle(page);
}
/** Resolves when the page has processed all events so far: timers that are due, and what they start. */
export const idle = page => page.evaluate(async () => {
  for (let turns = 0; turns < 5; ++turns) await new Promise(resolve => setTimeout(resolve));
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
});
/** Slows down the page's processor by this factor from now on. */
export async function slow(page, rate) {
  await (await sessionOf(page)).send("Emulation.setCPUThrottlingRate", {rate});
}
/** For `before`: the page repeats its periodic tasks ten times as often. */
export const hurried = page => prelude(page, () => {
  const plain = globalThis.setTimeout;
  globalThis.setTimeout = (action, after, ...rest) => plain(action, after >= 1000 ? after / 10 : after, ...rest);
});
/** Makes the page read the list of jobs again, as if its window had come to the front. */
export const look = page => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
const usual = {viewport: {width: 1280, height: 800}, reducedMotion: "reduce"};
// Windows without special settings are emptied and used again, because opening a window takes longer than loading the page.
// Unused windows show a picture from the same server, so that the browser keeps their process.
const plainly = new Set(), free = [];
async function tidy() {
  for (const window of browser.contexts()) {
    const [page, ...others] = window.pages();
    if (free.includes(page)) continue;
    await sessions.get(page)?.detach();
    sessions.delete(page);
    if (!page || others.length || !plainly.has(page)) {
      await leave(window);
      continue;
    }
    await page.unrouteAll({behavior: "ignoreErrors"});
    await window.unrouteAll({behavior: "ignoreErrors"});
    for (const event of ["request", "response", "console", "pageerror"]) page.removeAllListeners(event);
    await window.setOffline(false);
    await page.goto(`${url}icon.svg`);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.setViewportSize(usual.viewport);
    await page.emulateMedia({colorScheme: null});
    free.push(page);
  }
}
/** Closes a window. If a route of the test is handling a request, its response is dropped. */
export async function leave(window) {
  for (const routed of [...window.pages(), window]) await routed.unrouteAll({behavior: "ignoreErrors"});
  await window.close();
}
export const ready = page => page.waitForFunction(() => /\d/.test(document.querySelector("#legal-count").textContent));
export const text = (page, selector) => page.textContent(selector);
/** Waits until the text of `selector` equals the string `wanted`, or matches the regular expression `wanted`. */
export const says = (page, selector, wanted) => page.waitForFunction(([selector, source, whole]) => {
  const said = document.querySelector(selector)?.textContent;
  return whole ? said === source : said != null && new RegExp(source).test(said);
}, [selector, wanted.source ?? wanted, typeof wanted === "string"]);

/** Presses a tab. Resolves when the contents of the tab are shown. */
export async function turnTo(page, tab) {
  await page.click(`#tab-${tab}`);
  await page.waitForFunction(tab => document.body.dataset.shown === tab, tab);
}
export async function ask(page, depth, mode = "count") {
  await page.fill("#depth", String(depth));
  await page.selectOption("#mode", mode);
  await page.click("#submit .primary");
}
export const total = page => page.getAttribute("#total .count", "data-digits");
export const done = (page, title) => page.waitForFunction(wanted =>
  document.querySelector("#result-title").textContent.startsWith(wanted) && !document.querySelector("#total").hidden &&
  !document.querySelector("#result").hidden, title);
/** The first words of a result's title, for each mode. */
const titles = {count: "Perft()", hashed: "Hashed perft()", unhashed: "Unhashed perft()", configurations: "Perft() by configurations", verify: "Verified perft()",
  stats: "Statistics of perft()", unique: "Distinct positions of perft()", estimate: "Estimated perft()"};
export const count = async (page, depth, mode = "count") => {
  await ask(page, depth, mode);
  await done(page, `${titles[mode].replace("()", `(${depth})`)} of`);
  return total(page);
};
export const line = page => page.$eval("#crumbs", crumbs => crumbs.hidden ? "" : crumbs.textContent);
export const fits = async (page, width) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width);
/**
 * In slow parts, or if MANYPLY_PICTURES is in the environment, takes a screenshot of the whole page. Without `whole`,
 * takes a screenshot of the visible part only.
 */
export async function shoot(page, name, {whole = true} = {}) {
  if (wantsPictures) await page.screenshot({path: join(pictures, `${name}.png`), fullPage: whole});
}
let wantsPictures = "MANYPLY_PICTURES" in process.env;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Fails if axe-core finds an error. With `dark`, checks dark mode, too. */
export async function barriers(page, where, {dark = false} = {}) {
  await barriersOf(page, where, {});
  if (!dark) return;
  await page.emulateMedia({colorScheme: "dark"});
  await barriersOf(page, `${where}, in dark`, {runOnly: ["color-contrast"]});  // dark mode can change only the results of rules about colours
  await page.emulateMedia({colorScheme: "light"});
}
async function barriersOf(page, where, rules) {
  // Wait for animations, because a text that is still fading in has too little contrast.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(animation => animation.finished)));
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe);
  // Passed rules are not listed for each element.
  const {violations, passes} = await page.evaluate(rules => globalThis.axe.run({resultTypes: ["violations"], ...rules}), rules);
  assert.ok(passes.some(({id}) => id === "color-contrast"), where);
  assert.deepEqual(violations.map(({id, nodes}) => `${where}: ${id}: ${nodes.map(node => node.target).join(", ")}`), []);
}

/** Returns the URL of `path`, which begins with "/", below the base path of the page. */
export const api = (page, path) => new URL(path.slice(1), url).href;
/** Submits a job as another client. */
export const submit = async (page, request) => (await page.request.post(api(page, "/v1/jobs"), {data: request})).json();
export const cancel = (page, id) => page.request.delete(api(page, `/v1/jobs/${id}`));
export async function finished(page, request) {
  for (let job = await submit(page, request);;) {
    if (job.state === "done") return job;
    assert.ok(["queued", "running"].includes(job.state), job.state);
    job = await (await page.request.get(api(page, `/v1/jobs/${job.id}?wait=10`))).json();
  }
}
/**
 * Cancels or removes the jobs of earlier tests: waiting jobs would delay the next test, and a long list of finished
 * jobs would slow it down.
 */
export async function calm() {
  const asked = await fetch(api(null, "/v1/jobs"));
  for (const {id} of (await asked.json()).jobs) await fetch(api(null, `/v1/jobs/${id}`), {method: "DELETE"});
}
/** Returns a question that was not asked before. */
export const unheard = () => ({depth: 7, mode: "estimate", samples: 100, seed: Math.floor(Math.random() * 2 ** 53)});
/** Starts a long job, so that all later jobs wait in the queue. Returns a function that ends it. */
export async function busy(page) {
  const {id} = await submit(page, {depth: 12, mode: "unhashed", fen: "kiwipete"});
  return () => cancel(page, id);
}

/** Returns the server's divide of the position after `moves`. */
export async function ours(page, fen, moves, depth) {
  const answer = await page.request.post(api(page, "/v1/diff"), {data: {fen, moves: moves.join(" "), depth, divide: "a1a1: 1"}});
  return (await answer.json()).rows.filter(row => row.ours != null).map(({move, ours: nodes}) => ({move, nodes}));
}
export const printed = rows => rows.map(({move, nodes}) => `${move}: ${nodes}`).join("\n");
export const paste = async (page, divide) => {
  await page.fill("#pasted", divide);
  await page.click("#diff-form .primary");
};

export const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
export const bareKings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

/**
 * Runs the tests and ends the process, with exit code 1 if a test fails. `server` has the options of `serve`. Slow
 * tests use the complete browser. Quick tests use its headless variant if it is installed, which takes two thirds of
 * the time.
 */
export async function run(tests, server = {}, {quick = true} = {}) {
  wantsPictures = (wantsPictures || !quick) && !server.firefox;  // in Firefox, screenshots need a style that the page's content security policy forbids
  mkdirSync(pictures, {recursive: true});
  const [serving, browsing] = await Promise.all([server.files ? serveFiles() : serve(server),
    server.firefox ? firefox.launch({channel: "moz-firefox", executablePath: "/usr/bin/firefox-esr", timeout: kPatience})
      : chromium.launch({executablePath: quick && existsSync(kShell) ? kShell : "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"], timeout: kPatience})]);
  url = serving.url;
  browser = browsing;
  let failed = 0, run = 0;
  process.on("unhandledRejection", error => {  // a route was still handling a request when its page was closed
    failed = 1;
    console.log(`FAIL  ${error.stack}`);
  });
  for (const [name, test] of Object.entries(tests)) {
    if (!words.split("|").some(part => name.includes(part))) continue;
    ++run;
    const start = performance.now();
    try {
      await test();
      assert.deepEqual(complaints.splice(0), []);
      console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed = 1;
      console.log(`FAIL  ${name}: ${error.stack}\n${complaints.splice(0).join("\n")}`);
      if (!server.firefox) for (const [at, page] of browser.contexts().flatMap(window => window.pages()).entries()) {
        await page.screenshot({path: join(pictures, `failed-${at}.png`)}).catch(() => {});
      }
    }
    await tidy();
    if (!server.files) await calm();
  }
  await browser.close();
  await serving.stop();
  process.exit(failed || (run ? 0 : 1));
}
