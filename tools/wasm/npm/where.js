// Detects Node. Other runtimes, such as Deno, have the interfaces of browsers.
export const isNode = typeof globalThis.process?.versions?.node === 'string' && typeof globalThis.Deno === 'undefined';

/** Imports a module of Node. The name is computed, so that bundlers for browsers ignore it. */
export const nodes = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
