// Tests of campaigns, with recorded responses, because a database and workers would take minutes.
import assert from "node:assert/strict";
import {barriers, browser, fits, look, says, shoot, text, turnTo, visit} from "./harness.mjs";

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const pass = (parts, done, leased) => ({parts, parts_done: done, parts_leased: leased});
const status = (name, more = {}) => ({name, fen: start, depth: 13, state: "running", share_done: 0.4, pass0: pass(2000, 790, 6),
  pass1: pass(400, 80, 2), leaves_per_second: 4.4e15, seconds_left: 7200, lease_seconds: 120, workers: {seen: 4, gone: 1, refused: 1}, disputes: [],
  advice: [], ...more});
const crew = [
  {state: "counting"}, {state: "waiting"}, {state: "gone", seconds_since_seen: 4000},
  {state: "refused", refused: "signature 12: every correct build has 86489390 (kernel avx2)"},
].map((more, at) => ({id: at + 1, host: `node${at}.cluster.example`, label: "", version: "0.1.0", kernel: "avx512", threads: 64,
  memory_bytes: 2 ** 36, refused: null, seconds_since_seen: 1, parts: 40 - at, seconds: 1e5, ...more}));
const cells = share => Array.from({length: 200}, (_, at) => share(at));
const fresh = {age_seconds: 0.4, away: false};
const one = campaign => ({...fresh, campaign, workers: crew,
  strip: {done: cells(at => at < 75 ? 1 : at === 75 ? 0.5 : at > 120 && at < 126 ? 1 : 0), counting: cells(at => at === 75 ? 0.5 : at === 126 ? 0.7 : 0),
          to_verify: cells(at => at % 5 ? 0 : 1), verified: cells(at => at % 5 || at > 35 ? 0 : 1), verifying: cells(at => at === 40 ? 0.6 : 0)},
  rate: {step_seconds: 30, leaves_per_second: Array.from({length: 120}, (_, at) => Math.round(4e15 + 1e15 * Math.sin(at / 9)))}});

/** From now on, the server responds with `said` to requests about campaigns: {list, of: {name: …}}, or a refusal. */
async function recorded(page, said) {
  await page.unroute("**/v1/campaigns**");
  await page.route("**/v1/campaigns**", route => {
    const name = /campaigns\/(.+)$/.exec(route.request().url())?.[1];
    const answer = said.status ? said : name ? said.of[name] : said.list;
    return answer.status ? route.fulfill({status: answer.status, contentType: "application/problem+json", json: answer})
      : route.fulfill({json: answer});
  });
  await look(page);
}
const usual = () => {
  const all = [status("thirteen"), status("twelve", {state: "done", share_done: 1, depth: 12, seconds_left: null})];
  return {list: {shown: true, ...fresh, campaigns: all}, of: Object.fromEntries(all.map(campaign => [campaign.name, one(campaign)]))};
};
const open = (said, more = {}) => visit({hash: "#tab=campaigns&campaign=thirteen", before: page => recorded(page, said), ...more});

/** Sets the time since the first worker was last seen. */
function silentFor(said, seconds) {
  said.of.thirteen.workers = crew.map((worker, at) => at === 0 ? {...worker, seconds_since_seen: seconds} : worker);
  return said;
}
/** Opens a window with a campaign that has a dead worker. */
export async function deadWorker(window) {
  const said = silentFor(usual(), 80.3);
  const page = await open(said, window);
  await says(page, "#campaign-notes", /^Worker 1 on \S+ was last seen/);
  return page;
}

/** Returns the names of the colours of each square of the map: at its bottom and in its middle. */
const squares = page => page.$eval("#campaign-map canvas", canvas => {
  const named = new Map(["accent", "focus", "card", "on-accent"].map(name => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
    pen.fillRect(0, 0, 1, 1);
    return [pen.getImageData(0, 0, 1, 1).data.join(), name];
  }));
  const [count, size, row] = ["count", "size", "row"].map(name => Number(canvas.dataset[name])), pen = canvas.getContext("2d");
  const at = (x, y) => named.get(pen.getImageData(x, y, 1, 1).data.join());
  return Array.from({length: count}, (_, no) => {
    const [x, y] = [no % row * size, Math.floor(no / row) * size];
    return `${at(x + 4, y + size - 5)} ${at(x + size / 2 - 1, y + size / 2 - 1)}`;
  });
});

