// Checks which files a visit loads. Measures the time on a slow link.
import assert from "node:assert/strict";
import {browser, url} from "./harness.mjs";

export const server = {};

/**
 * Visits the page in a new browser profile, then again. Returns for each visit {requests, bytes, seconds}, as the
 * browser reports them.
 */
async function visits({latency = 0, bytesPerSecond = -1} = {}) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions",
                     {offline: false, latency, downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond});
  const seen = new Map();
  session.on("Network.requestWillBeSent", ({requestId, request}) => seen.set(requestId, {address: request.url}));
  session.on("Network.requestServedFromCache", ({requestId}) => Object.assign(seen.get(requestId) ?? {}, {cached: true}));
  session.on("Network.responseReceived", ({requestId, response}) => Object.assign(seen.get(requestId) ?? {}, {
    headers: response.headers, ...(response.fromDiskCache ? {cached: true} : {})}));
  session.on("Network.loadingFinished", ({requestId, encodedDataLength}) => Object.assign(seen.get(requestId) ?? {}, {bytes: encodedDataLength}));
  const results = [];
  for (let visit = 0; visit < 2; ++visit) {
    seen.clear();
    const begun = performance.now();
    if (visit) await page.reload({waitUntil: "commit"});
    else await page.goto(url, {waitUntil: "commit"});
    await page.waitForFunction(() => /\d/.test(document.querySelector("#legal-count")?.textContent));
    await page.waitForSelector('#board [data-piece="wk"][data-square="e1"]');
    const seconds = (performance.now() - begun) / 1000;
    await page.waitForTimeout(1500);  // later requests are counted, too
    const requests = [...seen.values()].filter(({address, cached}) => !cached && address.startsWith("http"));
    results.push({requests, seconds, bytes: requests.reduce((sum, {bytes = 0}) => sum + bytes, 0)});
  }
  await context.close();
  return results;
}

const asset = /\/assets\/\w+\.[0-9a-f]{16}\.(js|css|wasm)$/;
const header = (headers, name) => Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

/**
 * Checks that a visit makes at most 15 requests, that names contain digests, that all large files are compressed, and
 * that a second visit loads none of these files again.
 */
export async function loadsInFewRequests(what) {
  const [first, second] = await visits();
  const paths = ({requests}) => requests.map(({address}) => new URL(address).pathname);
  assert.ok(first.requests.length <= 15, paths(first).join(" "));
  assert.ok(paths(first).some(path => asset.test(path)));
  assert.deepEqual(paths(first).filter(path => /\.(js|css|svg|wasm)$/.test(path) && !asset.test(path) && !/icon\.svg$|sw\.js$/.test(path)), []);
  assert.ok(first.bytes <= what.bytes, `${first.bytes} bytes`);
  for (const {address, headers = {}} of first.requests.filter(({address}) => asset.test(address))) {
    if (header(headers, "cache-control") === undefined) continue;  // the page cannot see the headers of a worker's requests
    assert.equal(header(headers, "cache-control"), "public, max-age=31536000, immutable", address);
    assert.equal(header(headers, "vary"), "Accept-Encoding", address);
  }
  const {headers} = first.requests[0];
  assert.equal(header(headers, "cache-control"), "no-cache");
  assert.equal(header(headers, "content-encoding"), "br");
  assert.deepEqual(paths(second).filter(path => asset.test(path) && !/worker/.test(path)), []);
  assert.ok(second.bytes <= what.again, `${second.bytes} bytes`);
}

export const tests = {
  "a visit is few requests and few bytes, a second one fewer": () => loadsInFewRequests({bytes: 130_000, again: 10_000}),
};

/**
 * Five times, visits the page twice over a link with 150 ms and 1.6 Mbit/s. Prints the times until the pieces and the
 * legal moves are shown.
 */
export async function printSlowLink() {
  const runs = [];
  while (runs.length < 5) runs.push(await visits({latency: 150, bytesPerSecond: 200_000}));
  for (const at of [0, 1]) {
    const {requests, bytes} = runs[0][at];
    const seconds = runs.map(run => run[at].seconds).sort((a, b) => a - b);
    console.log(`      visit ${at + 1}: ${seconds.map(time => time.toFixed(2)).join(" ")} s, ${requests.length} requests, ${bytes} bytes`);
    for (const {address, bytes} of requests) console.log(`        ${address} ${bytes}`);
  }
}

export const slow = {"on a slow link: figures to read": printSlowLink};
