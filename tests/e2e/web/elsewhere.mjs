// Tests with a server that has a lane for short jobs and a base path.
import assert from "node:assert/strict";
import * as counting from "./counting.mjs";
import {api, busy, count, done, look, says, submit, text, total, url, visit} from "./harness.mjs";

export const server = {path: "/perft/"};

export const tests = {
  async "short counts are answered beside a long one"() {
    const page = await visit();
    const release = await busy(page);
    const long = async () => (await (await page.request.get(api(page, "/v1/jobs"))).json()).jobs.find(job => job.depth === 12);
    await look(page);
    await page.waitForFunction(() => document.querySelector("#jobs").textContent.includes("12"));
    assert.equal(await count(page, 5), "4865609");
    await page.click('#divide [data-move="e2e4"]');
    await done(page, "Perft(4) of");
    assert.equal(await total(page), "405385");
    assert.equal((await long()).state, "running");
    await release();
  },

  async "an old job that answers a question again is marked in the list"() {
    const page = await visit();
    await count(page, 2, "hashed");
    for (const file of "abcdefgh")  // the list shows the 20 newest jobs first
      for (const rank of [3, 4]) await submit(page, {depth: 1, moves: `${file}2${file}${rank}`});
    for (const move of ["b1a3", "b1c3", "g1f3", "g1h3"]) await submit(page, {depth: 1, moves: move});
    const later = await visit();
    await count(later, 2, "hashed");
    await says(later, '.job[aria-current="true"]', /Depth 2, hashed.*400 paths$/);
  },

  async "what the page asks is below its path"() {
    const asked = [];
    const page = await visit({before: page => page.on("request", request => asked.push(new URL(request.url()).pathname))});
    await count(page, 3);
    const below = new URL(url).pathname;
    assert.notEqual(below, "/");
    assert.ok(asked.includes(`${below}v1/jobs`), asked.join(" "));
    assert.deepEqual(asked.filter(path => !path.startsWith(below)), []);
    assert.match(await text(page, "#verdict"), /^Agrees/);
  },
};

/**
 * All tests of `counting` must also pass here. The quick tests are only those that depend on the short lane or the base
 * path.
 */
export const slow = {...counting.tests, ...counting.slow};
