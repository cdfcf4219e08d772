// node web_test.mjs URL PICTURES [WORDS]: drives the page of the server at URL as a person would, in Chromium; with
// WORDS only the tests whose names contain them.
// Exits with 1 at the first thing that is not as it should be; screenshots go to the folder PICTURES.
import assert from "node:assert/strict";
import {mkdirSync} from "node:fs";
import {join} from "node:path";
import {chromium} from "playwright-core";

const [url, pictures, words = ""] = process.argv.slice(2);
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
  document.querySelector("#result-title").textContent.startsWith(wanted) && !document.querySelector("#total").hidden, title);
const count = async (page, depth, mode = "hashed") => {
  await ask(page, depth, mode);
  await done(page, `Depth ${depth}, ${mode}`);
  return total(page);
};

/** The server's own divide. */
async function ours(page, fen, moves, depth) {
  const answer = await page.request.post(new URL("/v1/diff", url).href,
    {data: {fen, moves: moves.join(" "), depth, divide: "a1a1: 1"}});
  return (await answer.json()).rows.filter(row => row.ours != null).map(({move, ours: nodes}) => ({move, nodes}));
}
/** Of an engine that does not drop the right to castle when the rook on h1 is captured: told the right again after it. */
async function brokenDivide(page, moves, depth) {
  const fen = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";
  const rows = await ours(page, fen, moves, depth);
  const captured = moves[0] === "f3h1";
  const at = captured ? moves.length : 0;
  if (depth === 1 && captured && at % 2 === 1) rows.push({move: "e1g1", nodes: "1"});
  if (depth > 1) {
    const wrong = captured ? rows.find(({move}) => move === (at === 1 ? "h2h1" : "e8d7")) : rows.find(({move}) => move === "f3h1");
    wrong.nodes = String(Number(wrong.nodes) + 1);
  }
  return rows.map(({move, nodes}) => `${move}: ${nodes}`).join("\n");
}
const paste = async (page, text) => {
  await page.fill("#pasted", text);
  await page.click("#diff-form .primary");
};

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

