// Tests of the state in the address: Back, reload, links, other tabs.
import assert from "node:assert/strict";
import {bareKings, count, done, finished, line, says, total, turnTo, visit} from "./harness.mjs";

export const tests = {
  async "back and forward go where one was"() {
    const page = await visit();
    await count(page, 3);
    await page.click('#divide [data-move="e2e4"]');
    await done(page, "Perft(2) of Start position after e2e4");
    await page.click("#moves button:has-text('e7e5')");
    await says(page, "#crumbs", "Roote2e4e7e5");
    assert.ok(await page.isHidden("#result"));
    await turnTo(page, "hunt");
    await page.waitForSelector("#hunt", {state: "visible"});
    await page.goBack();
    await page.waitForSelector("#hunt", {state: "hidden"});
    assert.equal(await line(page), "Roote2e4e7e5");
    await page.goBack();
    await done(page, "Perft(2) of Start position after e2e4");
    assert.equal(await page.inputValue("#depth"), "2");
    await page.goBack();
    await done(page, "Perft(3) of Start position");
    assert.equal(await total(page), "8902");
    assert.equal(await line(page), "");
    await page.goForward();
    await done(page, "Perft(2) of Start position after e2e4");
    assert.equal(await line(page), "Roote2e4");
  },

  async "a link is the same page in another window"() {
    const page = await visit();
    await page.click("#moves button:has-text('e2e4')");
    await says(page, "#crumbs", "Roote2e4");
    await count(page, 3, "stats");
    const hash = new URL(page.url()).hash;
    const other = await visit({hash});
    await done(other, "Statistics of perft(3) of Start position after e2e4");
    assert.equal(await line(other), "Roote2e4");
    assert.equal(new URL(other.url()).hash, hash);
    await page.reload();
    await done(page, "Statistics of perft(3) of Start position after e2e4");
    await turnTo(page, "hunt");
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#result-title").textContent);  // the other tab hides the result
    assert.ok(await page.isVisible("#hunt"));
  },

  async "links to jobs go on working"() {
    const page = await visit();
    const job = await finished(page, {fen: "startpos", moves: "g1f3", depth: 3});
    const other = await visit({hash: `#job=${job.id}`});
    await done(other, "Perft(3) of Start position after g1f3");
    assert.equal(await line(other), "Rootg1f3");
    await page.evaluate(id => { location.hash = `#job=${id}`; }, job.id);
    await done(page, "Perft(3) of Start position after g1f3");
    const gone = await visit({hash: "#job=999999999"});
    await says(gone, "#submit-error", /999999999/);
  },

  async "a link to what is no position says so at the box"() {
    const page = await visit({hash: "#fen=8/8/8/8/8/8/8/8_w_-_-_0_1&depth=4"});
    await says(page, "#fen-error", /king/);
    assert.equal(await page.inputValue("#fen"), "8/8/8/8/8/8/8/8 w - - 0 1");
    assert.equal(await page.inputValue("#depth"), "4");
    await says(page, "#legal-count", "20 legal moves");
    // If a link names a job of another position, the page must not show that job.
    const job = await finished(page, {depth: 2});
    const other = await visit({hash: `#fen=${bareKings.replaceAll(" ", "_")}&depth=2&job=${job.id}`});
    await page.waitForTimeout(500);
    assert.ok(await other.isHidden("#result"));
    await other.waitForFunction(() => !/job=/.test(location.hash));
  },

  async "the skip link goes to the result and leaves the address alone"() {
    const page = await visit();
    await count(page, 3);
    const before = page.url();
    await page.focus("#skip");
    await page.keyboard.press("Enter");
    assert.equal(page.url(), before);
    assert.ok(await page.$eval("#result", result => result === document.activeElement));
    await turnTo(page, "hunt");
    const hunting = page.url();
    await page.focus("#skip");
    await page.keyboard.press("Enter");
    assert.equal(page.url(), hunting);
    assert.ok(await page.$eval("#hunt", panel => panel === document.activeElement));
  },
};
