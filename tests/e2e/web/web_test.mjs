// node web_test.mjs URL PICTURES [WORDS]: drives the page of the server at URL as a person would, in Chromium; with
// WORDS (this|that) only the tests whose names contain one of them. Exits with 1 if anything is not as it should be; screenshots go to the
// folder PICTURES.
import {tests as access} from "./access.mjs";
import {tests as addresses} from "./addresses.mjs";
import {tests as campaigns} from "./campaigns.mjs";
import {tests as counting} from "./counting.mjs";
import {run} from "./harness.mjs";
import {tests as hunting} from "./hunting.mjs";
import {tests as parts} from "./parts.mjs";
import {tests as trouble} from "./trouble.mjs";

await run({...parts, ...counting, ...addresses, ...hunting, ...trouble, ...campaigns, ...access});
