// Sends one request to the server and interprets refusals. Used by the page and by the worker that follows jobs.
import {Refused, Unreachable} from "./counter.js";

/**
 * Sends a request. `path` starts with a slash and is relative to the page's folder, which contains the folder of the scripts.
 * Throws Refused or Unreachable.
 */
export async function call(path, options, token) {
  const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
  let response;
  try {
    response = await fetch(new URL(`..${path}`, import.meta.url), {...options, headers});
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  const {detail, title, field} = await response.json().catch(() => ({}));
  const refusal = new Refused(detail ?? title ?? `The server responded with status ${response.status}`, {field, status: response.status});
  throw Object.assign(refusal, {explained: detail != null});
}

/** Waits; returns early if `signal` is aborted. */
export const pause = (milliseconds, signal) => new Promise(resolve => {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, milliseconds);
  signal?.addEventListener("abort", end);
});

/** Returns whether the request may succeed if it is sent again. */
export const mayPass = error => !(error instanceof Refused) || error.status >= 500 || error.status === 429;
