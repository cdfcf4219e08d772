// Tests with other clients, lost connections and tokens.
import assert from "node:assert/strict";
import {answered, ask, browser, busy, cancel, count, done, finished, hurried, idle, kiwipete, look, prelude, ready, says, submit,
        text, total, turnTo, unheard, visit} from "./harness.mjs";

export const server = {options: ["--short-limit", "0"]};

/**
 * From now on, submissions are refused when the test releases their responses. Returns a function that resolves to the
 * next submission: {request, release()}.
 */
async function refusals(page) {
  const waiting = [];
  await page.route("**/v1/jobs", async route => {
    if (route.request().method() === "GET") return route.fallback();
    await new Promise(resolve => waiting.shift()({request: route.request(), release: resolve}));
    return route.fulfill({status: 429, contentType: "application/problem+json", json: {status: 429, detail: "the queue is full"}});
  });
  return () => new Promise(resolve => waiting.push(resolve));
}

/** Makes the server accept only one token. */
const guard = page => page.context().route("**/v1/**", async route =>
  route.request().headers().authorization === "Bearer open sesame" ? route.continue()
    : route.fulfill({status: 401, contentType: "application/problem+json", json: {title: "Unauthorized", status: 401, detail: "send a token"}}));

export const tests = {
  async "a broken stream is taken up after its last event"() {
    const page = await visit({alone: true});
    const resumed = [];
    await page.route("**/events", async route => {
      resumed.push(route.request().headers()["last-event-id"]);
      if (resumed.length > 1) return route.continue();
      const job = await (await page.request.get(route.request().url().replace("/events", ""))).text();
      return route.fulfill({contentType: "text/event-stream", body: `retry: 100\nid: 1\ndata: ${job.trim()}\n\n`});
    });
    await ask(page, 9, "unhashed");
    await page.waitForSelector("#plot canvas");
    assert.deepEqual(resumed, [undefined, "1"]);
    await page.click("#cancel");
    await page.waitForFunction(() => document.querySelector("#status").textContent === "Cancelled");
  },

  async "a lost connection is said once, and heals by itself"() {
    const page = await visit({before: hurried});
    const first = await finished(page, unheard());
    const release = await busy(page);
    await ask(page, 9, "unhashed");
    await says(page, "#status", /^Waiting/);
    await page.waitForSelector(`.job[data-job="${first.id}"]`);
    await page.context().setOffline(true);
    await says(page, "#connection", "The server cannot be reached. Trying again …");
    await page.click(`.job[data-job="${first.id}"]`);
    await says(page, "#submit-error", `Job ${first.id} is not shown: the server does not answer.`);
    await page.click("#moves button >> nth=0");
    await says(page, "#fen-error", "The previous position is still shown: the server does not answer.");
    await page.click("#submit .primary");  // the shown job has the same question, so no request is refused
    await page.fill("#depth", "3");
    await page.click("#submit .primary");
    await says(page, "#submit-error", "Nothing is counted: the server does not answer.");
    await page.fill("#depth", "9");
    assert.equal(await page.$$eval("body *", all => all.filter(node => node.children.length === 0 && node.checkVisibility() &&
      /cannot be reached|Failed to fetch/.test(node.textContent)).length), 1);
    assert.match(await text(page, "#result-title"), /^Unhashed perft\(9\) of/);
    await page.context().setOffline(false);
    await page.waitForSelector("#connection", {state: "hidden"});
    assert.equal(await text(page, "#submit-error") + await text(page, "#fen-error"), "");  // the error message has disappeared
    await release();
    await says(page, "#status", "Counting");  // the page has followed the job all the time
    await page.click(`.job[data-job="${first.id}"]`);
    await done(page, "Estimated perft(7) of");
    await page.goBack();
    await says(page, "#result-title", /^Unhashed perft\(9\) of/);
    await page.click("#cancel");
    await says(page, "#status", "Cancelled");
  },

  async "a press on a job counts, although the list changes before the release"() {
    const page = await visit({before: hurried});
    const {id} = await finished(page, unheard());
    const row = job => `.job[data-job="${job}"]`;
    await page.hover(row(id));
    await page.mouse.down();
    const other = await finished(page, unheard());
    const list = page.waitForResponse(async response => /\/v1\/jobs\?/.test(response.url()) && (await response.json()).jobs.some(job => job.id === other.id));
    await look(page);  // the page may be waiting for the release before it asks again
    await (await list).finished();
    await idle(page);
    await page.mouse.up();
    await done(page, "Estimated perft(7) of");
    await page.waitForSelector(row(other.id));
    await page.mouse.down({button: "right"});  // this press cannot become a click, so the list may change
    const {id: last} = await finished(page, unheard());
    await page.waitForSelector(row(last));
    await page.mouse.up({button: "right"});
  },

  async "an answer that was lost is asked for again, not counted again"() {
    const page = await visit({before: hurried});
    const keys = [];
    await page.route("**/v1/jobs", async route => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.continue();
      await route.fetch();  // the server receives the request, but the response is lost
      return route.abort();
    });
    await page.fill("#fen", "k7/8/8/8/8/8/8/1R4K1 w - - 0 1");
    await ask(page, 3);
    await page.waitForFunction(() => performance.getEntriesByType("resource").length && !document.querySelector("#connection").hidden);
    await page.waitForSelector("#connection", {state: "hidden"});
    await page.click("#submit .primary");
    await done(page, "Perft(3) of");
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
  },

  async "jobs of others appear, and what becomes of them"() {
    const page = await visit({before: hurried});
    const release = await busy(page);
    const other = await submit(page, {depth: 9, mode: "unhashed", fen: kiwipete});
    const row = `.job[data-job="${other.id}"]`;
    await look(page);
    await says(page, row, /Waiting.*#\d+ · just now.*Depth 9, unhashed.*Kiwipete/);
    await page.focus(row);
    await cancel(page, other.id);
    await page.waitForSelector(`${row} .state.cancelled`);  // without a press: while a job waits, the page reads the list often
    assert.ok(await page.$eval(row, button => button === document.activeElement));
    await release();
    const {id} = await finished(page, unheard());
    await look(page);
    await says(page, `.job[data-job="${id}"]`, /Done.*≈ 3\.\d+ × 10⁹ paths/);
  },

  async "the list says at once what the stage says"() {
    // Without the periodic reads of the list every two seconds, so that only news of the shown job arrive.
    const page = await visit({before: page => prelude(page, () => {
      const real = globalThis.setTimeout;
      globalThis.setTimeout = (action, after, ...rest) => after === 2000 || after === 5000 ? 0 : real(action, after, ...rest);
    })});
    const release = await busy(page);
    await ask(page, 11);
    await says(page, "#status", /^Waiting/);
    await page.waitForSelector('.job[aria-current="true"] .state.queued');
    await release();
    await says(page, "#status", "Counting");
    await page.waitForSelector('.job[aria-current="true"] .state.running');
    await page.click("#cancel");
    await page.waitForSelector('.job[aria-current="true"] .state.cancelled');
  },

  async "a fresh visitor lands on the start position, not on somebody's job"() {
    const page = await visit();
    const release = await busy(page);
    const fresh = await visit();
    await fresh.waitForSelector(".job .state.running");
    await says(fresh, ".job .state.running", /Counting( \d+\.\d+ %)?/);
    assert.ok(await fresh.isHidden("#result"));
    assert.equal(await fresh.inputValue("#fen"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert.doesNotMatch(fresh.url(), /job=/);
    await release();
  },

  async "children of a descent are folded under their job"() {
    const page = await visit();
    await page.selectOption("#presets", {label: "Random Chess960 start"});  // no job has counted this position
    await page.waitForFunction(() => /fen=/.test(location.hash));
    await count(page, 3);
    const [, top] = /job=(\d+)/.exec(page.url());
    for (const depth of [2, 1]) {
      await page.click("#divide tbody [data-move] >> nth=0");
      await done(page, `Perft(${depth}) of`);
    }
    await says(page, `[data-job="behind ${top}"]`, "2 counts after further moves, one of them shown");
    assert.ok(await page.isHidden('.job[aria-current="true"]'));
    await page.click(`[data-job="behind ${top}"]`);
    assert.ok(await page.isVisible('.job[aria-current="true"]'));
    const {id} = await finished(page, unheard());  // the list is drawn again
    await look(page);
    await page.waitForSelector(`.job[data-job="${id}"]`);
    assert.ok(await page.isVisible('.job[aria-current="true"]'));
  },

  async "a token is asked for once"() {
    const page = await visit();
    await guard(page);
    await page.reload();
    await page.waitForSelector("#token-dialog[open]");
    await page.fill("#token", "guess");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#token-refused:not([hidden])");
    await page.fill("#token", "open sesame");
    await page.keyboard.press("Enter");
    await ready(page);
    assert.equal(await count(page, 3), "8902");
    const other = await visit({context: page.context()});  // the page is ready, so it did not ask for a token
    assert.ok(await other.isHidden("#token-dialog"));
    await page.reload();
    await ready(page);
  },

  async "what is refused is said where it was asked"() {
    const page = await visit();
    await page.route("**/v1/jobs", async route => {
      if (route.request().method() === "GET") return route.continue();
      return route.fulfill({status: 429, contentType: "application/problem+json", json: {status: 429, detail: "the queue is full"}});
    });
    const said = () => page.evaluate(() => document.querySelector("#asking").innerText.includes("the queue is full"));
    await ask(page, 3);
    await says(page, "#submit-error", "the queue is full");
    assert.ok(await said());
    await turnTo(page, "hunt");
    await page.waitForSelector("#hunt", {state: "visible"});
    assert.ok(!await said());
    await turnTo(page, "count");
    assert.ok(!await said());
    // If a response arrives late, its error must not appear in another tab or for another position.
    const answers = await refusals(page);
    for (const go of ["#tab-hunt", "#moves button:has-text('e2e4')"]) {
      await turnTo(page, "count");
      const asked = answers();
      await page.click("#submit .primary");
      const late = await asked;
      const before = await page.evaluate(() => location.hash);
      await page.click(go);
      await page.waitForFunction(before => location.hash !== before, before);
      await answered(page, late);
      assert.ok(!await said(), go);
    }
  },

  async "Copy says what it did"() {
    const says_ = async (page, button) => {
      await page.click(button);
      await says(page, "#announce", /opied/);
      return text(page, "#announce");
    };
    const refusing = await visit({before: page => prelude(page, () => {
      Object.defineProperty(Navigator.prototype, "clipboard", {get: () => undefined});
      document.execCommand = () => false;
    })});
    await count(refusing, 3);
    assert.match(await says_(refusing, "#copy-total"), /^Not copied/);
    const plain = await visit({before: page => prelude(page, () => Object.defineProperty(Navigator.prototype, "clipboard", {get: () => undefined}))});
    await count(plain, 3);
    assert.equal(await says_(plain, "#copy-total"), "Copied");
    await plain.focus("#pasted").catch(() => {});
    await turnTo(plain, "hunt");
    await plain.focus("#pasted");
    await plain.keyboard.press("Control+V");
    assert.equal(await plain.inputValue("#pasted"), "8902");
    const usual = await visit({permissions: ["clipboard-read", "clipboard-write"]});
    await turnTo(usual, "hunt");
    assert.equal(await says_(usual, "#copy-commands"), "Copied");
    assert.equal(await usual.evaluate(() => navigator.clipboard.readText()), "position startpos\ngo perft 6");
  },
};

/** Slow tests, and tests that are similar to quick ones. */
export const slow = {
  async "a token that one tab was given is the other's, too"() {
    // If two tabs ask for a token and the user enters it in one, the other tab receives it, too.
    const context = await browser.newContext();
    const tabs = await Promise.all([visit({context}), visit({context})]);
    await guard(tabs[0]);
    for (const tab of tabs) {
      await tab.reload();
      await tab.waitForSelector("#token-dialog[open]");
    }
    await tabs[1].fill("#token", "open sesame");
    await tabs[1].keyboard.press("Enter");
    await Promise.all(tabs.map(ready));
    assert.ok(await tabs[0].isHidden("#token-dialog"));
    // If the user closes the dialog, the page does not ask again and again.
    const third = await visit();
    await guard(third);
    await third.reload();
    await third.waitForSelector("#token-dialog[open]");
    await third.keyboard.press("Escape");
    const refused = third.waitForResponse(response => response.status() === 401);
    await look(third);
    await (await refused).finished();
    await idle(third);
    assert.ok(await third.isHidden("#token-dialog"));
    await third.click("#submit .primary");
    await third.waitForSelector("#token-dialog[open]");
  },

  async "a token that may not count can be given way to another"() {
    const page = await visit();
    const refusal = (route, status, more) => route.fulfill({status, contentType: "application/problem+json", json: {status, ...more}});
    await page.context().route("**/v1/**", async route => {
      const token = route.request().headers().authorization;
      if (!["Bearer reader", "Bearer counter", "Bearer full"].includes(token)) return refusal(route, 401, {detail: "send a token"});
      if (route.request().method() === "GET" || token === "Bearer counter") return route.continue();
      return refusal(route, 403, token === "Bearer full" ? {detail: "no room for more", field: "stored"}
        : {detail: "this request requires the role 'submit', but this token has the role 'read'"});
    });
    const give = async token => {
      await page.fill("#token", token);
      await page.keyboard.press("Enter");
    };
    await page.reload();
    await page.waitForSelector("#token-dialog[open]");
    await give("reader");
    await ready(page);
    await ask(page, 3);
    await says(page, "#token-refused", /role 'submit'/);
    await page.waitForSelector("#token-dialog[open]");
    await page.keyboard.press("Escape");
    await says(page, "#submit-error", /role 'submit'/);
    // An unknown token does not replace the known one, which may read.
    await page.click("#submit .primary");
    await page.waitForSelector("#token-dialog[open]");
    await give("guess");
    await says(page, "#token-refused", "The server did not accept that token.");
    await page.waitForSelector("#token-dialog[open]");
    await page.keyboard.press("Escape");
    await says(page, "#submit-error", "send a token");
    await page.click("#moves button:has-text('e2e4')");
    await page.waitForFunction(() => /moves=e2e4/.test(location.hash));
    assert.ok(await page.isHidden("#token-dialog"));
    // If a quota is exceeded, the page does not ask for another token.
    await page.click("#submit .primary");
    await page.waitForSelector("#token-dialog[open]");
    await give("full");
    await says(page, "#submit-error", "no room for more");
    assert.ok(await page.isHidden("#token-dialog"));
    await page.evaluate(() => sessionStorage.setItem("token", "reader"));
    await page.click("#submit .primary");
    await page.waitForSelector("#token-dialog[open]");
    await give("counter");
    await done(page, "Perft(3) of");
    assert.equal(await total(page), "13160");
  },
};
