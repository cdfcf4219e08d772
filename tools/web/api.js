// The server's answers; no other file knows addresses or headers.

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

export const setToken = token => sessionStorage.setItem("token", token);
const headers = more => {
  const token = sessionStorage.getItem("token");
  return token ? {...more, Authorization: `Bearer ${token}`} : more;
};

async function call(path, options = {}) {
  const response = await fetch(path, {...options, headers: headers(options.headers ?? {})});
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})));
  return response;
}
const json = async (path, options) => (await call(path, options)).json();
const post = (path, body, more = {}) => json(path, {
  method: "POST", body: JSON.stringify(body), headers: {"Content-Type": "application/json", ...more}});
const query = parameters => new URLSearchParams(parameters).toString();

/** {fen, key, legal_moves, published: [{depth, nodes}]} */
export const position = (fen, moves) => json(`/v1/position?${query({fen, moves: moves.join(" ")})}`);
/** A lost answer may be asked for again: the key makes the second request the first one's. */
export const submit = request =>
  post("/v1/jobs", {...request, moves: request.moves.join(" "), divide: true},
       {"Idempotency-Key": Array.from(crypto.getRandomValues(new Uint32Array(4)), n => n.toString(16)).join("-")});
export const job = id => json(`/v1/jobs/${id}`);
export const cancel = id => json(`/v1/jobs/${id}`, {method: "DELETE"});
export const jobs = before => json(`/v1/jobs?${query({limit: 20, ...(before ? {before} : {})})}`);
/**
 * {agrees, rows: [{move, ours, theirs, same}], pasted_total, pasted_sum, causes: [{rule, detail, moves}],
 * next: {move, depth}}; ours or theirs null where a side lacks the move, next null at the end of the way
 */
export const diff = (fen, moves, depth, divide, rightAsFen) =>
  post("/v1/diff", {fen, moves: moves.join(" "), depth, divide, ...(rightAsFen == null ? {} : {right_as_fen: rightAsFen})});
/** What a job may be asked for: JSON Schemas by name. */
export const fields = async () => (await json("/openapi.json")).components.schemas.JobRequest.properties;

/** The finished job that answers `request`: at once if it is known. */
export async function finish(request, signal) {
  const accepted = await submit(request);
  if (accepted.state === "done" && accepted.report) return accepted;
  if (!isFinal(accepted.state)) await watch(accepted.id, () => {}, () => {}, signal);
  return job(accepted.id);
}

/** Fetches instead of following a link, since links carry no token. */
export async function download(id, format) {
  const blob = await (await call(`/v1/jobs/${id}/result?format=${format}`)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `perft-${id}.${{json: "json", csv: "csv", epd: "epd"}[format] ?? "txt"}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const finalStates = ["done", "failed", "cancelled"];
export const isFinal = state => finalStates.includes(state);

/**
 * Follows a job until its end or `signal`. A lost connection is taken up where it broke, as
 * EventSource would; that one can send no token. `onJob` gets each state of the job.
 */
export async function watch(id, onJob, onLost, signal) {
  let last = "", wait = 1000;
  while (!signal.aborted) {
    try {
      const response = await call(`/v1/jobs/${id}/events`, {
        signal, headers: {Accept: "text/event-stream", ...(last ? {"Last-Event-ID": last} : {})}});
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = "";;) {
        const {value, done} = await reader.read();
        if (done) break;
        const blocks = (text + value).split(/\r?\n\r?\n/);
        text = blocks.pop();
        for (const block of blocks) {
          const data = [];
          for (const line of block.split(/\r?\n/)) {
            const [, field, content] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
            if (field === "id") last = content;
            else if (field === "data") data.push(content);
            else if (field === "retry") wait = Number(content);
          }
          if (!data.length) continue;
          const seen = JSON.parse(data.join("\n"));
          onJob(seen);
          if (isFinal(seen.state)) return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
      onLost();
    }
    await new Promise(resolve => setTimeout(resolve, wait));
  }
}
