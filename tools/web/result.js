// Shows one job: its progress, its total, and details of the count. The title shows the question that the user asked here.
// The job may have been submitted with another question, such as another path to the same position.
import {isFinal, keyOf} from "./counter.js";
import {copy, save} from "./clipboard.js";
import {count, element, keepingFocus, percent, rounded} from "./format.js";
import {DepthTable} from "./depths.js";
import {DivideTree} from "./divide_tree.js";
import {during} from "./pressed_controls.js";
import {ProgressDisplay} from "./progress.js";
import * as render from "./render.js";

const kTick = 1000;  // milliseconds between updates of the clock

const $ = id => document.getElementById(id);
const kTitle = document.title;

export class Result {
  question = null;
  job = null;
  #following = null;
  #answers = new Map();  // finished jobs of this visit, by question
  #reports = new Map();  // reports of those jobs, and of jobs that were counted to compare
  #complains = false;  // the status is an error message
  #progress;

  /**
   * `ask(question)` starts another count. `descend(path)` plays moves of the divide and counts there. `changed()` is called
   * when the job's state changes or another job is shown. `heard(job)` is called for all other news of the job.
   */
  constructor(counter, {ask, descend, changed, heard, say}) {
    Object.assign(this, {counter, ask, changed, heard, say});
    setInterval(() => this.job?.state === "running" && !this.#complains && this.#progress.drawFigures(), kTick);
    this.#progress = new ProgressDisplay(say);
    this.tree = new DivideTree($("divide"), counter, {descend, say});
    this.depths = new DepthTable(counter, say);
    $("cancel").addEventListener("click", () => this.#cancel());
    $("again").addEventListener("click", () => during($("again"), ask(this.question)));
  }

  redraw() {
    this.#progress.redraw();
    this.depths.redraw();
  }
  /** Redraws moves after a change of notation. */
  rename() {
    if (this.question) $("result-title").replaceChildren(...render.resultTitle(this.question));
    this.tree.draw();
  }
  /** Returns the finished job that answered `question` in this visit. */
  known(question) {
    return this.#answers.get(keyOf(question));
  }

  clear() {
    this.#following?.abort();
    this.question = this.job = null;
    keepingFocus(() => {
      $("result").hidden = $("evidence").hidden = true;
      $("known").hidden = false;
    }, () => $("work"));
    document.title = kTitle;
    this.changed();
  }

  /** Shows `job`, which answers `question`, and follows it until it ends. */
  show(question, job) {
    this.#following?.abort();
    const {signal} = this.#following = new AbortController();
    Object.assign(this, {question, job: null});
    this.#progress.clear();
    $("result-title").replaceChildren(...render.resultTitle(question));
    $("known").hidden = true;
    $("result").hidden = false;
    this.#draw(job);
    this.changed();
    if (isFinal(job.state)) return;
    this.counter.watch(job.id, seen => {
      if (signal.aborted) return;
      const before = this.job?.state;
      this.#draw(seen);
      if (seen.state !== before) this.changed();
      else this.heard(seen);
    }, signal).catch(error => { if (!signal.aborted) this.#complain(error); });
  }

  /** Scrolls the result into view. */
  reveal() {
    const {top, height} = $("result").getBoundingClientRect();
    if (top < 0 || top + Math.min(height, 160) > innerHeight) {
      $("result").scrollIntoView({block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"});
    }
  }

  #draw(job) {
    keepingFocus(() => this.#drawJob(job), () => $("again").hidden ? $("result") : $("again"));
  }
  #drawJob(job) {
    const changed = this.job?.state !== job.state;
    this.job = job;
    this.#complains = false;
    const busy = !isFinal(job.state), done = job.state === "done";
    this.#drawStatus(changed);
    $("live").hidden = $("cancel").hidden = !busy;
    if (changed) $("cancel").disabled = false;
    $("again").hidden = busy || done;
    $("total").hidden = $("verdict").hidden = $("evidence").hidden = $("interval").hidden = !done;
    document.title = busy && job.progress?.share > 0 ? `${percent(job.progress.share)} – ${kTitle}` : kTitle;
    if (!done) $("note").textContent = "";
    $("facts").replaceChildren();
    $("exports").replaceChildren();
    if (busy) this.#progress.draw(job.progress ?? {}, job.attempts);
    if (done) this.#drawReport();
  }

  #drawStatus(changed = false) {
    const words = render.statusWords(this.job);
    if ($("status").textContent !== words && !$("cancel").disabled || changed) $("status").textContent = words;
  }
  #complain({message}) {
    this.#complains = true;
    $("status").textContent = message;
  }

  #drawReport() {
    const {question, job} = this;
    const {report} = job;
    this.#answers.set(keyOf(question), job);
    this.#reports.set(keyOf(question), report);
    const estimated = job.mode === "estimate", distinct = job.mode === "unique";
    const digits = distinct ? job.distinct : job.nodes ?? String(job.estimate);
    $("total").replaceChildren(estimated && !job.nodes
      ? element("span", {className: "count", "data-digits": digits}, `≈ ${rounded(job.estimate)}`) : count(digits),
      element("small", {}, distinct ? "distinct positions" : digits === "1" ? "path" : "paths"),
      element("button", {type: "button", className: "quiet", id: "copy-total",
                         onclick: ({target}) => copy(digits, target, this.say)}, "Copy"));
    $("interval").replaceChildren(...(estimated ? render.interval(report) : []));
    const [tone, words] = render.verdict(job);
    $("verdict").className = `verdict ${tone}`;
    $("verdict").textContent = words;
    this.say(`Done: ${digits}. ${words}`);
    $("note").textContent = job.note ?? "";
    $("facts").replaceChildren(...render.facts(report));
    const formats = {verify: ["json"], estimate: ["json"], unique: ["json", "csv"]}[job.mode] ?? ["json", "csv", "stockfish", "epd"];
    $("exports").replaceChildren("Save as", ...formats.map(format => element("button", {type: "button", className: "quiet",
      onclick: ({currentTarget}) => during(currentTarget, this.#save(job.id, format))}, format)));
    $("divide-card").hidden = !report.divide?.length;
    if (report.divide?.length) this.tree.show(question, report.divide, job.nodes, this.#following.signal);
    this.depths.show(question, job, report.fen ?? job.position, this.#following.signal);
    $("stats-card").hidden = job.mode !== "stats";
    $("plies-card").hidden = !distinct;
    $("plies").replaceChildren(...(distinct ? render.distinctByPly(report.plies) : []));
    $("trust").hidden = job.mode === "stats" || estimated || distinct;
    $("table-card").hidden = estimated || distinct;
    if (job.mode === "stats") this.#drawStatistics();
    const counted = ["count", "hashed", "unhashed", "configurations"].map(mode => this.#reports.get(keyOf({...question, mode})))
      .find(run => run && run.method !== report.method);
    const other = counted?.method ?? (report.method === "unhashed" ? "hashed" : "unhashed");
    $("versus").replaceChildren(...(job.mode === "verify" ? render.verified(report) : !report.method ? []
      : render.versus(report, counted, other, ({currentTarget}) => during(currentTarget, this.ask({...question, mode: other})))));
    $("table").replaceChildren(...render.table(report));
  }

  #statisticsKnown() {
    return Array.from({length: this.question.depth + 1}, (_, depth) => this.#reports.get(keyOf({...this.question, depth})))
      .filter((report, depth) => report && (depth > 0 || this.question.depth === 0));
  }
  #drawStatistics(filling = false) {
    keepingFocus(() => $("stats").replaceChildren(
      ...render.statisticsByPly(this.#statisticsKnown(), filling ? null : () => this.#fillPlies())), () => $("result"));
  }
  async #fillPlies() {
    const {signal} = this.#following;
    const {question} = this;
    for (let depth = 1; depth < question.depth; ++depth) {
      const key = keyOf({...question, depth});
      if (this.#reports.has(key)) continue;
      this.#drawStatistics(true);
      try {
        this.#reports.set(key, await this.counter.stats({...question, depth}, {signal}));
      } catch (error) {
        if (signal.aborted) return;
        $("status").textContent = error.message;
        break;
      }
      if (signal.aborted) return;
    }
    this.#drawStatistics();
    this.changed();
  }

  async #save(id, format) {
    try {
      save(await this.counter.text(id, format), `perft-${id}.${{json: "json", csv: "csv", epd: "epd"}[format] ?? "txt"}`);
    } catch (error) {
      $("status").textContent = error.message;
    }
  }

  async #cancel() {
    const {id} = this.job;
    $("cancel").disabled = true;
    $("status").textContent = "Cancelling …";
    $("result").focus({preventScroll: true});  // a disabled button loses the focus
    try {
      await this.counter.cancel(id);
    } catch (error) {
      if (this.job?.id !== id) return;
      this.#complain(error);
      $("cancel").disabled = false;
    }
  }
}
