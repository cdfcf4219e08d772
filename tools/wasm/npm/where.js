// Where this runs: in Node, or in something that has what browsers have, as Deno does.
export const isNode = typeof globalThis.process?.versions?.node === 'string' && typeof globalThis.Deno === 'undefined';

/** A module of Node. Not written out, so that bundles for browsers leave it alone. */
export const nodes = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
