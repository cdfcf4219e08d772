// Tests with a server that has a lane for short jobs and a base path.
import assert from "node:assert/strict";
import * as counting from "./counting.mjs";
import {api, busy, count, done, look, text, total, url, visit} from "./harness.mjs";

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
