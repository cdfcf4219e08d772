// Shows the progress of a running job.
import {duration, figures, percent, rate} from "./format.js";
import {RatePlot} from "./plot.js";

const kRecent = 5;  // seconds over which the shown rate is averaged
const kWarm = 1;  // seconds of counting before the plot begins, because the first rates are far from the later ones

const $ = id => document.getElementById(id);

const phases = {starting: "Starting", splitting: "Splitting the work", "setting up": "Setting up the table",
  "first plies": "Making the first plies", counting: "Counting", finishing: "Adding up"};
/** Returns the current step of a running job in words. If the job has several phases, the name of the phase precedes it. */
export function phaseWords({phase = "starting"} = {}) {
  const [part, now] = phase.includes(", ") ? phase.split(", ") : phases[phase] ? ["", phase] : [phase, "counting"];
  const words = phases[now] ?? now;
  return part ? `${part[0].toUpperCase()}${part.slice(1)}: ${words[0].toLowerCase()}${words.slice(1)}` : words;
}
/** Returns whether the phase is counting, not preparation. */
export const isCounting = ({phase = "starting"}) => !/(^|, )(starting|splitting|setting up|first plies)$/.test(phase);

/** Returns the figures of a running job. All rows exist from the start, so that no row moves when a value arrives. */
const progressFigures = now => figures([
  [isCounting(now) ? "Done" : "Done of this step", now.share == null ? "not yet known" : percent(now.share)],
  ["Time left", now.seconds_left >= 0 && now.seconds_left != null ? duration(now.seconds_left) : now.share > 0.9 ? "–" : "not yet known"],
  ["Paths/s", rate(now.leaves_per_second || null) ?? "–"], ["Visited/s", rate(now.visited_per_second || null) ?? "–"],
  ["Elapsed", now.seconds >= 0 ? duration(now.seconds) : "–"],
  ["Done before a restart", now.resumed > 0 ? percent(now.resumed) : now.resumed_units ? `${now.resumed_units} subtrees` : null]]);

/**
 * Returns the progress of a running job after `seconds` without news. If the expected time has passed, the time left is
 * unknown.
 */
export const later = (progress, seconds) => ({...progress, seconds: progress.seconds + seconds,
  ...(progress.seconds_left > 0 ? {seconds_left: progress.seconds_left > seconds ? progress.seconds_left - seconds : null} : {})});
/** Describes the job `title` in a few words, with the numbers of other running jobs and of waiting jobs. */
export const runningWords = (title, progress, {running, waiting}) => [title,
  isCounting(progress) && progress.share != null ? percent(progress.share) : phaseWords(progress).toLowerCase(),
  progress.seconds_left > 0 ? `${duration(progress.seconds_left)} left` : null, running ? `${running}\u00a0more running` : null, waiting ? `${waiting}\u00a0waiting` : null].filter(words => words).join(" · ");

/** Draws the progress of one running job: bar, figures and a plot of its rate. */
export class ProgressDisplay {
  #plot;
  #progress = {};
  #heard = 0;  // when the shown progress arrived
  #counted = [];  // recent progress of the running job: {attempt, seconds, leaves}
  #warm = Infinity;  // when the plot of this attempt begins

  constructor(say) {
    this.#plot = new RatePlot($("plot"), say);
  }

  redraw() {
    this.#plot.redraw();
  }
  /** Forgets the progress, because another job follows. */
  clear() {
    this.#plot.clear();
    this.#counted = [];
  }

  /** Shows the new progress of attempt number `attempt`. */
  draw(progress, attempt) {
    if (progress.share == null) $("bar").removeAttribute("value");
    else $("bar").value = progress.share;
    const now = {...progress, leaves_per_second: this.#rate(progress, attempt)};
    this.#progress = now;
    this.#heard = performance.now();
    this.drawFigures();
    if (now.leaves_per_second > 0 && this.#counted.length > 1 && this.#counted[0].seconds >= this.#warm) this.#plot.add(now.seconds, now.leaves_per_second, attempt);
    $("speed").hidden = !this.#plot.telling;
  }
  /** Draws the figures as they are expected now. */
  drawFigures() {
    $("figures").replaceChildren(...progressFigures(later(this.#progress, (performance.now() - this.#heard) / 1000)));
  }
  /**
   * Returns the rate of the last seconds. The rate in the server's documents is the mean since the start, which includes the
   * phases before counting.
   */
  #rate({seconds, leaves_per_second: mean}, attempt) {
    if (!(mean > 0)) return mean;
    const leaves = mean * seconds, last = this.#counted.at(-1);
    if (last?.attempt !== attempt || last.seconds > seconds) {
      this.#counted = [{attempt, seconds, leaves}];
      this.#warm = seconds + kWarm;
    } else if (last.seconds < seconds) this.#counted.push({attempt, seconds, leaves});
    while (this.#counted.length > 2 && (seconds - this.#counted[1].seconds >= kRecent || this.#counted[0].seconds < this.#warm)) this.#counted.shift();
    const [first] = this.#counted;
    return seconds > first.seconds ? Math.max(0, leaves - first.leaves) / (seconds - first.seconds) : mean;
  }
}
