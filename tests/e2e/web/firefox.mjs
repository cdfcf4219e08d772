// The page in Firefox: counting and descending; all that it does, as static files that count by themselves, is slow.
import {both} from "./both.mjs";

export const server = {firefox: true};
export const slowServer = {firefox: true, files: true};

const driven = (...parts) => Object.fromEntries(Object.entries(both).filter(([name]) => parts.some(part => name.startsWith(part))));
export const tests = driven("two plies", "a count is cancelled");
export const slow = driven("the classic positions", "two plies", "statistics", "a hunt goes", "a count is cancelled", "every mode");
