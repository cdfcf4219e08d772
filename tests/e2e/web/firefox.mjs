// The page in Firefox. Counting and descending are quick tests. The slow tests run all tests of the static files, which
// count in the browser.
import {driven} from "./both.mjs";

export const server = {firefox: true};
export const slowServer = {firefox: true, files: true};

export const tests = driven("two plies");
export const slow = driven("the classic positions", "two plies", "statistics", "a hunt goes", "a count is cancelled", "every mode");
