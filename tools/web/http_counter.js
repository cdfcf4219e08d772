// A counter that uses a server. API paths occur only in this file and in follower.js, which tracks the progress of jobs.
import {Counter, Refused, isFinal, keyOf} from "./counter.js";
import {SharedFollower} from "./follower.js";
import {call, mayPass, pause} from "./http.js";

const query = parameters => new URLSearchParams(parameters).toString();
const kPositions = 500;  // number of positions whose facts stay in memory
const fields = ({start, moves, depth}) => ({fen: start, moves: moves.join(" "), depth});

export class HttpCounter extends Counter {
  #token;
  #onConnection;
  #keys = new Map();  // idempotency keys of submissions without a response
  #follower;
  #positions = new Map();  // by question: promises of answers; an answer never changes
  #watches = new Set();  // {id, listener}

  /**
   * `token` has the property `value` and the function `renew(refused, why)`, which resolves to another token or null.
   * `onConnection(there)` is called after each request; `there` says whether the server has answered.
   */
  constructor(token, onConnection) {
    super();
    this.#token = token;
    this.#onConnection = onConnection;
    this.#follower = new SharedFollower((path, options) => call(path, options, token.value), () => token.value);
    document.addEventListener("visibilitychange", () => this.#lookAgain());
    addEventListener("pagehide", () => this.#lookAgain(true));
    addEventListener("pageshow", ({persisted}) => persisted && this.#lookAgain());
  }

  async #call(path, options = {}) {
    for (;;) {
      const token = this.#token.value;
      try {
        const response = await call(path, options, token);
        this.#onConnection(true);
        return response;
      } catch (error) {
        if (options.signal?.aborted) throw error;
        this.#onConnection(error instanceof Refused);
        if (error.status === 401 && await this.#token.renew(token)) continue;
        // Another token does not help if the error has a field, as for an exceeded quota.
        if (error.status === 403 && token && error.explained && !error.field && await this.#token.renew(token, error.message)) continue;
        throw error;
      }
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
    const key = JSON.stringify([start, ...moves]), known = this.#positions;
    if (!known.has(key)) {
      const answer = this.#position({start, moves});
      known.set(key, answer);
      answer.catch(() => known.delete(key));
      if (known.size > kPositions) known.delete(known.keys().next().value);
    }
    return known.get(key);
  }
  #position({start, moves}) {
    const asked = {fen: start, moves: moves.join(" ")};
    const address = `/v1/position?${query(asked)}`;
    // Proxies and servers refuse addresses longer than 8 KB, which annotated games exceed.
    return address.length < 2000 ? this.#json(address) : this.#post("/v1/position", asked);
  }

  /**
   * If the response is lost, the next call with the same question sends the same idempotency key. So the server makes only one
   * job of both calls.
   */
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

  /** If the server is unavailable (503), for example busy with other comparisons, waits and tries again. */
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
  remove(id) {
    return this.#call(`/v1/jobs/${id}/result`, {method: "DELETE"});
  }
  /** Uses fetch, because links cannot carry a token. */
  async text(id, format) {
    return (await this.#call(`/v1/jobs/${id}/result?format=${format}`)).blob();
  }
  limits() {
    return this.#json("/limits.json");
  }

  /**
   * Tells the follower whether this tab is visible. If `gone` is true, stops following, because the browser may keep the page in
   * memory for Back.
   */
  #lookAgain(gone = false) {
    for (const {id, listener} of this.#watches) {
      if (gone) this.#follower.leave(id, listener);
      else this.#follower.follow(id, listener, document.visibilityState !== "hidden");
    }
  }

  async watch(id, onJob, signal) {
    const tell = seen => {
      try {
        onJob(seen);
      } catch (error) {
        reportError(error);  // the listener failed, not the connection
      }
    };
    for (;;) {
      const token = this.#token.value;
      try {
        await this.#watchOnce(id, tell, signal);
        break;
      } catch (error) {
        if (error.status !== 401 || !await this.#token.renew(token)) throw error;
      }
    }
    while (!signal.aborted) {
      try {
        const job = await this.job(id);  // events carry no report
        return signal.aborted ? undefined : tell(job);
      } catch (error) {
        if (!mayPass(error)) throw error;
      }
      await pause(1000, signal);
    }
  }
  /** Resolves when the job has ended or `signal` is aborted. */
  #watchOnce(id, tell, signal) {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const watch = {id, listener: {
        seen: job => isFinal(job.state) ? end(resolve) : tell(job),
        failed: ({message, ...how}) => end(reject, new Refused(message, how)),
      }};
      const end = (settle, outcome) => {
        this.#watches.delete(watch);
        this.#follower.leave(id, watch.listener);
        signal.removeEventListener("abort", abort);
        settle(outcome);
      };
      const abort = () => end(resolve);
      signal.addEventListener("abort", abort);
      this.#watches.add(watch);
      this.#follower.follow(id, watch.listener, document.visibilityState !== "hidden");
    });
  }
}
