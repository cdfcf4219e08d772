// Follows jobs for all parts of the page that show them. Over HTTP/1.1, browsers open only six connections to a server, so
// only the first few jobs have an event stream. Other visible jobs are polled every second. Jobs that are only in hidden tabs
// have no stream and are polled rarely, to update the titles of the tabs.
import {isFinal} from "./counter.js";
import {mayPass, pause} from "./http.js";

const kStreams = 2;
const kEvery = {seen: 1000, hidden: 10000};  // milliseconds

export class Follower {
  #lines = new Map();  // by job: {id, listeners, how, last, event, work}

  /** `ask(path, options)` resolves to a Response or throws like call() in http.js. */
  constructor(ask) {
    this.ask = ask;
  }

  /**
   * Adds a listener with two functions. `seen(job)` is called with the current state and after each change, without a report.
   * `failed(error)` is called if following fails. The third argument, also named `seen`, says whether the job is visible; call
   * follow() again to change it.
   */
  follow(id, listener, seen) {
    const line = this.#lines.get(id) ?? {id, listeners: new Map(), how: null, last: null, event: ""};
    const known = line.listeners.has(listener);
    this.#lines.set(id, line);
    line.listeners.set(listener, seen);
    if (!known && line.last) listener.seen(line.last);
    this.#plan();
  }
  leave(id, listener) {
    const line = this.#lines.get(id);
    if (!line?.listeners.delete(listener)) return;
    if (!line.listeners.size) this.#end(line);
    this.#plan();
  }

  /** Assigns streams: existing ones stay, and free ones go to the jobs that have waited longest. */
  #plan() {
    const looked = [...this.#lines.values()].filter(({listeners}) => [...listeners.values()].includes(true))
      .sort((a, b) => (b.how === "stream") - (a.how === "stream"));
    for (const line of this.#lines.values()) {
      const at = looked.indexOf(line);
      const how = at < 0 ? "hidden" : at < kStreams ? "stream" : "seen";
      if (how === line.how) continue;
      line.work?.abort();
      line.work = new AbortController();
      line.how = how;
      this.#keepUp(line, line.work.signal);
    }
  }
  #end(line) {
    this.#lines.delete(line.id);
    line.work?.abort();
  }

  async #keepUp(line, signal) {
    if (line.how === "hidden") await pause(kEvery.hidden, signal);
    for (let wait = kEvery[line.how] ?? 1000; !signal.aborted; await pause(wait, signal)) {
      try {
        if (line.how === "stream") wait = await this.#stream(line, signal) ?? wait;
        else this.#tell(line, await this.#look(line, signal), signal);
      } catch (error) {
        if (signal.aborted) return;
        if (mayPass(error)) continue;
        this.#end(line);
        for (const listener of line.listeners.keys()) listener.failed(error);
        this.#plan();
      }
    }
  }
  async #look({id}, signal) {
    const {report, ...job} = await (await this.ask(`/v1/jobs/${id}`, {signal})).json();
    return job;
  }

  /**
   * Reads the event stream, starting after the last event that was received. EventSource does this, too, but cannot send a
   * token. When the stream has ended, resolves to the milliseconds until the next connection, if the server has set them.
   */
  async #stream(line, signal) {
    const response = await this.ask(`/v1/jobs/${line.id}/events`, {
      signal, headers: {Accept: "text/event-stream", ...(line.event ? {"Last-Event-ID": line.event} : {})}});
    // The last event was already received.
    if (response.status === 204) return void this.#tell(line, await this.#look(line, signal), signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let wait;
    for (let text = "";;) {
      const {value, done} = await reader.read();
      if (done || signal.aborted) return wait;
      const blocks = (text + value).split(/\r?\n\r?\n/);
      text = blocks.pop();
      for (const block of blocks) {
        const data = [];
        for (const part of block.split(/\r?\n/)) {
          const [, field, content] = /^([a-z]+): ?(.*)$/.exec(part) ?? [];
          if (field === "id") line.event = content;
          else if (field === "data") data.push(content);
          else if (field === "retry") wait = Number(content);
        }
        if (data.length) this.#tell(line, JSON.parse(data.join("\n")), signal);
      }
    }
  }

  #tell(line, job, signal) {
    if (signal.aborted) return;
    line.last = job;
    if (isFinal(job.state)) this.#end(line);
    for (const listener of line.listeners.keys()) {
      try {
        listener.seen(job);
      } catch (error) {
        reportError(error);  // the listener failed, not the connection
      }
    }
    if (isFinal(job.state)) this.#plan();
  }
}

/**
 * Shares one follower between all tabs of this browser, in a worker. If the browser has no shared workers, follows for this
 * tab only.
 */
export class SharedFollower {
  #port = null;
  #alone = null;
  #names = new Map();  // numbers of listeners
  #listeners = new Map();  // by number: {id, listener, seen}
  #last = 0;

  /** `ask` is as in Follower; `token()` returns the token that the worker sends. */
  constructor(ask, token) {
    this.token = token;
    const alone = () => {
      this.#port = null;
      this.#alone ??= new Follower(ask);
      for (const {id, listener, seen} of this.#listeners.values()) this.#alone.follow(id, listener, seen);
    };
    if (typeof SharedWorker === "undefined") return alone();
    const worker = new SharedWorker(new URL("follower_worker.js", import.meta.url), {type: "module", name: "follower 1"});
    worker.addEventListener("error", alone);
    this.#port = worker.port;
    this.#port.onmessage = ({data: {to, job, error}}) => {
      const {listener} = this.#listeners.get(to) ?? {};
      if (job) listener?.seen(job);
      else listener?.failed(error);
    };
  }

  follow(id, listener, seen) {
    if (!this.#names.has(listener)) this.#names.set(listener, ++this.#last);
    const to = this.#names.get(listener);
    this.#listeners.set(to, {id, listener, seen});
    this.#port?.postMessage({follow: id, to, seen, token: this.token()});
    this.#alone?.follow(id, listener, seen);
  }
  leave(id, listener) {
    const to = this.#names.get(listener);
    this.#names.delete(listener);
    this.#listeners.delete(to);
    this.#port?.postMessage({leave: id, to});
    this.#alone?.leave(id, listener);
  }
}
