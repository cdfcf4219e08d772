// Tests of the guided search for the bug in a user's generator.
import assert from "node:assert/strict";
import {busy, fits, line, ours, paste, printed, says, shoot, text, total, turnTo, visit} from "./harness.mjs";

/** No short lane, so that all jobs wait behind earlier ones. */
export const server = {options: ["--short-limit", "0"]};

/**
 * Returns the divide of an engine that keeps the castling right when the rook on h1 is captured: the server's divide
 * with the counts that this error changes.
 */
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

export const tests = {
  async "a descent by pastes ends at the rule that is broken"() {
    const page = await visit();
    await page.fill("#fen", "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1");
    await page.press("#fen", "Enter");
    await page.waitForFunction(() => document.querySelector("#legal-count").textContent !== "20 legal moves");
    await page.fill("#depth", "4");
    await turnTo(page, "hunt");
    assert.equal(await text(page, "#commands"), "position fen 4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1\ngo perft 4");

    // An engine that keeps the castling right when the rook is captured.
    await paste(page, await brokenDivide(page, [], 4));
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Rootf3h1");
    assert.equal(await text(page, "#step"), "Step 2: ask your program");
    assert.deepEqual(await page.$$eval("#trail .differs", all => all.map(row => row.dataset.move)), ["f3h1"]);
    assert.match(await text(page, "#commands"), /^position fen 4k3\S+ b K - 0 1 moves f3h1\ngo perft 3$/);
    assert.equal(await page.inputValue("#depth"), "3");
    assert.equal(await text(page, "#here-fen"), "4k3/8/8/8/8/8/7R/4K2b w - - 0 2");

    await paste(page, "nothing of the kind");
    await page.waitForFunction(() => document.querySelector("#diff-error").textContent);
    await paste(page, await brokenDivide(page, ["f3h1"], 3));
    await page.waitForFunction(() => document.querySelector("#depth").value === "2");
    assert.equal(await text(page, "#diff-error"), "");
    const played = (await text(page, "#commands")).match(/moves (.*)/)[1].split(" ");
    await paste(page, await brokenDivide(page, played, 2));
    await page.waitForFunction(() => document.querySelector("#depth").value === "1");
    const last = (await text(page, "#commands")).match(/moves (.*)/)[1].split(" ");
    await paste(page, await brokenDivide(page, last, 1));
    await page.waitForSelector("#found .causes");
    assert.equal(await page.getAttribute("#found .causes li", "data-cause"), "castling-right-after-capture");
    assert.match(await text(page, "#found"), /e1g1: f3h1 captured the rook on h1/);
    assert.equal(await page.$$eval("#trail > li", all => all.length), 4);
    await page.click("#right-as-fen");
    await page.waitForFunction(() => /reached a wrong position/.test(document.querySelector("#found").textContent));
    await shoot(page, "hunt-desktop");
    await page.setViewportSize({width: 360, height: 900});
    await fits(page, 360);
    await shoot(page, "hunt-phone");

    // Go back to a step: the later steps disappear.
    await page.click("#crumbs button:nth-child(2)");
    await page.waitForFunction(() => document.querySelectorAll("#trail > li").length === 1);
    assert.equal(await page.inputValue("#depth"), "3");
    assert.equal(await text(page, "#found"), "");
    await page.click("#back");
    await page.waitForFunction(() => document.querySelector("#depth").value === "4");
    await paste(page, await brokenDivide(page, [], 4));
    await page.waitForFunction(() => document.querySelector("#depth").value === "3");
    await page.click("#hunt-restart");
    await page.waitForFunction(() => document.querySelector("#depth").value === "4" &&
      document.querySelectorAll("#trail > li").length === 0);
  },

  async "the answer at the end of a descent is inside a phone's window"() {
    const fen = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";
    for (const viewport of [{width: 390, height: 844}, {width: 320, height: 568}]) {
      const page = await visit({viewport});
      await page.fill("#fen", fen);
      await page.press("#fen", "Enter");
      await page.waitForFunction(() => document.querySelector("#legal-count").textContent !== "20 legal moves");
      await page.fill("#depth", "4");
      await turnTo(page, "hunt");
      for (let moves = [], depth = 4; depth > 0; --depth) {
        await page.waitForFunction(wanted => document.querySelector("#depth").value === wanted, String(depth));
        if (depth < 4) moves = (await text(page, "#commands")).match(/moves (.*)/)[1].split(" ");
        await page.fill("#pasted", await brokenDivide(page, moves, depth));
        await page.click("#diff-form .primary");
      }
      await page.waitForSelector("#found .causes li");
      await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      for (const part of ["#found h2", "#found .causes li"]) {
        const seen = await page.$eval(part, element => {
          const {left, right, top, bottom} = element.getBoundingClientRect();
          const inside = top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
          const onTop = y => element.contains(document.elementFromPoint(left + 2, y)) ||
            document.elementFromPoint(left + 2, y)?.contains(element);
          return {inside, uncovered: onTop(top + 2) && onTop(bottom - 2)};
        });
        assert.deepEqual(seen, {inside: true, uncovered: true}, `${part} at ${viewport.width}`);
      }
      await fits(page, viewport.width);
      await shoot(page, `hunt-end-${viewport.width}`);
    }
  },

  async "a program that is right is told so, and a paste that was cut is noticed"() {
    const page = await visit();
    await page.fill("#depth", "2");
    await turnTo(page, "hunt");
    assert.equal(await text(page, "#commands"), "position startpos\ngo perft 2");
    const rows = (await ours(page, "startpos", [], 2)).map(({move, nodes}) => `${move}: ${nodes}`);
    await paste(page, `${rows.join("\n")}\n\nNodes searched: 400\n`);
    await page.waitForSelector("#found .good");
    await page.click("#deeper");
    await page.waitForFunction(() => /go perft 3$/.test(document.querySelector("#commands").textContent));
    assert.equal(await text(page, "#found"), "");

    // Paste only half of the rows, but the total of all rows.
    await page.fill("#depth", "2");
    await paste(page, `${rows.slice(0, 10).join("\n")}\n\nNodes searched: 400\n`);
    await page.waitForSelector("#trail .warning");
    assert.match(await text(page, "#trail .warning"), /add up to 200, but the pasted total is 400/);

    // The count of e2e4 is wrong, but all counts after it are right.
    await page.fill("#depth", "3");
    const deeper = (await ours(page, "startpos", [], 3)).map(({move, nodes}) => `${move}: ${move === "e2e4" ? 599 : nodes}`);
    await paste(page, deeper.join("\n"));
    await says(page, "#crumbs", "Roote2e4");
    await paste(page, (await ours(page, "startpos", ["e2e4"], 2)).map(({move, nodes}) => `${move} ${nodes}`).join("\n"));
    await page.waitForSelector("#found h2");
    assert.match(await text(page, "#found"), /After e2e4, your program counted 599 paths instead of 600/);
  },

  async "a divide that takes long is counted as a job first"() {
    const page = await visit();
    await page.route("**/v1/diff", route => route.fulfill({status: 409, contentType: "application/problem+json",
      body: '{"title":"Conflict","status":409,"detail":"not known yet"}'}), {times: 1});
    await page.selectOption("#presets", {label: "Random Chess960 start"});  // no job has counted this position
    await page.waitForFunction(() => /fen=/.test(location.hash));
    const [first, ...others] = await ours(page, await page.inputValue("#fen"), [], 3);
    const release = await busy(page);
    await page.fill("#depth", "3");
    await turnTo(page, "hunt");
    const more = Number(first.nodes) + 1;
    await paste(page, `${printed([{...first, nodes: more}])}\nTotal: ${more}`);  // the program does not list the other moves
    await says(page, "#diff-wait", /^Counting this divide first, \d+ in the queue/);
    await release();
    await page.waitForSelector("#found .causes");
    assert.equal(await text(page, "#diff-wait"), "");
    assert.equal(await page.$$eval("#trail tr.differs", all => all.length), others.length + 1);
  },

  async "a divide of another depth is recognised"() {
    const page = await visit();
    await page.fill("#depth", "3");
    await turnTo(page, "hunt");
    const right = await ours(page, "startpos", [], 4);
    await paste(page, printed(right));
    await says(page, "#found h2", "This looks like depth 4, not 3");
    assert.equal(await page.$$eval("#trail > li", all => all.length), 0);
    assert.equal(await line(page), "");
    await page.click("#compare-there");
    await page.waitForSelector("#found .good");
    assert.equal(await page.inputValue("#depth"), "4");

    // One row of depth 4 is wrong. The page must still recognise depth 4, and the search begins there.
    await page.fill("#depth", "3");
    await paste(page, printed(right.map(row => row.move === "e2e4" ? {...row, nodes: "13161"} : row)));
    await says(page, "#found", /19 of 20 counts are right for depth 4/);
    await page.click("#compare-there");
    await says(page, "#crumbs", "Roote2e4");
    assert.equal(await page.inputValue("#depth"), "3");

    // If most rows are wrong at every depth, the page compares them at the depth that was asked for.
    await page.click("#hunt-restart");
    await page.waitForFunction(() => document.querySelector("#depth").value === "4");
    await paste(page, printed(right.map(({move}, i) => ({move, nodes: String(7000 + i)}))));
    await says(page, "#crumbs", /^Root..../);
  },

  async "a descent outlives a reload"() {
    const page = await visit();
    await page.fill("#depth", "3");
    await turnTo(page, "hunt");
    await paste(page, printed((await ours(page, "startpos", [], 3)).map(row => row.move === "e2e4" ? {...row, nodes: "599"} : row)));
    await says(page, "#crumbs", "Roote2e4");
    await page.reload();
    await says(page, "#trail", /Depth 3: 1 of 20 moves differs → into e2e4/);
    assert.equal(await text(page, "#commands"), "position startpos moves e2e4\ngo perft 2");
    await page.click("#hunt-restart");
    await page.waitForFunction(() => document.querySelectorAll("#trail > li").length === 0);
    assert.equal(await line(page), "");
  },
};
