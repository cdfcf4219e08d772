// A server that counts; no other file knows addresses and headers.
import {Counter, Refused, Unreachable, isFinal, keyOf} from "./counter.js";

const query = parameters => new URLSearchParams(parameters).toString();
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
const fields = ({start, moves, depth}) => ({fen: start, moves: moves.join(" "), depth});

export class HttpCounter extends Counter {
  #token;
  #onConnection;
  #keys = new Map();  // of submissions that have had no answer yet

  /**
   * `token` has `value`, and `renew(refused, why)`, which resolves to another one or null; `onConnection(there)` is told
   * whether the server answers, whenever that is known.
   */
  constructor(token, onConnection) {
    super();
    this.#token = token;
    this.#onConnection = onConnection;
  }

  /** `path` begins with a slash; the server may be below another one, where the page is. */
  async #call(path, options = {}) {
    for (;;) {
      const token = this.#token.value;
      const headers = {...options.headers, ...(token ? {Authorization: `Bearer ${token}`} : {})};
      let response;
      try {
        response = await fetch(path.slice(1), {...options, headers});
      } catch (error) {
        if (options.signal?.aborted) throw error;
        this.#onConnection(false);
        throw new Unreachable();
      }
      this.#onConnection(true);
      if (response.ok) return response;
      if (response.status === 401 && await this.#token.renew(token)) continue;
      const {detail, title, field} = await response.json().catch(() => ({}));
      // What a field is named for, such as a quota, is not a matter of the token.
      if (response.status === 403 && token && detail && !field && await this.#token.renew(token, detail)) continue;
      throw new Refused(detail ?? title ?? `The server answered ${response.status}`, {field, status: response.status});
    }
  }
  async #json(path, options) {
    return (await this.#call(path, options)).json();
  }
  #post(path, body, {headers, signal} = {}) {
    return this.#json(path, {method: "POST", body: JSON.stringify(body), signal,
                             headers: {"Content-Type": "application/json", ...headers}});
  }

  position({start, moves}) {
    return this.#json(`/v1/position?${query({fen: start, moves: moves.join(" ")})}`);
  }

  /** If the answer is lost, asking once more is the same submission: there is one job. */
  async count(question) {
    const name = keyOf(question);
    if (!this.#keys.has(name)) {
      this.#keys.set(name, Array.from(crypto.getRandomValues(new Uint32Array(4)), n => n.toString(16)).join("-"));
    }
    const {mode, samples, seed} = question;
    try {
      const job = await this.#post("/v1/jobs", {...fields(question), mode, divide: true,
        ...(mode === "estimate" ? {samples, seed} : {})}, {headers: {"Idempotency-Key": this.#keys.get(name)}});
      this.#keys.delete(name);
      return job;
    } catch (error) {
      if (error instanceof Refused) this.#keys.delete(name);
      throw error;
    }
  }

  /** Waits where others compare just now. */
  async diff(question, pasted, {asFen = null, signal} = {}) {
    const asked = {...fields(question), divide: pasted, ...(asFen == null ? {} : {right_as_fen: asFen})};
    for (let tries = 1;; ++tries) {
      try {
        return await this.#post("/v1/diff", asked, {signal});
      } catch (error) {
        if (error.status !== 503 || tries === 5) throw error;
      }
      await pause(1000);
    }
  }

  job(id) {
    return this.#json(`/v1/jobs/${id}`);
  }
  jobs(before) {
    return this.#json(`/v1/jobs?${query({limit: 20, ...(before ? {before} : {})})}`);
  }
  campaigns() {
    return this.#json("/v1/campaigns");
  }
  campaign(name) {
    return this.#json(`/v1/campaigns/${encodeURIComponent(name)}`);
  }
  cancel(id) {
    return this.#json(`/v1/jobs/${id}`, {method: "DELETE"});
  }
  /** Fetched, since links carry no token. */
  async text(id, format) {
    return (await this.#call(`/v1/jobs/${id}/result?format=${format}`)).blob();
  }
  async limits() {
    return (await this.#json("/openapi.json")).components.schemas.JobRequest.properties;
  }

  /** A lost connection is taken up where it broke, as EventSource would; that one can send no token. */
  async watch(id, onJob, signal) {
    let last = "", wait = 1000;
    const tell = seen => {
      try {
        onJob(seen);
      } catch (error) {
        reportError(error);  // the listener's fault is not the connection's
      }
    };
    while (!signal.aborted) {
      try {
        const response = await this.#call(`/v1/jobs/${id}/events`, {
          signal, headers: {Accept: "text/event-stream", ...(last ? {"Last-Event-ID": last} : {})}});
        if (response.status === 204) return tell(await this.job(id));  // we have had its last event
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
            if (!isFinal(seen.state)) tell(seen);
            else return tell(await this.job(id));  // events carry no report
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error;
      }
      await pause(wait);
    }
  }
}
