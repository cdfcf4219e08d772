// node web_test.mjs URL PICTURES [WORDS]: drives the page of the server at URL as a person would, in Chromium; with
// WORDS (this|that) only the tests whose names contain one of them. Exits with 1 if anything is not as it should be; screenshots go to the
// folder PICTURES.
import assert from "node:assert/strict";
import {tests as access} from "./access.mjs";
import {tests as addresses} from "./addresses.mjs";
import {tests as counting} from "./counting.mjs";
import {browser, calm, complaints, leave, words} from "./harness.mjs";
import {tests as hunting} from "./hunting.mjs";
import {tests as parts} from "./parts.mjs";
import {tests as trouble} from "./trouble.mjs";

let failed = 0;
process.on("unhandledRejection", error => {  // of a route that was still answering when its page was closed
  failed = 1;
  console.log(`FAIL  ${error.stack}`);
});
for (const [name, test] of Object.entries({...parts, ...counting, ...addresses, ...hunting, ...trouble, ...access})) {
  if (!words.split("|").some(part => name.includes(part))) continue;
  const start = performance.now();
  try {
    await test();
    assert.deepEqual(complaints.splice(0), []);
    console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed = 1;
    console.log(`FAIL  ${name}: ${error.stack}\n${complaints.splice(0).join("\n")}`);
  }
  for (const window of browser.contexts()) await leave(window);
  await calm();
}
await browser.close();
process.exit(failed);
