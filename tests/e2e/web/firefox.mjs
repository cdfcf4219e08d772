// The page in Firefox: counting and descending; all that it does, as static files that count by themselves, is slow.
import {driven} from "./both.mjs";

export const server = {firefox: true};
export const slowServer = {firefox: true, files: true};

export const tests = driven("two plies");
export const slow = driven("the classic positions", "two plies", "statistics", "a hunt goes", "a count is cancelled", "every mode");
