// Follows jobs for all who look at them. Browsers open six connections to one server over HTTP/1.1, so streams are few:
// one for each of the first jobs that are looked at, whoever looks. Further jobs are asked for every second, and those
// that only hidden tabs show, which have let go of their stream, now and then, for their titles.
import {isFinal} from "./counter.js";
import {mayPass, pause} from "./http.js";

const kStreams = 2;
const kEvery = {seen: 1000, hidden: 10000};  // milliseconds

export class Follower {
  #lines = new Map();  // by job: {id, listeners, how, last, event, work}

  /** `ask(path, options)` answers with a Response, or throws what http.js does. */
  constructor(ask) {
    this.ask = ask;
  }

  /**
   * `listener` has `seen(job)`, told the present state and then of each change, without a report, and `failed(error)`:
   * whichever says the end is the last one told. `seen`: somebody looks. Called again, that is changed.
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

  /** Who has a stream keeps it; what is free goes to who has waited longest. */
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

  /** A lost connection is taken up where it broke, as EventSource would; that one can send no token. */
  async #stream(line, signal) {
    const response = await this.ask(`/v1/jobs/${line.id}/events`, {
      signal, headers: {Accept: "text/event-stream", ...(line.event ? {"Last-Event-ID": line.event} : {})}});
    if (response.status === 204) return void this.#tell(line, await this.#look(line, signal), signal);  // we have had its last event
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
        reportError(error);  // the listener's fault is not the connection's
      }
    }
    if (isFinal(job.state)) this.#plan();
  }
}

/** The same for all tabs of this browser together, in a worker; where there is none, for this tab alone. */
export class SharedFollower {
  #port = null;
  #alone = null;
  #names = new Map();      // of listeners: numbers
  #listeners = new Map();  // by number: {id, listener, seen}
  #last = 0;

  /** `ask` as Follower's; `token()` is what the worker shall ask with. */
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