export const tests = {
  async "where no campaigns are shown there is no word of them"() {
    const page = await visit();
    await page.waitForFunction(() => performance.getEntriesByType("resource").some(({name}) => name.endsWith("/v1/campaigns")));
    assert.ok(await page.isHidden("#tab-campaigns"));
    await page.focus("#tab-hunt");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-count");
  },

  async "campaigns are found, chosen and left with the keyboard"() {
    const page = await visit({before: page => recorded(page, usual())});
    await page.waitForSelector("#tab-campaigns");
    await page.focus("#tab-count");
    await page.keyboard.press("ArrowLeft");
    await page.waitForSelector('[data-campaign="thirteen"]');
    assert.ok(await page.isHidden("#board"));
    await page.focus('[data-campaign="thirteen"]');
    await page.keyboard.press("Enter");
    await says(page, "#campaign-title", /^thirteen: depth 13/);
    assert.match(page.url(), /tab=campaigns&campaign=thirteen$/);
    await page.focus('[data-campaign="twelve"]');
    await page.keyboard.press("Enter");
    await says(page, "#campaign-state", "Done, 100.0 % of the estimated work");
    await page.goBack();
    await says(page, "#campaign-title", /^thirteen/);
    await page.focus("#tab-campaigns");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("#board svg");
    assert.ok(await page.isHidden("#campaigns"));
    assert.doesNotMatch(page.url(), /campaign/);
    assert.ok((await page.locator("#board svg").first().boundingBox()).height > 100);
  },

  async "a campaign is a map of its parts, a rate, and who counts: for eyes, ears and machines"() {
    const context = await browser.newContext({permissions: ["clipboard-read", "clipboard-write"]});
    const page = await open(usual(), {context});
    await page.waitForSelector("#campaign-plot canvas");
    assert.equal(await page.getAttribute("#campaign-map canvas", "aria-label"),
      "Map of the parts. Counted: 790 of 2000 parts (6 being counted). Verified: 80 of 400 parts (2 being counted).");
    assert.match(await text(page, "#campaign-map-caption"), /^790 of 2000 parts .* each square is 10 parts$/);
    assert.deepEqual(await page.locator("#campaign-legend li").allTextContents(),
      ["counted 790", "being counted 6", "waiting 1204", "verified 80", "being verified 2", "to be verified 318"]);
    const drawn = await squares(page);
    assert.equal(drawn.length, 200);
    // The bottom of a square shows the first count, and its middle shows the second count.
    assert.deepEqual([0, 1, 40, 74, 75, 76, 122, 126, 150].map(at => drawn[at]), ["accent on-accent", "accent accent", "accent focus",
      "accent accent", "accent card", "card card", "accent accent", "focus focus", "card card"]);
    await page.click("#campaign-map + .copies button:has-text('Copy data')");
    await says(page, "#campaign-map + .copies button:last-child", "Copied");
    const rows = (await page.evaluate(() => navigator.clipboard.readText())).split("\n").map(row => row.split("\t"));
    assert.equal(rows.length, 201);
    assert.deepEqual([rows[0][1], rows[76], rows[77]], ["counted", ["76", "0.5", "0.5", "1", "0", "0"], ["77", "0", "0", "0", "0", "0"]]);
    await page.click("#campaign-map + .copies button:has-text('Copy picture')");
    await says(page, "#campaign-map + .copies button:first-child", /Copied|Saved/);
    // If there are few parts, each has its own square.
    const few = usual();
    Object.assign(few.of.thirteen.campaign, {pass0: pass(3, 1, 1), pass1: pass(0, 0, 0)});
    few.of.thirteen.strip = {done: [1, 0, 0], counting: [0, 1, 0], to_verify: [0, 0, 0], verified: [0, 0, 0], verifying: [0, 0, 0]};
    await recorded(page, few);
    await says(page, "#campaign-map-caption", "1 of 3 parts counted, the heaviest first");
    assert.deepEqual(await squares(page), ["accent accent", "focus focus", "card card"]);
    assert.equal(await page.locator("#campaign-legend li").count(), 3);
    assert.match(await text(page, "#campaign-state"), /^Counting, 40.0 % of the estimated work, 2 h 0 min left: about /);
    assert.match(await text(page, "#campaign-crew"), /gone, last seen 1 h 6 min ago.*counting/);
    const idle = usual();
    idle.of.thirteen.campaign.workers = {seen: 0, gone: 3, refused: 0};
    await recorded(page, idle);
    await says(page, "#campaign-state", "Counting, 40.0 % of the estimated work");  // no worker counts, so no time left is shown
    await recorded(page, usual());
    await says(page, "#campaign-state", / left: about /);
    for (const width of [1280, 390]) {
      await page.setViewportSize({width, height: 844});
      await fits(page, width);
      await barriers(page, `${width}, a campaign`, {dark: width === 390});
      await shoot(page, `campaign-${width}`);
    }
  },

  async "a worker that is silent is said to be, long before its lease ends; positions have names"() {
    const page = await deadWorker();
    await says(page, "#campaign-crew", /counting, last seen 1 min 20 s ago/);
    assert.doesNotMatch(await text(page, "#campaign-crew"), /waiting, last seen/);
    assert.match(await text(page, "#campaign-notes"), /^Worker 1 on \S+ was last seen 1 min 20 s ago\. If the worker is gone, .* in 40 s; the remaining time depends on that\.$/);
    assert.equal(await text(page, "#campaign-title"), "thirteen: depth 13 Start position");
    assert.match(await text(page, "#campaign-list"), /thirteenStart position/);
  },

  async "how long a worker may be silent goes by the lease"() {
    for (const [lease, quiet, long] of [[12, 3, 5], [3600, 1100, 1300]]) {
      const said = silentFor(usual(), quiet);
      said.of.thirteen.campaign.lease_seconds = lease;
      const page = await open(said);
      await says(page, "#campaign-crew", /node0/);
      assert.equal(await text(page, "#campaign-notes"), "", `${quiet} of ${lease} s`);
      await recorded(page, silentFor(said, long));
      await says(page, "#campaign-notes", /^Worker 1 on \S+ was last seen/);
    }
  },

  async "why a campaign stands still is said"() {
    const said = usual();
    said.of.thirteen.campaign.advice = ["nobody counts: 'perft campaign work thirteen' does"];
    const page = await open(said);
    await says(page, "#campaign-notes", /^nobody counts/);
    Object.assign(said.of.thirteen.campaign, {state: "disputed", advice: [],
      disputes: [{part: 77, counts: ["4000", "3999"], workers: [1, 3]}]});
    await recorded(page, said);
    await says(page, "#campaign-notes", /^Part 77: worker 1 counted 4000, worker 3 counted 3999\.No part is counted until .*'perft campaign explain thirteen'/);
    await barriers(page, "a dispute");
    await shoot(page, "campaign-disputed");
  },

  async "a database that goes away is said, and heals by itself"() {
    const page = await visit({before: page => recorded(page, {status: 503, title: "Service Unavailable",
      detail: "the database of the campaigns has not answered yet; try again soon"})});
    await turnTo(page, "campaigns");
    await says(page, "#campaigns-note", "the database of the campaigns has not answered yet; try again soon");
    await recorded(page, usual());
    await says(page, "#campaigns-note", "");
    await page.click('[data-campaign="thirteen"]');
    await says(page, "#campaign-title", /^thirteen/);
    const away = usual();
    Object.assign(away.list, {age_seconds: 130, away: true});
    await recorded(page, away);
    await says(page, "#campaigns-note", "The database of the campaigns does not answer. This snapshot was read 2 min 0 s ago.");
    assert.match(await text(page, "#campaign-title"), /^thirteen/);
    const dropped = usual();
    dropped.of.thirteen = {status: 404, detail: "no campaign has the name 'thirteen'"};
    dropped.list.campaigns.shift();
    await recorded(page, dropped);
    await says(page, "#campaigns-note", "no campaign has the name 'thirteen'");
    assert.ok(await page.isHidden("#campaign"));
    await page.click('[data-campaign="twelve"]');
    await says(page, "#campaign-title", /^twelve/);
  },
};
