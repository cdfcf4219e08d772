// Tests of sizes, themes, keyboard and screen readers.
import assert from "node:assert/strict";
import {ask, barriers, busy, count, done, fits, idle, kiwipete, ours, paste, printed, says, shoot, slow as slowed, text, total, turnTo,
        url, visit} from "./harness.mjs";

export const server = {options: ["--short-limit", "0"]};

const rookCaptured = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";

/** Shows every view of the page, one after another; calls `look(where)` for each. */
async function everyView(page, look) {
  await look("at first");
  await count(page, 4);
  for (const card of ["trust", "table-card"]) await page.click(`#${card} summary`);
  if (await page.isHidden("#moves")) await page.click("#legal summary");
  await look("counted");
  await page.click('[data-open="e2e4"]');
  await page.waitForSelector('[data-path="e2e4 e7e5"] .count');
  await page.click("#depths-card summary");
  await page.click("#depths-count");
  await page.waitForSelector("#depths-save", {state: "visible"});
  await look("two plies");
  await page.click("#edit");
  await look("set up by hand");
  await page.click("#editor button:has-text('Cancel')");
  await page.click("#keys-open");
  await look("keys");
  await page.keyboard.press("Escape");
  await count(page, 3, "stats");
  await look("statistics");
  await count(page, 3, "unique");
  await look("distinct positions");
  await count(page, 3, "verify");
  await page.click("#trust summary");
  await page.click("#trust summary");
  await look("verified");
  await count(page, 9, "estimate");
  await look("estimated");
  await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
  await page.fill("#depth", "99");
  await page.press("#fen", "Enter");
  await says(page, "#fen-error", /king/);
  await look("refused");
  await page.selectOption("#presets", {label: "Kiwipete"});
  const release = await busy(page);
  await ask(page, 7, "unhashed");
  await release();
  await page.waitForSelector("#plot canvas");
  await look("counting");
  await page.click("#cancel");
  await says(page, "#status", "Cancelled");
  await look("cancelled");
  await page.selectOption("#presets", {label: "Start position"});
  await says(page, "#legal-count", "20 legal moves");
  await page.fill("#depth", "2");
  await turnTo(page, "hunt");
  await paste(page, "e2e4: 21\nd2d4: 20\nTotal: 41");
  await page.waitForSelector("#found .causes");
  await look("compared");
  await paste(page, "nothing of the kind");
  await page.waitForSelector('#pasted[aria-invalid="true"]');
  await look("not understood");
  await page.click("#licences-open");
  await page.waitForSelector("#licences[open]");
  await look("licences");
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.querySelector("#token-dialog").showModal());
  await look("token");
  await page.keyboard.press("Escape");
  await page.context().setOffline(true);
  await page.waitForSelector("#connection", {state: "visible"});
  await look("offline");
}

