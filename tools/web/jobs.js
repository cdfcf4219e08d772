// The list of all jobs. A job is folded under an earlier job if it counts a later position of that job, with the depth that
// remains there.
import {isFinal, questionOf} from "./counter.js";
import {element, keepingFocus} from "./format.js";
import {atRest, during} from "./pressed_controls.js";
import {later, runningWords} from "./progress.js";
import * as render from "./render.js";

const $ = id => document.getElementById(id);
const kMine = "my jobs";  // key in the browser's storage: job numbers
const kRemembered = 500;
const kFirst = 5;  // finished jobs that are shown at first
const kEvery = {busy: 2000, calm: 5000};  // milliseconds between reads: busy while a job waits or runs

/** Returns the job of largest depth under which `job` is folded; undefined if there is none. */
function ancestor(job, all) {
  const {start, moves, depth, mode} = questionOf(job);
  const above = all.filter(other => other.id < job.id && other.mode === mode && other.fen === start).filter(other => {
    const up = questionOf(other);
    return up.moves.length < moves.length && up.depth - depth === moves.length - up.moves.length &&
      up.moves.every((move, ply) => move === moves[ply]);
  });
  return above.sort((a, b) => b.depth - a.depth)[0];
}

export class JobList {
  #jobs = new Map();  // by id
  #older = null;
  #all = false;  // all known jobs are shown
  #drawn = "";
  #turn = 0;
  #next = 0;
  #folds = new Map();  // by id: whether the user has chosen to show or to fold the children of a job
  #current = null;  // the selected job, which may be missing from #jobs
  #heard = 0;  // when the list or the latest progress arrived
  #opening = null;  // the job that the user pressed and that is being fetched

  #mine = new Set();  // jobs that were submitted from this browser

