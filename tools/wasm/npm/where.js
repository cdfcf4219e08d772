// Detects Node. Other runtimes, such as Deno, have the interfaces of browsers.
export const isNode = typeof globalThis.process?.versions?.node === 'string' && typeof globalThis.Deno === 'undefined';

/** Imports a module of Node. Computes the name at run time, so that bundlers for browsers ignore the module. */
export const nodes = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`);