const tests = {
  async "a count agrees with the published value"() {
    const page = await visit();
    assert.equal(await count(page, 5), "4865609");
    assert.match(await page.textContent("#verdict"), /^Agrees/);
    assert.equal(await page.textContent("#total .count"), "4\u202f865\u202f609");
    return page;
  },

  async "what is in the box is what is asked about"() {
    const page = await visit();
    await page.fill("#fen", kiwipete);
    await ask(page, 3);
    await done(page, "Depth 3, hashed");
    assert.equal(await total(page), "97862");
    assert.equal(await page.textContent("#result-title"), `Depth 3, hashed: ${kiwipete}`);

    // What is refused is refused at the box, and nothing is counted, nor compared.
    await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
    const asked = [];
    page.on("request", request => request.method() === "POST" && asked.push(request.url()));
    await page.click("#submit .primary");
    await page.waitForFunction(() => /king/.test(document.querySelector("#fen-error").textContent));
    assert.ok(await page.$eval("#fen", box => box === document.activeElement));
    await page.click("#hunt summary");
    await paste(page, "a1a1: 1");
    await page.waitForFunction(() => document.querySelector("#fen") === document.activeElement);
    assert.deepEqual(asked, []);

    await page.fill("#fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    await page.fill("#depth", "1");
    await paste(page, "e1g1: 1");
    await page.waitForSelector("#trail .differs");
    assert.equal(await page.$$eval("#trail tbody tr", all => all.length), 15);
  },

  async "a result leaves with its position"() {
    const page = await visit();
    await count(page, 3);
    assert.equal(await page.textContent("#result-title"), "Depth 3, hashed: Start position");
    const [, id] = /job=(\d+)/.exec(page.url());
    await page.click("#moves button:has-text('e2e4')");
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Roote2e4");
    assert.ok(await page.isHidden("#result"));
    assert.ok(await page.isHidden("#evidence"));
    assert.doesNotMatch(page.url(), /job=/);
    await count(page, 2);
    assert.equal(await page.textContent("#result-title"), "Depth 2, hashed: Start position after e2e4");
    await page.click(`.job[data-job="${id}"]`);  // it is still in the list
    await done(page, "Depth 3, hashed: Start position");
    assert.equal(await page.textContent("#crumbs"), "Root");
  },

  async "rates are never nonsense"() {
    const page = await visit();
    // As a server wrote them whose numbers had run over.
    await page.route("**/v1/jobs", async route => {
      const answer = await route.fetch();
      const job = await answer.json();
      if (job.report) Object.assign(job.report, {leaves_per_second: -9223372036854775808, visited_per_second: -1, visited: 5, seconds: 0});
      return route.fulfill({response: answer, json: job});
    });
    await count(page, 2);
    await count(page, 2);  // known, so its report comes with the answer
    const facts = await page.textContent("#facts");
    assert.doesNotMatch(facts, /-|\/s/);
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

  async "a descent by pastes ends at the rule that is broken"() {
    const page = await visit();
    await page.fill("#fen", "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1");
    await page.press("#fen", "Enter");
    await page.waitForFunction(() => document.querySelector("#legal-count").textContent !== "20 legal moves");
    await page.fill("#depth", "4");
    await page.click("#hunt summary");
    assert.equal(await page.textContent("#commands"), "position fen 4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1\ngo perft 4");

    // An engine that keeps the right to castle when the rook is captured.
    await paste(page, await brokenDivide(page, [], 4));
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Rootf3h1");
    assert.equal(await page.textContent("#step"), "Step 2: ask your program");
    assert.deepEqual(await page.$$eval("#trail .differs", all => all.map(row => row.dataset.move)), ["f3h1"]);
    assert.match(await page.textContent("#commands"), /^position fen 4k3\S+ b K - 0 1 moves f3h1\ngo perft 3$/);
    assert.equal(await page.inputValue("#depth"), "3");
    assert.equal(await page.textContent("#here-fen"), "4k3/8/8/8/8/8/7R/4K2b w - - 0 1");

    await paste(page, "nothing of the kind");
    await page.waitForFunction(() => document.querySelector("#diff-error").textContent);
    await paste(page, await brokenDivide(page, ["f3h1"], 3));
    await page.waitForFunction(() => document.querySelector("#depth").value === "2");
    assert.equal(await page.textContent("#diff-error"), "");
    const line = (await page.textContent("#commands")).match(/moves (.*)/)[1].split(" ");
    await paste(page, await brokenDivide(page, line, 2));
    await page.waitForFunction(() => document.querySelector("#depth").value === "1");
    const last = (await page.textContent("#commands")).match(/moves (.*)/)[1].split(" ");
    await paste(page, await brokenDivide(page, last, 1));
    await page.waitForSelector("#found .causes");
    assert.equal(await page.getAttribute("#found .causes li", "data-cause"), "castling-right-after-capture");
    assert.match(await page.textContent("#found"), /e1g1: f3h1 captured the rook on h1/);
    assert.equal(await page.$$eval("#trail > li", all => all.length), 4);
    await page.click("#right-as-fen");
    await page.waitForFunction(() => /went wrong on the way/.test(document.querySelector("#found").textContent));
    await shoot(page, "hunt-desktop");
    await page.setViewportSize({width: 360, height: 900});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await shoot(page, "hunt-phone");

    // Back to a step: what came after it goes.
    await page.click("#crumbs button:nth-child(2)");
    await page.waitForFunction(() => document.querySelectorAll("#trail > li").length === 1);
    assert.equal(await page.inputValue("#depth"), "3");
    assert.equal(await page.textContent("#found"), "");
    await page.click("#back");
    await page.waitForFunction(() => document.querySelector("#depth").value === "4");
    await paste(page, await brokenDivide(page, [], 4));
    await page.waitForFunction(() => document.querySelector("#depth").value === "3");
    await page.click("#hunt-restart");
    await page.waitForFunction(() => document.querySelector("#depth").value === "4" &&
      document.querySelectorAll("#trail > li").length === 0);
  },

  async "a program that is right is told so, and a paste that was cut is noticed"() {
    const page = await visit();
    await page.fill("#depth", "2");
    await page.click("#hunt summary");
    assert.equal(await page.textContent("#commands"), "position startpos\ngo perft 2");
    const rows = (await ours(page, "startpos", [], 2)).map(({move, nodes}) => `${move}: ${nodes}`);
    await paste(page, `${rows.join("\n")}\n\nNodes searched: 400\n`);
    await page.waitForSelector("#found .good");
    await page.click("#deeper");
    await page.waitForFunction(() => /go perft 3$/.test(document.querySelector("#commands").textContent));
    assert.equal(await page.textContent("#found"), "");

    // Only half of the rows, and the total of all.
    await page.fill("#depth", "2");
    await paste(page, `${rows.slice(0, 10).join("\n")}\n\nNodes searched: 400\n`);
    await page.waitForSelector("#trail .warning");
    assert.match(await page.textContent("#trail .warning"), /add up to 200, but the total among them is 400/);

    // Wrong behind e2e4, and right when asked for the position after it.
    await page.fill("#depth", "3");
    const deeper = (await ours(page, "startpos", [], 3)).map(({move, nodes}) => `${move}: ${move === "e2e4" ? 599 : nodes}`);
    await paste(page, deeper.join("\n"));
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Roote2e4");
    await paste(page, (await ours(page, "startpos", ["e2e4"], 2)).map(({move, nodes}) => `${move} ${nodes}`).join("\n"));
    await page.waitForSelector("#found h3");
    assert.match(await page.textContent("#found"), /Behind e2e4 it counted 599 paths instead of 600/);
  },

  async "a divide that takes long is counted as a job first"() {
    const page = await visit();
    await page.route("**/v1/diff", route => route.fulfill({status: 409, contentType: "application/problem+json",
      body: '{"title":"Conflict","status":409,"detail":"not known yet"}'}), {times: 1});
    await page.fill("#depth", "3");
    await page.click("#hunt summary");
    await paste(page, "e2e4: 599");
    await page.waitForSelector("#found .causes");
    await done(page, "Depth 3, hashed");
    assert.equal(await page.$$eval("#trail tr.differs", all => all.length), 20);
  },

  async "statistics are shown ply by ply"() {
    const page = await visit();
    assert.equal(await count(page, 5, "stats"), "4865609");
    const cell = (label, column) => page.$$eval("#stats tbody tr", (rows, [label, column]) =>
      rows.find(row => row.cells[0].textContent === label).cells[column].querySelector(".count").dataset.digits, [label, column]);
    assert.equal(await cell("Captures", 1), "82719");
    assert.equal(await cell("en passant", 1), "258");
    assert.equal(await cell("Mates", 1), "347");
    await page.click("#all-plies");
    await page.waitForFunction(() => document.querySelectorAll("#stats thead th").length === 5);
    assert.deepEqual(await page.$$eval("#stats thead th", all => all.map(head => head.textContent)),
                     ["Ply 5", "Ply 4", "Ply 3", "Ply 2", "Ply 1"]);
    assert.equal(await cell("Captures", 2), "1576");
    assert.equal(await page.$$eval("#all-plies", all => all.length), 0);
    assert.ok(await page.isHidden("#trust"));
    assert.equal(await page.textContent("#result-title"), "Depth 5, stats: Start position");
    await shoot(page, "stats-desktop");
    await page.setViewportSize({width: 360, height: 900});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await shoot(page, "stats-phone");
  },

  async "an estimate comes with its interval"() {
    const page = await visit();
    assert.ok(await page.isHidden("#samples"));
    await page.selectOption("#mode", "estimate");
    await page.fill("#samples", "50");  // too few: the form says so, and nothing is asked
    await page.fill("#depth", "9");
    await page.click("#submit .primary");
    assert.ok(await page.$eval("#samples", field => !field.validity.valid));
    await page.fill("#samples", "400");
    await page.fill("#seed", "3");
    await page.click("#submit .primary");
    await done(page, "Depth 9, estimate");
    assert.match(await page.textContent("#total .count"), /^≈ 2\.\d{5} × 10¹²$/);
    assert.match(await page.textContent("#interval"), /99 %: 2\.\d{5} × 10¹² to 2\.\d{5} × 10¹²/);
    assert.match(await page.textContent("#verdict"), /interval/);
    assert.ok(await page.isHidden("#divide-card"));
    assert.match(await page.textContent('.job[aria-current="true"]'), /≈ 2\./);
    await shoot(page, "estimate-desktop");
    await page.setViewportSize({width: 360, height: 900});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await shoot(page, "estimate-phone");
    await page.reload();
    await done(page, "Depth 9, estimate");
    assert.equal(await page.inputValue("#samples"), "400");
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
    assert.equal(await page.textContent("#result-title"), "Depth 11, unhashed: Start position");
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
for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(words))) {
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
