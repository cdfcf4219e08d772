// node web_test.mjs PART PERFT FOLDER [WORDS]: drives the page of PERFT's server as a person would, in Chromium; with WORDS
// (this|that) only the tests whose names contain one of them. PART is a file beside this one; SlowPART are its slow
// tests. Exits with 1 if anything is not as it should be; FOLDER has what is left: screenshots, in `pictures`.
import {run} from "./harness.mjs";

const [, slow, name] = /^(Slow)?(\w+)$/.exec(process.argv[2]);
const part = await import(`./${name.toLowerCase()}.mjs`);
await run(slow ? part.slow : part.tests, (slow && part.slowServer) ?? part.server, {quick: !slow});
