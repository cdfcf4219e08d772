// node web_test.mjs URL PICTURES: drives the page of the server at URL as a person would, in Chromium.
// Exits with 1 at the first thing that is not as it should be; screenshots go to the folder PICTURES.
import assert from "node:assert/strict";
import {mkdirSync} from "node:fs";
import {join} from "node:path";
import {chromium} from "playwright-core";

const [url, pictures] = process.argv.slice(2);
mkdirSync(pictures, {recursive: true});
const patience = 60_000;

const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]});
const complaints = [];
async function visit(options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.on("request", request => {
    const address = new URL(request.url());
    if (address.protocol !== "blob:" && address.origin !== new URL(url).origin) complaints.push(`request to ${address.origin}`);
  });
  page.on("console", message => {
    // The browser itself reports the refusals (4xx) that tests provoke.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  page.on("pageerror", error => complaints.push(String(error)));
  await page.goto(url);
  await page.waitForSelector("#moves button");
  return page;
}
async function ask(page, depth, mode = "hashed") {
  await page.fill("#depth", String(depth));
  await page.selectOption("#mode", mode);
  await page.click("#submit .primary");
}
const total = page => page.getAttribute("#total .count", "data-digits");
const done = (page, title) => page.waitForFunction(wanted =>
  document.querySelector("#result-title").textContent === wanted && !document.querySelector("#total").hidden, title);
const count = async (page, depth, mode = "hashed") => {
  await ask(page, depth, mode);
  await done(page, `Depth ${depth}, ${mode}`);
  return total(page);
};

const tests = {
  async "a count agrees with the published value"() {
    const page = await visit();
    assert.equal(await count(page, 5), "4865609");
    assert.match(await page.textContent("#verdict"), /^Agrees/);
    assert.equal(await page.textContent("#total .count"), "4\u202f865\u202f609");
    return page;
  },

  async "counts keep every digit"() {
    const page = await visit();
    await page.fill("#depth", "13");
    assert.equal(await page.getAttribute("#published .count", "data-digits"), "1981066775000396239");
    const copied = await page.evaluate(() => {
      getSelection().selectAllChildren(document.querySelector("#published .count"));
      const event = new ClipboardEvent("copy", {clipboardData: new DataTransfer(), cancelable: true});
      document.dispatchEvent(event);
      return event.clipboardData.getData("text/plain");
    });
    assert.equal(copied, "1981066775000396239");
  },

  async "the divide sorts, descends and climbs"() {
    const page = await visit();
    await count(page, 4);
    await page.click("#divide th:nth-child(2) button");
    assert.equal(await page.textContent("#divide tbody tr:first-child .move"), "e2e4");
    await page.click('#divide [data-move="e2e4"]');
    await done(page, "Depth 3, hashed");
    assert.equal(await total(page), "13160");
    await page.click("#crumbs button:first-child");
    await done(page, "Depth 4, hashed");
    assert.equal(await total(page), "197281");
  },

  async "a wrong divide is marked, and traced to a missing move"() {
    const page = await visit();
    await count(page, 2);
    await page.click("#compare summary");
    const rows = await page.$$eval("#divide tbody tr", all => all.map(row =>
      `${row.querySelector(".move").textContent}: ${row.querySelector(".count").dataset.digits}`));
    await page.fill("#pasted", rows.join("\n").replace("e2e4: 20", "e2e4: 19") + "\n\nNodes searched: 399\n");
    await page.click("#diff-form button");
    await page.waitForSelector("#diff .differs");
    assert.deepEqual(await page.$$eval("#diff .differs", all => all.map(row => row.dataset.move)), ["e2e4"]);
    await page.click("#descend");
    await done(page, "Depth 1, hashed");
    const replies = await page.$$eval("#divide .move", all => all.map(move => move.textContent));
    assert.equal(replies.length, 20);
    await page.fill("#pasted", replies.filter(move => move !== "g8f6").map(move => `${move}: 1`).join("\n"));
    await page.click("#diff-form button");
    assert.match(await page.textContent("#diff .found"), /g8f6 is a legal move that the other program does not make/);
    await page.fill("#pasted", "nothing of the kind");
    await page.click("#diff-form button");
    await page.waitForFunction(() => document.querySelector("#diff-error").textContent);
  },

  async "both ways of counting stand side by side"() {
    const page = await visit();
    await count(page, 6);
    await page.click("#trust summary");
    await page.click("#versus button");
    await done(page, "Depth 6, unhashed");
    assert.match(await page.textContent("#versus .good"), /Both come to the same total/);
    await count(page, 4, "verify");
    assert.match(await page.textContent("#verdict"), /both agree/);
  },

  async "a job is watched, found again after a reload, and cancelled"() {
    const page = await visit();
    await ask(page, 11, "unhashed");
    await page.waitForSelector("#plot canvas");
    const address = page.url();
    await page.reload();
    await page.waitForSelector("#plot canvas");
    assert.equal(page.url(), address);
    assert.equal(await page.textContent("#result-title"), "Depth 11, unhashed");
    await shoot(page, "running");
    await page.click("#cancel");
    await page.waitForFunction(() => document.querySelector("#status").textContent === "Cancelled");
    assert.ok(await page.isHidden("#total"));
    await page.waitForSelector('.job[aria-current="true"] .state.cancelled');
  },

  async "a broken stream is taken up after its last event"() {
    const page = await visit();
    const resumed = [];
    await page.route("**/events", async route => {
      resumed.push(route.request().headers()["last-event-id"]);
      if (resumed.length > 1) return route.continue();
      const job = await (await page.request.get(route.request().url().replace("/events", ""))).text();
      return route.fulfill({contentType: "text/event-stream", body: `retry: 100\nid: 1\ndata: ${job.trim()}\n\n`});
    });
    await ask(page, 11, "unhashed");
    await page.waitForSelector("#plot canvas");
    assert.deepEqual(resumed, [undefined, "1"]);
    await page.click("#cancel");
    await page.waitForFunction(() => document.querySelector("#status").textContent === "Cancelled");
  },

  async "moves are made on the board, by click and by drag"() {
    const page = await visit();
    const square = async name => {
      const box = await page.locator(`#board [data-square="${name}"]`).first().boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await page.mouse.click(...await square("e2"));
    await page.mouse.click(...await square("e4"));
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Roote2e4");
    await page.waitForTimeout(400);  // the board's animation
    await page.mouse.move(...await square("e7"));
    await page.mouse.down();
    await page.mouse.move(...await square("e6"), {steps: 4});
    await page.mouse.move(...await square("e5"), {steps: 4});
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Roote2e4e7e5");
    await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
    await page.press("#fen", "Enter");
    await page.waitForFunction(() => document.querySelector("#fen-error").textContent);
    assert.equal(await page.textContent("#crumbs"), "Roote2e4e7e5");
  },

  async "everything can be reached with the keyboard, and focus is seen"() {
    const page = await visit();
    await page.focus("#depth");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await done(page, "Depth 3, hashed");
    assert.equal(await total(page), "8902");
    const reached = new Set();
    for (let i = 0; i < 120; ++i) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const focused = document.activeElement;
        return {what: focused.id || focused.className || focused.textContent, body: focused === document.body,
                outlined: getComputedStyle(focused).outlineStyle !== "none"};
      });
      if (at.body) continue;
      assert.ok(at.outlined, `no visible focus on ${at.what}`);
      reached.add(at.what);
    }
    for (const what of ["flip", "fen", "depth", "mode", "theme", "licences-open", "move", "job"]) {
      assert.ok(reached.has(what), `${what} was not reached`);
    }
    await page.focus('#divide [data-move="g1f3"]');
    await page.keyboard.press("Enter");
    await done(page, "Depth 2, hashed");
    assert.equal(await total(page), "440");
  },

  async "licences of both libraries are shown"() {
    const page = await visit();
    await page.click("#licences-open");
    await page.waitForSelector("#licences[open]");
    const text = await page.textContent("#licences-text");
    assert.match(text, /cm-chessboard [\d.]+ \(MIT\)/);
    assert.match(text, /uplot [\d.]+ \(MIT\)/);
    assert.match(text, /Permission is hereby granted/);
  },

  async "it fits a phone and a desk, in dark and in light"() {
    for (const [name, width] of [["phone", 360], ["desktop", 1280]]) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await visit({viewport: {width, height: 900}, colorScheme});
        await count(page, 6);
        await page.click("#table-card summary");
        const depths = await page.$$eval("#table-card tbody tr td:first-child", all => all.map(cell => cell.textContent));
        assert.equal(depths[0], "2");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels wide on ${width}`);
        await shoot(page, `${name}-${colorScheme}`);
        const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        await page.click("#theme");
        assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
        await page.context().close();
      }
    }
  },
};

const shoot = (page, name) => page.screenshot({path: join(pictures, `${name}.png`), fullPage: true});

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const start = performance.now();
  try {
    await test();
    assert.deepEqual(complaints.splice(0), []);
    console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed = 1;
    console.log(`FAIL  ${name}: ${error.stack}\n${complaints.splice(0).join("\n")}`);
  }
}
await browser.close();
process.exit(failed);
