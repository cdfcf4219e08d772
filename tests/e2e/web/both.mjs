// Tests that do not depend on who counts. They run once with a server, and once with static files that count in the
// browser (static.mjs). No test here sends requests to a server by itself.
import assert from "node:assert/strict";
import {barriers, count, done, kiwipete, paste, says, shoot, text, total, turnTo, visit} from "./harness.mjs";

export const both = {
  async "the classic positions are counted as published"() {
    const page = await visit();
    for (const [name, depth, nodes] of [["Start position", 5, "4865609"], ["Kiwipete", 4, "4085603"], ["Position 3", 5, "674624"],
      ["Position 4", 4, "422333"], ["Position 5", 4, "2103487"], ["Position 6", 4, "3894594"]]) {
      await page.selectOption("#presets", {label: name});
      await page.waitForSelector("#result", {state: "hidden"});  // the result disappears with its position
      assert.equal(await count(page, depth), nodes, name);
      assert.equal(await text(page, "#verdict"), "Agrees with the published number of paths.");
      // The sum below the divide.
      assert.equal(await page.getAttribute("#divide tfoot .count", "data-digits"), nodes);
    }
  },

  async "two plies at once: a row is opened in place, and a row below it"() {
    const page = await visit({hash: "#fen=kiwipete&depth=3"});
    await page.click("#submit .primary");
    await done(page, "Perft(3) of");
    const below = path => page.$$eval(`#divide tr[data-path^="${path} "]`, (all, plies) =>
      all.filter(row => row.dataset.path.split(" ").length === plies).map(row => row.querySelector(".count")?.dataset.digits ?? null), path.split(" ").length + 1);
    const sum = rows => String(rows.reduce((all, nodes) => all + BigInt(nodes), 0n));
    const counted = path => page.waitForFunction(path => {
      const rows = [...document.querySelectorAll(`#divide tr[data-path^="${path} "]`)];
      return rows.length && rows.every(row => row.querySelector(".count"));
    }, path);
    await page.click('[data-open="e1g1"]');
    await counted("e1g1");
    assert.match(await text(page, "#divide"), /Shares below refer to these 2\u202f059 paths\./);
    const rows = await below("e1g1");
    assert.equal(rows.length, 43);
    assert.equal(sum(rows), await page.getAttribute('#divide tr[data-path="e1g1"] .count', "data-digits"));
    await page.click('[data-open="e1g1 h3g2"]');
    await counted("e1g1 h3g2");
    const leaves = await below("e1g1 h3g2");
    assert.equal(sum(leaves), await page.getAttribute('#divide tr[data-path="e1g1 h3g2"] .count', "data-digits"));
    assert.ok(leaves.every(nodes => nodes === "1"));
    assert.equal(await page.$$eval('#divide tr[data-path="e1g1 h3g2"] ~ tr button.opener[data-open^="e1g1 h3g2 "]', all => all.length), 0);
    await shoot(page, "two-plies");
    await page.click('[data-open="e1g1"]');
    await page.waitForSelector('#divide tr[data-path^="e1g1 "]', {state: "detached"});
    // A press on a row of two moves plays both moves.
    await page.click('[data-open="e1g1"]');
    await counted("e1g1");
    await page.click('#divide tr[data-path="e1g1 h3g2"] .move');
    await done(page, "Perft(1) of Kiwipete after e1g1 h3g2");
    assert.equal(await text(page, "#crumbs"), "Roote1g1h3g2");
  },

  async "statistics, and why: a row's share by kinds"() {
    const page = await visit({hash: "#fen=kiwipete&depth=2"});
    await count(page, 2, "stats");
    assert.match(await text(page, "#stats"), /Captures35117\.2 %/);
    await page.click('[data-open="e5d7"]');
    await says(page, "#divide", /Of these paths: captures \d/);
  },

  async "depth by depth: ratios, a picture, and to take along"() {
    const page = await visit();
    await count(page, 4);
    await page.click("#depths-card summary");
    await page.click("#depths-count");
    await page.waitForSelector("#depths-save", {state: "visible"});
    assert.deepEqual(await page.$$eval("#depths tbody tr", all => all.map(row => [...row.children].slice(0, 3).map(cell =>
      cell.querySelector(".count")?.dataset.digits ?? cell.textContent))),
      [["1", "20", "–"], ["2", "400", "20.00"], ["3", "8902", "22.25"], ["4", "197281", "22.16"]]);
    await page.waitForSelector("#depths-plot canvas");
    const saved = async format => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click(`#depths-${format}`)]);
      const chunks = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    assert.match(await saved("epd"), /^rnbqkbnr\/\S+ w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902 ;D4 197281\n$/);
    assert.match(await saved("csv"), /^fen,depth,nodes,seconds\n"rnbq.+",1,20,[\d.e-]+\n/);
    assert.deepEqual(JSON.parse(await saved("json")).depths.map(({nodes}) => nodes), ["20", "400", "8902", "197281"]);
    // Copy the plot as numbers and as a picture. Without a clipboard, the page saves a file.
    await page.evaluate(() => {
      navigator.clipboard.writeText = async words => { globalThis.copied = words; };
      navigator.clipboard.write = async ([item]) => {
        const bytes = await (await item.getType("image/png")).arrayBuffer();
        globalThis.copied = [...new Uint8Array(bytes.slice(1, 4))].map(byte => String.fromCharCode(byte)).join("");
      };
    });
    const copied = async button => {
      await page.click(`#depths-figure ${button}`);
      await says(page, "#announce", "Copied");
      await page.waitForFunction(() => globalThis.copied);
      return page.evaluate(() => { const {copied} = globalThis; globalThis.copied = null; return copied; });
    };
    assert.equal(await copied("button:has-text('Copy data')"), "depth\tpaths\n1\t20\n2\t400\n3\t8902\n4\t197281");
    assert.equal(await copied("button:has-text('Copy picture')"), "PNG");
    await page.evaluate(() => { navigator.clipboard.write = () => Promise.reject(new Error("not allowed")); });
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#depths-figure .copies button >> nth=0")]);
    assert.equal(file.suggestedFilename(), "Paths by depth.png");
  },

  async "a hunt goes from a wrong total to the rule: pasted, drawn, ready to report"() {
    const fen = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";  // the program keeps the castling right when the rook is captured
    const page = await visit({hash: `#fen=${fen.replaceAll(" ", "_")}&depth=2`});
    await count(page, 2);
    const rows = await page.$$eval("#divide tbody tr", all => all.map(row => [row.dataset.path, row.querySelector(".count").dataset.digits]));
    await turnTo(page, "hunt");
    const pasteByHand = async words => {
      await page.focus("#pasted");
      await page.evaluate(words => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", words);
        const event = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
        document.activeElement.dispatchEvent(event);
        document.execCommand("insertText", false, words);
      }, words);
    };
    await pasteByHand(rows.map(([move, nodes]) => `${move}: ${move === "f3h1" ? Number(nodes) + 1 : nodes}`).join("\n"));
    await says(page, "#crumbs", "Rootf3h1");
    assert.equal(await text(page, "#trail .fold"), "15 the same");
    assert.equal(await page.$$eval("#trail tbody:not([hidden]) tr.differs", all => all.length), 1);
    await page.click("#trail .fold");
    assert.equal(await page.$$eval("#trail tbody:not([hidden]) tr[data-move]", all => all.length), 16);
    const legal = await page.$$eval("#moves button", all => all.map(button => button.textContent));
    await paste(page, [...legal, "e1g1"].map(move => `${move}: 1`).join("\n"));
    await page.waitForSelector('#found [data-cause="castling-right-after-capture"], #found [data-cause="castling-without-rook"]')
      .catch(() => assert.fail("no cause"));
    await page.waitForSelector('#board [data-arrow="e1g1"].arrow-danger', {state: "attached"});
    for (const part of ["#board", "#found h2"]) {
      const {y} = await page.locator(part).boundingBox();
      assert.ok(y >= -80 && y < 500, `${part} is at ${y}`);
    }
    await page.evaluate(() => { navigator.clipboard.writeText = async words => { globalThis.copied = words; }; });
    await page.click("#copy-report");
    const report = await page.evaluate(() => globalThis.copied);
    for (const line of [/^Rule broken: .+e1g1: no rook stands on h1/m, /^FEN: 4k3\/8\/8\/8\/8\/8\/7R\/4K2b w - - 0 2$/m, /^Moves to it: f3h1$/m,
      /^Illegal moves: e1g1$/m, /^position fen 4k3\/8\/8\/8\/8\/5b2\/7R\/4K2R b K - 0 1 moves f3h1\ngo perft 1$/m]) {
      assert.match(report, line);
    }
    await shoot(page, "hunt-end");
    await barriers(page, "the end of a hunt", {dark: true});
  },

  async "divides of several depths in one paste: the smallest that differs is where the hunt begins"() {
    const page = await visit();
    const divides = [];
    for (const depth of [1, 2, 3]) {
      await count(page, depth);
      divides.push(await page.$$eval("#divide tbody tr", all => all.map(row => [row.dataset.path, row.querySelector(".count").dataset.digits])));
    }
    await page.fill("#depth", "3");
    await turnTo(page, "hunt");
    const wrong = new Map([[1, "e2e4"], [2, "e2e4"]]);  // at depths 2 and 3, the count of this move is too large by one
    await paste(page, divides.map((rows, at) => {
      const told = rows.map(([move, nodes]) => [move, move === wrong.get(at) ? Number(nodes) + 1 : Number(nodes)]);
      return `${told.map(([move, nodes]) => `${move}: ${nodes}`).join("\n")}\n\nNodes searched: ${told.reduce((all, [, nodes]) => all + nodes, 0)}\n`;
    }).join("\n"));
    await says(page, "#crumbs", "Roote2e4");
    assert.equal(await page.inputValue("#depth"), "1");
    assert.match(await text(page, "#trail"), /In this paste: depth 1 agrees, depth 2 differs, depth 3 differs\./);
    assert.match(await text(page, "#trail"), /Depth 2: 1 of 20 moves differs → into e2e4/);
  },

  async "a count is cancelled, and the next one is counted"() {
    const page = await visit({hash: "#fen=kiwipete&depth=8&mode=unhashed"});
    await page.click("#submit .primary");
    await says(page, "#status", /^(Counting|Splitting|Starting|Setting)/);
    await says(page, "#figures", /Time left/);
    await page.click("#cancel");
    await says(page, "#status", "Cancelled");
    assert.equal(await count(page, 3), "97862");
  },

  async "every mode answers, and says what it is"() {
    const page = await visit({hash: "#fen=kiwipete"});
    const modes = await page.$$eval("#mode option", all => all.map(({value}) => value));
    const hints = new Set();
    for (const mode of modes) {
      await count(page, 3, mode);
      hints.add(await text(page, "#mode-hint"));
      const digits = await total(page);
      if (mode !== "unique" && mode !== "estimate") assert.equal(digits, "97862", mode);
      assert.doesNotMatch(await text(page, "#work"), /undefined|NaN|null|\b0 ms\b/, mode);
    }
    assert.equal(hints.size, modes.length);
    assert.ok(modes.length >= 7);
  },
};
/** Returns the tests whose names begin with one of `parts`. */
export const driven = (...parts) => Object.fromEntries(Object.entries(both).filter(([name]) => parts.some(part => name.startsWith(part))));

/** With a server, these belong to the slow tests, because Firefox, `hunting` and `counting` have similar quick tests. */
const kElsewhere = ["two plies", "a hunt goes", "a count is cancelled"];
export const tests = Object.fromEntries(Object.entries(both).filter(([name]) => !kElsewhere.some(part => name.startsWith(part))));
export const slow = driven(...kElsewhere);