export const tests = {
  async "licences of both libraries are shown"() {
    const page = await visit();
    await page.click("#licences-open");
    await page.waitForSelector("#licences[open]");
    const shown = await text(page, "#licences-text");
    assert.match(shown, /cm-chessboard [\d.]+ \(MIT\)/);
    assert.match(shown, /uplot [\d.]+ \(MIT\)/);
    assert.match(shown, /Permission is hereby granted/);
  },

  async "it fits a phone and a desk, in dark and in light"() {
    const page = await visit();
    await count(page, 5);
    await page.click("#table-card summary");
    const depths = await page.$$eval("#table-card tbody tr td:first-child", all => all.map(cell => cell.textContent));
    assert.equal(depths[0], "2");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    for (const [name, width] of [["desktop", 1280], ["phone", 360]]) {
      await page.setViewportSize({width, height: 900});
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({colorScheme});
        await fits(page, width);
        await shoot(page, `${name}-${colorScheme}`);
      }
      await barriers(page, `counted, on a ${name}`);
    }
    const before = await paper();
    await page.click("#theme");
    await page.waitForFunction(before => getComputedStyle(document.body).backgroundColor !== before, before);
  },

  async "of the divide only what is in view is laid out, and nothing moves when the rest comes"() {
    const page = await visit({hash: "#fen=kiwipete&depth=3"});
    for (const viewport of [{width: 1280, height: 600}, {width: 390, height: 844}]) {
      await page.setViewportSize(viewport);
      await count(page, viewport.width > 400 ? 3 : 4);
      const rows = seen => page.$$eval("#divide tbody tr", (all, seen) =>
        all.filter(row => row.firstElementChild.checkVisibility({contentVisibilityAuto: true}) === seen).length, seen);
      const height = () => page.$eval("#divide", divide => divide.getBoundingClientRect().height);
      const before = await height();
      assert.ok(await rows(false) > 10, `${await rows(true)} rows are laid out`);
      for (let at = 0; at < 48; at += 4) {
        await page.$$eval("#divide tbody tr", (all, at) => all[at].scrollIntoView({block: "start"}), at);
        await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve))));
      }
      assert.ok(Math.abs(await height() - before) < 1, `${before} pixels became ${await height()}`);
      const lefts = await page.$$eval("#divide tr", all => all.map(row => row.children[2].getBoundingClientRect().left));
      assert.equal(new Set(lefts.map(Math.round)).size, 1, String(lefts));
    }
  },

  async "what is asked first fits a phone's first screen, and the result is scrolled to"() {
    for (const hash of ["", "#fen=kiwipete&depth=3"]) {
      const page = await visit({viewport: {width: 390, height: 844}, hash});
      for (const part of ["#board", "#fen", "#depth", "#submit .primary"]) {
        const {y, height} = await page.locator(part).boundingBox();
        assert.ok(y >= 0 && y + height <= 844, `${part} ends at ${y + height}`);
      }
      assert.ok(await page.isHidden("#moves"));
      await count(page, 4);
      await page.waitForFunction(() => {
        const {top} = document.querySelector("#total").getBoundingClientRect();
        return top >= 0 && top < innerHeight / 2;
      });
      await fits(page, 390);
    }
  },

  async "on a tablet Count is on the first screen; on the narrowest phone no heading or link is broken"() {
    const page = await visit({viewport: {width: 768, height: 1024}});
    for (const part of ["#board", "#fen", "#submit .primary", "#known h2"]) {
      const {y, height} = await page.locator(part).boundingBox();
      assert.ok(y + height <= 800, `${part} ends at ${y + height}`);
    }
    await page.setViewportSize({width: 320, height: 568});
    await fits(page, 320);
    const lines = await page.$$eval("h1, footer a, footer button, [role=tab]", all => all.filter(node => node.checkVisibility()).map(node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [node.textContent, new Set([...range.getClientRects()].filter(({width}) => width > 1).map(({bottom}) => Math.round(bottom / 8))).size];
    }));
    assert.ok(lines.length >= 4);
    assert.deepEqual(lines.filter(([, rows]) => rows !== 1), []);
  },

  async "columns of statistics stand below their heads"() {
    const page = await visit({hash: "#fen=kiwipete"});
    await count(page, 3, "stats");
    const rights = await page.$$eval("#stats tr", rows => rows.map(row => {
      const range = document.createRange();
      range.selectNodeContents(row.cells[1].querySelector(".count") ?? row.cells[1].firstChild);
      return Math.round(range.getBoundingClientRect().right);
    }));
    assert.ok(rights.length > 10);
    assert.ok(Math.max(...rights) - Math.min(...rights) <= 1, String(rights));
    const bars = await page.$$eval("#stats .bar", all => all.map(bar => [bar.getBoundingClientRect().width / bar.parentElement.clientWidth, bar.closest("tr").textContent]));
    assert.ok(bars.length > 3);
    const widest = bars.reduce((a, b) => a[0] > b[0] ? a : b);
    assert.match(widest[1], /^Captures/);
    await page.setViewportSize({width: 390, height: 844});
    assert.deepEqual(await page.$$eval("#stats .count", all => all.filter(count => new Set([...count.getClientRects()].map(({top}) => top)).size > 1).map(count => count.textContent)), []);
  },

  async "what is looked at together is seen together, on a desk and on a phone"() {
    const page = await visit({hash: "#fen=kiwipete&depth=3"});
    const box = selector => page.locator(selector).first().boundingBox();
    const within = async (...parts) => {
      const {height} = page.viewportSize();
      for (const part of parts) {
        const {y, height: high} = await box(part);
        assert.ok(y >= -8 && y + high <= height, `${part} is from ${y} to ${y + high}`);
      }
    };
    assert.equal(await text(page, "#known-table .chosen td"), "3");
    await count(page, 3);
    await within("#board", "#turn", "#fen", "#depth", "#total", "#verdict", "#divide tbody tr:nth-child(4)");
    assert.ok((await box("#board")).width >= 540);
    await page.locator("#divide tbody tr:nth-child(40)").scrollIntoViewIfNeeded();
    await within("#board", "#moves", "#divide thead");  // the head of a long divide stays
    await page.click("#edit");
    await page.waitForSelector("#editor", {state: "visible"});
    assert.ok(await page.isHidden("#total"), "the former position's result is beside the editor");
    await page.setViewportSize({width: 390, height: 844});
    await page.locator("#board").scrollIntoViewIfNeeded();
    await within("#board", "#editor .actions");
    await page.click("#editor button:has-text('Cancel')");
    await page.waitForSelector("#editor", {state: "hidden"});
    for (const part of [".beside", ".share"]) assert.ok(await page.isVisible(`#divide tbody ${part}`), part);
    assert.match(await text(page, "#divide tbody .share"), /^\d\.\d\d %$/);

    // A hunt: the next step, and the final result beside the board.
    await page.goto(`${url}#fen=4k3/8/8/8/8/5b2/7R/4K2R_b_K_-_0_1&depth=2&tab=hunt`);
    await says(page, "#legal-count", "16 legal moves");
    await paste(page, printed((await ours(page, rookCaptured, [], 2)).map(row => row.move === "f3h1" ? {...row, nodes: "20"} : row)));
    await says(page, "#crumbs", "Rootf3h1");
    await page.waitForFunction(() => document.activeElement.id === "pasted");
    await within("#board", "#step", "#commands", "#pasted", "#diff-form .primary");
    await paste(page, printed([...await ours(page, rookCaptured, ["f3h1"], 1), {move: "e1g1", nodes: "1"}]));
    await page.waitForSelector('#board [data-arrow="e1g1"]', {state: "attached"});
    await idle(page);
    await within("#board", "#found h2", "#copy-report");
    const words = await page.evaluate(() => document.body.innerText);
    assert.equal(words.split("4k3/8/8/8/8/8/7R/4K2b").length - 1, 1, "the position is said once, where it is asked about");
  },

  async "everything is done by keyboard alone, and the focus is never lost"() {
    const page = await visit();
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    const held = async () => assert.notEqual(await page.evaluate(() => document.activeElement === document.body), true);
    const tabTo = async (id, most) => {
      for (let presses = 1; presses <= most; ++presses) {
        await page.keyboard.press("Tab");
        if (await focused() === id) return;
      }
      assert.fail(`${id} is more than ${most} presses of Tab away; ${await focused()} has the focus`);
    };
    await tabTo("20 legal moves", 13);
    await tabTo("a2a3", 1);
    await tabTo("depth", 1);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("3");
    await tabTo("Count", 2);
    await page.keyboard.press("Enter");
    await done(page, "Perft(3) of");
    assert.equal(await focused(), "Count");

    // The Tab key stops only once in the list of legal moves; arrow keys move between the moves.
    await page.focus("#legal summary");
    await tabTo("a2a3", 1);
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "a2a4");
    await page.keyboard.press("End");
    assert.equal(await focused(), "h2h4");
    await page.keyboard.press("Enter");
    await says(page, "#crumbs", "Rooth2h4");
    await held();
    await page.focus("#crumbs button");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#crumbs", {state: "hidden"});
    await held();

    // Open a row of the divide and close it again.
    await page.focus("#depth");
    await page.keyboard.press("Enter");
    await done(page, "Perft(3) of Start position");
    await page.focus('#divide [data-move="g1f3"]');
    await page.keyboard.press("Enter");
    await done(page, "Perft(2) of Start position after g1f3");
    await page.waitForFunction(() => document.activeElement.id === "result");
    await page.focus("#back");
    await page.keyboard.press("Enter");
    await done(page, "Perft(3) of Start position");
    await held();

    // A job ends while the user presses its button.
    await ask(page, 12, "unhashed");
    await page.waitForSelector("#cancel", {state: "visible"});
    await page.focus("#cancel");
    await page.keyboard.press("Enter");
    await says(page, "#status", "Cancelled");
    await held();

    // Use only the keyboard to change the tab and to compare a divide.
    await page.focus("#tab-count");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "tab-hunt");
    await page.waitForSelector("#pasted", {state: "visible"});
    await page.fill("#depth", "2");
    await page.focus("#pasted");
    await page.keyboard.type("e2e4: 21\nTotal: 21");
    await tabTo("Compare", 1);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#found .causes");
    await held();
  },
};

