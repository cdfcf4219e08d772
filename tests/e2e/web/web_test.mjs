// node web_test.mjs PART PERFT FOLDER [WORDS]: drives the page of PERFT's server as a person would, in Chromium; with WORDS
// (this|that) only the tests whose names contain one of them. PART is a file beside this one, or several (this_that) whose
// tests share a browser and a server; SlowPART are its slow tests. Exits with 1 if anything is not as it should be; FOLDER
// has what is left: screenshots, in `pictures`.
import assert from "node:assert/strict";
import {run} from "./harness.mjs";

const [, slow, names] = /^(Slow)?(\w+)$/.exec(process.argv[2]);
const parts = await Promise.all(names.toLowerCase().split("_").map(name => import(`./${name}.mjs`)));
const servers = parts.map(part => (slow && part.slowServer) ?? part.server ?? {});
for (const server of servers) assert.deepEqual(server, servers[0], "they do not share a server");
const all = parts.flatMap(part => Object.entries(slow ? part.slow : part.tests));
assert.equal(new Set(all.map(([name]) => name)).size, all.length, "two tests have one name");
await run(Object.fromEntries(all), servers[0], {quick: !slow});
