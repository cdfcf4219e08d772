// The page in Firefox: counting, descending, the hunt.
import {both} from "./both.mjs";

export const server = {firefox: true};

const driven = ["the classic positions", "two plies", "a hunt goes", "a count is cancelled", "every mode"];
export const tests = Object.fromEntries(Object.entries(both).filter(([name]) => driven.some(part => name.startsWith(part))));
