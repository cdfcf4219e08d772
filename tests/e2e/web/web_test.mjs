// node web_test.mjs PART PERFT FOLDER [WORDS]: tests the page of PERFT's server in Chromium, as a user would use it.
// PART is the name of a file beside this one, or several names (this_that), whose tests then share a browser and a
// server. SlowPART runs the slow tests of PART. With WORDS (this|that), runs only tests whose names contain one of
// them. Exits with 1 if a test fails. Writes screenshots to FOLDER/pictures.
import assert from "node:assert/strict";
import {run} from "./harness.mjs";

const [, slow, names] = /^(Slow)?(\w+)$/.exec(process.argv[2]);
const parts = await Promise.all(names.toLowerCase().split("_").map(name => import(`./${name}.mjs`)));
const servers = parts.map(part => (slow && part.slowServer) ?? part.server ?? {});
for (const server of servers) assert.deepEqual(server, servers[0], "they do not share a server");
const all = parts.flatMap(part => Object.entries(slow ? part.slow : part.tests));
assert.equal(new Set(all.map(([name]) => name)).size, all.length, "two tests have one name");
await run(Object.fromEntries(all), servers[0], {quick: !slow});