  /** `open(id)` shows a job. */
  constructor(counter, {open}) {
    Object.assign(this, {counter, open});
    $("running").addEventListener("click", () => this.#open(Number($("running").dataset.job)));
    setInterval(() => this.#drawRunning(), 1000);
    new IntersectionObserver(([{isIntersecting}]) => $("running").classList.toggle("afloat", !isIntersecting)).observe($("about"));
    try {
      this.#mine = new Set(JSON.parse(localStorage.getItem(kMine)) ?? []);
    } catch {
      // If the contents are invalid, no job is regarded as submitted from here.
    }
    $("more").addEventListener("click", () => during($("more"), this.#all ? this.#more() : this.#showAll()));
    $("jobs-mine").addEventListener("change", () => this.#draw());
    $("jobs-fold").open = localStorage.getItem("jobs") !== "hidden";
    $("jobs-fold").addEventListener("toggle", () => localStorage.setItem("jobs", $("jobs-fold").open ? "shown" : "hidden"));
    document.addEventListener("visibilitychange", () => this.refresh());
    addEventListener("storage", () => this.refresh());  // another window has submitted a job
  }

  /** Shows a running job in the header. If several run, shows the oldest. */
  #drawRunning() {
    const [first] = [...this.#jobs.values()].filter(({state}) => state === "running").sort((a, b) => a.id - b.id), button = $("running");
    keepingFocus(() => { button.hidden = !first; }, () => $("jobs-title"));
    if (!first) return;
    const number = wanted => [...this.#jobs.values()].filter(({state}) => state === wanted).length;
    const others = {running: number("running") - 1, waiting: number("queued")};
    const words = runningWords(`#${first.id} ${render.titleOf(first.mode, first.depth)}`,
      later(first.progress ?? {}, (performance.now() - this.#heard) / 1000), others);
    if (button.textContent !== words) button.textContent = words;
    button.dataset.job = first.id;
    button.title = "Show this job";
    button.setAttribute("aria-busy", String(this.#opening === first.id));
  }

  /** Marks `job`, the selected job, or no job if `job` is null. A job that is older than all listed jobs is shown, too. */
  mark(job) {
    this.#current = job;
    atRest().then(() => this.#draw());
  }
  /** Updates the progress of a job that the list shows. */
  hear(job) {
    const shown = this.#jobs.get(job.id) ?? (this.#current?.id === job.id ? this.#current : null);
    if (!shown) return;
    Object.assign(shown, {state: job.state, progress: job.progress});
    this.#heard = performance.now();
    this.#drawRunning();
  }
  /** Records that `job` was submitted from this browser. */
  own({id}) {
    this.#mine.add(id);
    localStorage.setItem(kMine, JSON.stringify([...this.#mine].slice(-kRemembered)));
  }
  async #open(id) {
    this.#opening = id;
    this.#draw();
    await this.open(id).finally(atRest);
    if (this.#opening !== id) return;
    this.#opening = null;
    this.#draw();
  }
  async #remove(id) {
    try {
      await this.counter.remove(id).finally(atRest);
      this.#jobs.delete(id);
      if (this.#current?.id === id) this.#current = null;
      $("jobs-error").textContent = "";
    } catch (error) {
      $("jobs-error").textContent = `Job ${id} was not removed. ${error.message}`;
    }
    this.#draw();
  }
  /** Returns the first listed job for which `fits` returns true. */
  find(fits) {
    return [...this.#jobs.values()].find(fits);
  }
  /** Returns an unfinished job that asks this question about `position`. */
  active(position, {depth, mode, samples, seed}) {
    return this.find(job => !isFinal(job.state) && job.position === position && job.depth === depth && job.mode === mode &&
      (mode !== "estimate" || (job.samples === samples && job.seed === seed)));
  }

  async refresh() {
    clearTimeout(this.#next);
    if (document.visibilityState === "hidden") return;
    const turn = ++this.#turn;
    let every = kEvery.busy;
    try {
      const page = await this.counter.jobs().finally(atRest);
      if (turn !== this.#turn) return;
      const first = page.next == null ? 0 : page.jobs.at(-1).id;
      for (const id of this.#jobs.keys()) if (id >= first) this.#jobs.delete(id);
      if (!this.#jobs.size) this.#older = page.next;
      this.#add(page.jobs);
      $("jobs-error").textContent = "";
      if (page.jobs.every(({state}) => isFinal(state))) every = kEvery.calm;
    } catch (error) {
      if (turn !== this.#turn) return;
      if (error.status) $("jobs-error").textContent = error.message;  // the page reports an unreachable server elsewhere
    }
    this.#next = setTimeout(() => this.refresh(), every);
  }

  #showAll() {
    this.#all = true;
    this.#draw();
  }
  async #more() {
    try {
      const page = await this.counter.jobs(this.#older).finally(atRest);
      this.#older = page.next;
      this.#add(page.jobs);
    } catch (error) {
      $("jobs-error").textContent = error.message;
    }
  }

  #add(jobs) {
    for (const job of jobs) this.#jobs.set(job.id, job);
    this.#heard = performance.now();
    this.#draw();
  }

  /** Replaces all rows if one has changed. If the user has not caused the change, call atRest() first. */
  #draw() {
    this.#drawRunning();
    const isOlder = this.#current?.id < Math.min(...this.#jobs.keys());
    const all = [...this.#jobs.values(), ...(isOlder ? [this.#current] : [])]
      .filter(({id}) => !$("jobs-mine").checked || this.#mine.has(id)).sort((a, b) => b.id - a.id);
    const children = new Map(all.map(job => [job.id, []]));
    const roots = all.filter(job => {
      const above = ancestor(job, all);
      if (above) children.get(above.id).push(job);
      return !above;
    });
    const item = job => element("li", {}, element("div", {className: "entry"}, render.jobRow(job, {current: job.id === this.#current?.id, opening: job.id === this.#opening, open: () => this.#open(job.id)}),
      isFinal(job.state) ? element("button", {type: "button", className: "quiet remove", "data-remove": job.id, title: "Remove this job and its result",
        "aria-label": `Remove job ${job.id}`, onclick: ({currentTarget}) => during(currentTarget, this.#remove(job.id))}, "✕") : null));
    const isShown = ({id}) => id === this.#current?.id || children.get(id).some(isShown);
    const shown = this.#all ? roots : roots.filter((job, at) => at < kFirst || !isFinal(job.state) || isShown(job));
    const items = shown.map(job => {
      const behind = children.get(job.id), made = item(job);
      if (behind.length) {
        made.append(element("details", {
          open: this.#folds.get(job.id) ?? false, ontoggle: ({target}) => this.#folds.set(job.id, target.open)},
          element("summary", {"data-job": `behind ${job.id}`}, `${behind.length} ${behind.length === 1 ? "count" : "counts"} after further moves`,
            behind.some(child => child.id === this.#current?.id) ? ", one of them shown" : ""),
          element("ol", {}, ...behind.map(item))));
      }
      return made;
    });
    const text = items.map(made => made.outerHTML).join("");
    const held = document.activeElement.dataset?.job;
    keepingFocus(() => {
      this.#all ||= shown.length === roots.length && this.#older != null;
      $("more").hidden = this.#all ? this.#older == null : shown.length === roots.length;
      $("more").textContent = this.#all ? "Older jobs" : `Show ${roots.length - shown.length} more`;
      if (text !== this.#drawn) $("jobs").replaceChildren(...items);
      this.#drawn = text;
    }, () => $("jobs").querySelector(`[data-job="${held}"]`) ?? $("jobs-title"));
  }
}