/** These tests check every view in both sizes. Other tests check for barriers only in the views that they reach. */
export const slow = {
  async "everything can be reached with the keyboard, and focus is seen"() {
    const page = await visit();
    await page.focus("#depth");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await done(page, "Perft(3) of");
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
    await done(page, "Perft(2) of");
    assert.equal(await total(page), "440");
  },

  async "every press is answered within 100 ms, on a processor six times slower"() {
    const page = await visit({hash: "#fen=kiwipete&depth=4"});
    await slowed(page, 6);
    await page.evaluate(() => {
      globalThis.waits = [];
      new PerformanceObserver(list => globalThis.waits.push(...list.getEntries().map(({name, duration}) => [name, duration])))
        .observe({type: "event", durationThreshold: 16});
    });
    const press = async selector => {
      await page.click(selector);
      await idle(page);  // wait until the result is shown, as users do before they press something else
    };
    await press("#submit .primary");
    await done(page, "Perft(4) of");
    await press('[data-open="e1g1"]');
    await page.waitForSelector('[data-path="e1g1 h3g2"] .count');
    await press("#divide th:nth-child(2) button");
    await press("#flip");
    await press("#edit");
    await press("#editor button:has-text('Cancel')");
    await press("#tab-hunt");
    await press("#tab-count");
    await press("#theme");
    await press("#moves button >> nth=3");
    await page.waitForSelector("#crumbs", {state: "visible"});
    const waits = await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(() => resolve(globalThis.waits)))));
    const longest = Math.max(...waits.map(([, duration]) => duration));
    console.log(`      ${waits.length} events above 16 ms, the longest ${longest} ms`);
    assert.ok(longest <= 100, JSON.stringify(waits.filter(([, duration]) => duration > 100)));
  },

  async "no machine finds a barrier: axe-core, in every view, on both sizes, in dark and in light"() {
    for (const viewport of [{width: 1280, height: 800}, {width: 390, height: 844}]) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await visit({viewport, colorScheme});
        const at = `${viewport.width}-${colorScheme}`;
        await everyView(page, async where => {
          await barriers(page, `${at}, ${where}`);
          await shoot(page, `${where.replaceAll(/\W+/g, "-")}-${at}`);
        });
        await page.context().close();
      }
    }
  },
};
