// Tests of the page as static files, without a server. This page counts in workers of the browser. Runs the tests that
// it shares with a server's page, and tests of its own features.
import assert from "node:assert/strict";
import {existsSync, readFileSync, readdirSync, statSync} from "node:fs";
import {join} from "node:path";
import {brotliDecompressSync, gunzipSync} from "node:zlib";
import {both, driven} from "./both.mjs";
import {loadsInFewRequests, printSlowLink} from "./loading.mjs";
import {ask, browser, count, done, hurried, look, prelude, ready, says, text, total, url, visit} from "./harness.mjs";

/** A plain file server that serves the folder below a path, because the page must work on any host and path. */
export const server = {files: true};
const folder = join(process.argv[4], "site");

export const tests = {
  "a visit is few requests, a second one fewer": () => loadsInFewRequests({bytes: 700_000, again: 20_000}),

  ...driven("two plies", "a hunt goes", "a count is cancelled", "every mode"),

  async "it asks nobody for anything, and says who counts"() {
    const page = await visit();
    const asked = [];
    page.on("request", request => asked.push(new URL(request.url()).pathname));
    await count(page, 6);
    assert.deepEqual(asked.filter(path => /\/v1\/|openapi/.test(path)), []);
    assert.equal(await text(page, "#who"), "Counted in this browser.");
    for (const absent of ["#tab-campaigns", "#jobs-mine", 'a[href="openapi.json"]']) assert.equal(await page.locator(absent).filter({visible: true}).count(), 0, absent);
    assert.equal(await page.evaluate(() => globalThis.crossOriginIsolated), false);
    assert.match(await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content"), /script-src 'self' 'wasm-unsafe-eval';/);
  },

  async "after the first visit it counts without a network, and a reload keeps what was counted"() {
    const context = await browser.newContext();
    const page = await visit({context});
    await page.evaluate(async () => { await navigator.serviceWorker.ready; });
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await count(page, 4);
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await done(page, "Perft(4) of");
    assert.equal(await count(page, 5), "4865609");
    await context.setOffline(false);
    await context.close();
  },

  async "a reload in the middle of a count begins it again, and a cancelled one stays cancelled"() {
    const page = await visit({hash: "#fen=kiwipete&depth=8&mode=unhashed"});
    await page.click("#submit .primary");
    await says(page, "#figures", /Time left/);
    await page.reload();
    await ready(page);
    await says(page, "#result-title", "Unhashed perft(8) of Kiwipete");
    await says(page, "#figures", /Time left/);
    await page.click("#cancel");
    await says(page, "#status", "Cancelled");
    await page.reload();
    await ready(page);
    await says(page, "#status", "Cancelled");
    assert.equal(await page.locator("#jobs .job").count(), 1);
    assert.equal(await count(page, 3), "97862");
  },

  async "a third count waits for the first, and says so"() {
    const page = await visit({hash: "#fen=kiwipete&mode=unhashed"});
    for (const depth of [9, 10, 11]) await ask(page, depth, "unhashed");
    await says(page, "#result-title", "Unhashed perft(11) of Kiwipete");
    await says(page, "#status", /^Waiting for job \d+$/);
    const first = await page.$eval("#jobs li:last-child .job", job => job.dataset.job);
    assert.equal(await text(page, "#status"), `Waiting for job ${first}`);
    await page.click(`.job[data-job="${first}"]`);
    await says(page, "#result-title", "Unhashed perft(9) of Kiwipete");
    await page.click("#cancel");
    await page.click("#jobs li:first-child .job");
    await says(page, "#status", "Counting");
  },

  async "the board is there before the engine"() {
    const page = await visit({before: page => page.route("**/*.wasm", () => {})});  // the module never arrives
    assert.equal(await text(page, "#legal-count"), "20 legal moves");
    await page.waitForSelector('#board [data-piece="wk"][data-square="e1"]');
  },

  async "a worker that is killed is started again"() {
    const page = await visit({before: page => prelude(page, () => {
      const {Worker: Plain} = globalThis;
      globalThis.workers = [];
      globalThis.Worker = class extends Plain {
        constructor(...given) {
          super(...given);
          globalThis.workers.push(this);
        }
      };
    })});
    assert.equal(await count(page, 4), "197281");
    await page.evaluate(() => {  // simulates the event that the browser sends
      for (const worker of globalThis.workers.splice(0)) {
        worker.terminate();
        worker.onerror(new ErrorEvent("error", {message: "killed"}));
      }
    });
    assert.equal(await count(page, 5), "4865609");
  },

  async "the engine comes by itself, and the first count finds it there"() {
    const page = await visit({before: page => prelude(page, () => {
      const {Worker: Plain} = globalThis;
      globalThis.ready = new Promise(resolve => {
        globalThis.Worker = class extends Plain {
          constructor(...given) {
            super(...given);
            this.addEventListener("message", ({data}) => data.answer && resolve());
          }
        };
      });
    })});
    await page.evaluate(() => globalThis.ready);
    const asked = [];
    page.on("request", request => asked.push(request.url()));
    assert.equal(await count(page, 4), "197281");
    assert.deepEqual(asked.filter(address => /assets/.test(address)), []);
  },

  async "each file is there compressed as well, and that is small; whose code it is can be read"() {
    const names = readdirSync(folder, {recursive: true}).filter(name => statSync(`${folder}/${name}`).isFile());
    const sums = {br: 0, gz: 0};
    for (const name of names.filter(name => !/\.(br|gz)$/.test(name))) {
      const plain = readFileSync(`${folder}/${name}`);
      for (const [ending, unpacked] of [["br", brotliDecompressSync], ["gz", gunzipSync]]) {
        const file = `${folder}/${name}.${ending}`, small = existsSync(file) ? readFileSync(file) : plain;
        if (small !== plain) assert.ok(unpacked(small).equals(plain), file);
        sums[ending] += small.length;
      }
    }
    console.log(`      compressed, all of it: ${sums.br} bytes, by gzip ${sums.gz}`);
    assert.ok(sums.br <= 600_000, String(sums.br));
    assert.ok(names.some(name => /^assets\/manyply\.[0-9a-f]{16}\.wasm\.br$/.test(name)));
    assert.doesNotMatch(readFileSync(`${folder}/sw.js`, "utf8"), /\.(br|gz)"/);  // the cache contains unpacked files
    const licences = readFileSync(`${folder}/licences.txt`, "utf8");
    for (const library of [/Manyply \(MIT\)/, /Rich Felker/, /LLVM/, /Victor Zverovich/, /Yann Collet/, /Niels Lohmann/, /cm-chessboard/, /uplot/]) {
      assert.match(licences, library);
    }
  },

  async "workers share the distinct positions of a ply"() {
    const page = await visit({before: page => prelude(page, () => {
      Object.defineProperty(navigator, "hardwareConcurrency", {value: 2});
      const {Worker: Plain} = globalThis;
      globalThis.asked = [];
      globalThis.Worker = class extends Plain {
        postMessage(question) {
          globalThis.asked.push(question);
          super.postMessage(question);
        }
      };
    })});
    assert.equal(await count(page, 5, "unique"), "822518");
    const shares = await page.evaluate(() => globalThis.asked.filter(({do: what}) => what === "share").map(({mode, share, shares}) => [mode, share, shares]));
    assert.deepEqual(shares, [["unique", 0, 2], ["unique", 1, 2]]);
    assert.match(await text(page, "#verdict"), /published/);
  },

  async "no byte comes from another place"() {
    const page = await visit();
    await count(page, 3, "hashed");
    const sizes = await page.evaluate(() => performance.getEntriesByType("resource").map(({name}) => name));
    assert.ok(sizes.every(name => name.startsWith(url)), String(sizes));
    assert.equal(await total(page), "8902");
  },
};

/** Returns counts of a built-in suite: for each line the deepest one that is small enough, as [fen, depth, nodes]. */
function rowsOf(file, most, atMost) {
  const lines = readFileSync(new URL(file, process.env.MANYPLY_SUITES), "utf8").split("\n").filter(line => /;D\d/.test(line));
  return lines.slice(0, most).map(line => {
    const [fen, ...counts] = line.split(";");
    const [depth, nodes] = counts.map(part => /^D(\d+) (\d+)/.exec(part.trim())?.slice(1)).filter(pair => pair && Number(pair[1]) <= atMost).at(-1) ?? [];
    return depth && [fen.trim(), Number(depth), nodes];
  }).filter(row => row);
}

/**
 * Runs `what` five times, each time in a new browser that has visited the page before. Returns the median of the
 * seconds.
 */
async function median(name, bound, what) {
  const times = [];
  for (let run = 0; run < 5; ++run) {
    const context = await browser.newContext();
    const page = await visit({context});
    await count(page, 1);  // now the engine is loaded
    times.push(await what(page));
    await context.close();
  }
  times.sort((a, b) => a - b);
  console.log(`      ${name}: ${times.map(time => time.toFixed(3)).join(" ")} s`);
  assert.ok(times[2] <= bound, `${name} takes ${times[2]} s`);
}
/** Returns the time from the press to the total, by the page's clock. */
const timed = async (page, hash, nodes) => {
  await page.goto(url + hash);
  await page.reload();  // if only the hash differs, a browser does not load the page again
  await ready(page);
  return page.evaluate(nodes => new Promise(resolve => {
    const total = document.querySelector("#total"), begun = performance.now();
    new MutationObserver(() => {
      if (!total.hidden && total.querySelector(".count")?.dataset.digits === nodes) resolve((performance.now() - begun) / 1000);
    }).observe(document.querySelector("#result"), {subtree: true, childList: true, attributes: true});
    document.querySelector("#submit .primary").click();
  }), nodes);
};

export const slow = {
  "on a slow link: figures to read": printSlowLink,

  async "windows share what was counted, and each job has its own number"() {
    const context = await browser.newContext();
    const [one, other] = [await visit({context, before: hurried}), await visit({context, before: hurried})];
    await count(one, 3);
    await count(other, 4);
    await count(one, 5);
    for (const page of [one, other]) {
      await look(page);
      await page.waitForFunction(() => document.querySelectorAll("#jobs .job").length === 3);
      assert.deepEqual(await page.$$eval("#jobs .job", all => all.map(({dataset}) => dataset.job)), ["3", "2", "1"]);
    }
    await other.click('[data-remove="1"]');
    await other.waitForSelector('.job[data-job="1"]', {state: "detached"});
    await look(one);
    await one.waitForSelector('.job[data-job="1"]', {state: "detached"});
    await one.click('.job[data-job="2"]');
    await done(one, "Perft(4) of");
    await context.close();
  },

  ...both,

  async "counts are those of the suites: the classic six, 200 tricky positions, 100 of Chess960"() {
    const page = await visit();
    for (const [file, most, atMost] of [["classic.epd", 6, 2e8], ["tricky.epd", 200, 2e6], ["chess960.epd", 100, 2e6]]) {
      const rows = rowsOf(file, most, atMost);
      assert.ok(rows.length >= Math.min(most, 6), file);
      const wrong = await page.evaluate(async rows => {
        const {counter} = await import(document.querySelector('script[type="module"]').src);
        const differ = [];
        for (const [start, depth, nodes] of rows) {
          const job = await counter.finish({start, moves: [], depth, mode: "count"});
          if (job.nodes !== nodes) differ.push([start, depth, nodes, job.nodes]);
        }
        return differ;
      }, rows);
      assert.deepEqual(wrong, [], file);
      console.log(`      ${file}: ${rows.length} positions`);
    }
  },

  async "the time left: figures to read"() {
    const context = await browser.newContext();
    const page = await visit({context});
    await count(page, 1);  // now the engine is loaded
    for (const hash of ["#depth=8", "#depth=9", "#fen=kiwipete&depth=6", "#depth=7&mode=hashed", "#depth=8&mode=hashed"]) {
      await page.goto(url + hash);
      await page.reload();
      await ready(page);
      await page.evaluate(() => localStorage.clear());  // so that the page counts again
      await page.reload();
      await ready(page);
      const {shown, end} = await page.evaluate(() => new Promise(resolve => {
        const figures = document.querySelector("#figures"), status = document.querySelector("#status"), begun = performance.now();
        const seconds = () => (performance.now() - begun) / 1000, shown = [];
        new MutationObserver(() => {
          const words = [...figures.querySelectorAll("dt")].find(({textContent}) => textContent === "Time left")?.nextElementSibling.textContent;
          shown.push([seconds(), words]);
        }).observe(figures, {childList: true, subtree: true});
        new MutationObserver(() => /^Counted/.test(status.textContent) && resolve({shown, end: seconds()}))
          .observe(status, {childList: true, characterData: true, subtree: true});
        document.querySelector("#submit .primary").click();
      }));
      const lefts = shown.map(([at, words]) => {
        const [, minutes = 0, value, unit] = /^(?:(\d+) min )?([\d.]+) (ms|s)$/.exec(words) ?? [];
        return {at, left: unit ? 60 * Number(minutes) + Number(value) / (unit === "ms" ? 1000 : 1) : null};
      }).filter(({at, left}) => left !== null && at > end / 3);
      const errors = lefts.map(({at, left}) => Math.abs(left - (end - at)) < 0.3 ? 0 : Math.round(100 * (left / (end - at) - 1)));
      console.log(`      ${hash}, ${end.toFixed(1)} s: ${errors.length ? `${errors.length} times, ${Math.min(...errors)} to ${Math.max(...errors)} %` : "not shown"}`);
    }
    await context.close();
  },

  async "it is fast, and stops at once"() {
    await median("perft(6)", 0.3, page => timed(page, "#depth=6", "119060324"));
    await median("Kiwipete 5", 0.3, page => timed(page, "#fen=kiwipete&depth=5", "193690690"));
    await median("perft(7), hashed", 2, page => timed(page, "#depth=7&mode=hashed", "3195901860"));
    await median("cancel", 0.2, async page => {
      await page.goto(`${url}#fen=kiwipete&depth=8&mode=unhashed`);
      await page.reload();
      await ready(page);
      await page.click("#submit .primary");
      await page.waitForSelector("#cancel", {state: "visible"});
      return page.evaluate(() => new Promise(resolve => {
        const status = document.querySelector("#status"), begun = performance.now();
        new MutationObserver(() => status.textContent === "Cancelled" && resolve((performance.now() - begun) / 1000))
          .observe(status, {childList: true, characterData: true, subtree: true});
        document.querySelector("#cancel").click();
      }));
    });
  },

  async "the main thread is never held for long"() {
    const context = await browser.newContext();
    const page = await visit({context, before: page => prelude(page, () => {
      globalThis.long = [];
      new PerformanceObserver(list => globalThis.long.push(...list.getEntries().map(({duration}) => duration))).observe({type: "longtask", buffered: true});
    })});
    await page.evaluate(() => { globalThis.long.length = 0; });
    await count(page, 7, "hashed");
    await count(page, 4, "stats");
    const long = await page.evaluate(() => globalThis.long);
    console.log(`      tasks above 50 ms: ${long.map(Math.round).join(" ") || "none"}`);
    assert.ok(long.every(duration => duration <= 100), String(long));
    await context.close();
  },
};
