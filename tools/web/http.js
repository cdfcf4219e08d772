// One request to the server, and what its refusal means; of the page and of the worker that follows jobs for all tabs.
import {Refused, Unreachable} from "./counter.js";

/** `path` begins with a slash; the server may be below another one, where the page is. */
export async function call(path, options, token) {
  const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
  let response;
  try {
    response = await fetch(path.slice(1), {...options, headers});
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  const {detail, title, field} = await response.json().catch(() => ({}));
  const refusal = new Refused(detail ?? title ?? `The server answered ${response.status}`, {field, status: response.status});
  throw Object.assign(refusal, {explained: detail != null});
}

/** Over early if `signal` says so. */
export const pause = (milliseconds, signal) => new Promise(resolve => {
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, milliseconds);
  signal?.addEventListener("abort", end);
});

/** Whether asking once more may help. */
export const mayPass = error => !(error instanceof Refused) || error.status >= 500 || error.status === 429;
