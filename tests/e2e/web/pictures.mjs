// Takes pictures of every view on a desktop and on a phone, in light and dark mode, for people to look at. Checks that
// no text is cut off or outside the window.
import assert from "node:assert/strict";
import {deadWorker} from "./campaigns.mjs";
import {ask, count, idle, ours, paste, says, shoot, turnTo, visit} from "./harness.mjs";

export const server = {options: ["--short-limit", "0"]};

const rookCaptured = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";

/** Returns the visible texts that are cut off or lie outside the window. */
const cutOff = page => page.evaluate(() => {
  const scrolls = node => node && (/auto|scroll/.test(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  for (let text = words.nextNode(); text; text = words.nextNode()) {
    const box = text.parentElement;
    if (!text.textContent.trim() || !box.checkVisibility({visibilityProperty: true}) || box.closest("select, svg, canvas") ||
        getComputedStyle(box).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const {left, right, width} = range.getBoundingClientRect();
    if (width < 2 || scrolls(box)) continue;
    const cut = box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible" && getComputedStyle(box).textOverflow !== "ellipsis";
    if (cut || left < -1 || right > innerWidth + 1) found.push(text.textContent.trim());
  }
  return found;
});

/** Shows all views of the page one after another; calls `look(name)` for each. */
async function views(page, look) {
  await look("first");
  await page.selectOption("#presets", {label: "Kiwipete"});
  await says(page, "#legal-count", "48 legal moves");
  await count(page, 5);
  await look("counted");
  await count(page, 3);
  await page.click('[data-open="e2a6"]');
  await page.waitForSelector('[data-path="e2a6 b4c3"] .count');
  await look("two-plies");
  await count(page, 4, "stats");
  await look("statistics");
  await page.click("#edit");
  await look("editor");
  await page.click("#editor button:has-text('Cancel')");
  await page.selectOption("#presets", {label: "Start position"});
  await says(page, "#legal-count", "20 legal moves");
  await ask(page, 10, "hashed");
  await says(page, "#figures", /Time left\d/);
  await look("running");
  await page.click("#cancel");
  await says(page, "#status", "Cancelled");

  await page.fill("#fen", rookCaptured);
  await page.press("#fen", "Enter");
  await page.waitForFunction(() => document.querySelector("#legal-count").textContent === "16 legal moves");
  await page.fill("#depth", "2");
  await turnTo(page, "hunt");
  await look("hunt-first");
  const rows = await ours(page, rookCaptured, [], 2);
  await paste(page, rows.map(({move, nodes}) => `${move}: ${move === "f3h1" ? Number(nodes) + 1 : nodes}`).join("\n"));
  await says(page, "#crumbs", "Rootf3h1");
  await look("hunt-step");
  const after = await ours(page, rookCaptured, ["f3h1"], 1);
  await paste(page, [...after, {move: "e1g1", nodes: "1"}].map(({move, nodes}) => `${move}: ${nodes}`).join("\n"));
  await page.waitForSelector("#found .causes");
  await look("hunt-end");
}

export const slow = {
  async "every view, on four sizes, in both themes: nothing is cut off"() {
    const found = {};
    for (const viewport of [{width: 1280, height: 800}, {width: 768, height: 1024}, {width: 390, height: 844}, {width: 320, height: 568}]) {
      for (const colorScheme of ["light", "dark"]) {
        const at = `${viewport.width}-${colorScheme}`;
        const look = async (page, name) => {
          await idle(page);
          await shoot(page, `${name}-${at}`, {whole: false});
          const words = await cutOff(page);
          if (words.length) found[`${name}-${at}`] = words;
        };
        const page = await visit({viewport, colorScheme});
        await views(page, name => look(page, name));
        await page.context().close();
        const campaign = await deadWorker({viewport, colorScheme});
        await look(campaign, "campaign");
        await campaign.context().close();
      }
    }
    assert.deepEqual(found, {});
  },
};
