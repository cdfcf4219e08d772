// Shows campaigns, read-only: their list, and the selected one with a map of its parts.
import {duration, element, figures, keepingFocus, percent, si} from "./format.js";
import {nameOf} from "./named_positions.js";
import {RatePlot, addCopies, colourOf, rowsOf} from "./plot.js";

const $ = id => document.getElementById(id);
const kSilent = 1 / 3;  // share of a lease after which a worker is shown as silent; workers usually report six times per lease
const kEvery = 2000;  // milliseconds, while visible
const spell = seconds => seconds < 59.5 ? `${Math.max(Math.round(seconds), 1)} s` : duration(Math.round(seconds));
const states = {running: "Counting", stopped: "Stopped", disputed: "Disputed", done: "Done"};

const parts = ({parts: all, parts_done: done, parts_leased: leased}) =>
  `${done} of ${all} ${all === 1 ? "part" : "parts"}${leased ? ` (${leased} being counted)` : ""}`;
const people = ({seen, gone, refused}) =>
  `${seen} counting or waiting${gone ? `, ${gone} gone` : ""}${refused ? `, ${refused} refused` : ""}`;

const silent = ({seconds_since_seen: seconds}, {lease_seconds: lease}) => seconds >= kSilent * lease;
function worker(one, campaign) {
  const {id, host, kernel, threads, state, refused, seconds_since_seen, parts: brought} = one;
  const heard = silent(one, campaign) ? `, last seen ${spell(seconds_since_seen)} ago` : "";
  const said = state === "gone" ? `gone, last seen ${spell(seconds_since_seen)} ago` : refused ? `refused, counts no parts: ${refused}` : state + heard;
  return element("tr", {className: state === "counting" && heard ? "silent" : ""}, element("td", {}, String(id)), element("td", {}, said), element("td", {}, host),
    element("td", {}, `${kernel} × ${threads}`), element("td", {}, String(brought)));
}
const dispute = ({part, counts: [a, b], workers: [one, other]}) =>
  `Part ${part}: worker ${one} counted ${a}, worker ${other} counted ${b}.`;
const settle = name => `No part is counted until the dispute is settled. 'perft campaign explain ${name}' counts the part again and shows which worker was wrong.`;

const kGap = 2;  // pixels between squares

/**
 * The map of a campaign's parts: a square for each part, or for each group of parts if there are many. The colour of a square
 * shows the progress of the first count, and the dot in the square shows that of the second count.
 */
class PartMap {
  #cells = [];  // {done, counting, to_verify, verified, verifying}: shares of the work
  #canvas = element("canvas", {role: "img"});

  constructor(host, say) {
    this.host = host;
    host.append(this.#canvas);
    addCopies(host, say, () => this.#canvas, () => rowsOf(["square", "counted", "being_counted", "to_verify", "verified", "being_verified"],
      this.#cells.map((_, at) => at + 1), ...["done", "counting", "to_verify", "verified", "verifying"].map(name => this.#cells.map(cell => cell[name]))));
    new ResizeObserver(() => this.redraw()).observe(host);
  }

  /**
   * Draws the map. `shares` come from the server: for each state an array with one share per square. `words` describes the
   * picture.
   */
  show(shares, words) {
    this.#cells = shares.done.map((_, at) => Object.fromEntries(Object.entries(shares).map(([name, all]) => [name, all[at]])));
    this.#canvas.setAttribute("aria-label", words);
    this.redraw();
  }

  redraw() {
    const all = this.host.clientWidth, number = this.#cells.length;
    if (!all || !number) return;
    const size = Math.min(28, Math.max(14, Math.floor(Math.sqrt(all * 130 / number))));
    const row = Math.min(number, Math.floor((all + kGap) / size)), rows = Math.ceil(number / row);
    const scale = devicePixelRatio, pen = this.#canvas.getContext("2d");
    Object.assign(this.#canvas, {width: row * size * scale, height: rows * size * scale});
    Object.assign(this.#canvas.dataset, {count: number, size, row});
    Object.assign(this.#canvas.style, {width: `${row * size}px`, height: `${rows * size}px`});
    pen.scale(scale, scale);
    const [card, edge, done, counting, mark] = ["--card", "--edge", "--accent", "--focus", "--on-accent"].map(colourOf);
    for (const [at, cell] of this.#cells.entries()) {
      const side = size - kGap, x = at % row * size, y = Math.floor(at / row) * size;
      const fill = (colour, from, share) => {
        pen.fillStyle = colour;
        pen.fillRect(x, y + side * (1 - from - share), side, side * share);
      };
      fill(card, 0, 1);
      fill(done, 0, cell.done);
      fill(counting, cell.done, cell.counting);
      pen.strokeStyle = cell.done + cell.counting >= 1 ? done : edge;
      if (cell.done + cell.counting < 1) pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
      if (!(cell.to_verify > 0)) continue;
      pen.beginPath();
      pen.arc(x + side / 2, y + side / 2, side / 5, 0, 2 * Math.PI);
      pen.fillStyle = cell.verified >= cell.to_verify ? mark : cell.verifying > 0 ? counting : cell.done > 0.5 ? done : card;
      pen.strokeStyle = cell.done > 0.5 ? mark : edge;
      pen.fill();
      pen.stroke();
    }
  }
}

export class Campaigns {
  #name = null;  // the selected campaign
  #seen = false;  // whether the campaigns tab is open
  #turn = 0;
  #next = 0;
  #plot = null;
  #map = null;

  /** `open(name)` is called when the user selects a campaign. */
  constructor(counter, {open, say}) {
    Object.assign(this, {counter, open, say});
    document.addEventListener("visibilitychange", () => this.refresh());
  }

  /** Sets whether the campaigns are visible, and which one is selected. */
  show(seen, name) {
    if (seen === this.#seen && name === this.#name) return;
    if (name !== this.#name) {
      $("campaign").hidden = true;
      if (seen && name) this.#note("Reading this campaign …");
    }
    [this.#seen, this.#name] = [seen, name];
    if (seen) this.refresh();
  }
  /** Redraws with new colours. */
  redraw() {
    this.#plot?.redraw();
    this.#map?.redraw();
  }

  /**
   * Reads the campaigns now, and regularly while the campaigns tab is open. Shows the button of the tab if there are
   * campaigns, or if the server cannot read them at present.
   */
  async refresh() {
    clearTimeout(this.#next);
    if (document.visibilityState === "hidden") return;
    const turn = ++this.#turn;
    try {
      const [list, one] = await Promise.all([this.counter.campaigns(), this.#name && this.#seen ? this.#one() : null]);
      if (turn !== this.#turn) return;
      if (list.campaigns.length || this.#seen) $("tab-campaigns").hidden = false;
      this.#drawList(list);
      if (one?.campaign) this.#draw(one);
      $("campaign").hidden = !one?.campaign;
      this.#note(one?.message ?? this.#freshness(list));
    } catch (error) {
      if (turn !== this.#turn) return;
      if (error.status === 503) $("tab-campaigns").hidden = false;
      if (error.status) this.#note(error.message);  // the page reports an unreachable server elsewhere
    }
    if (this.#seen) this.#next = setTimeout(() => this.refresh(), kEvery);
  }
  /** Resolves to the selected campaign; to {message} if it does not exist. */
  #one() {
    return this.counter.campaign(this.#name).catch(error => {
      if (error.status === 404) return {message: error.message};
      throw error;
    });
  }

  #note(words) {
    if ($("campaigns-note").textContent !== words) $("campaigns-note").textContent = words;
  }
  #freshness({shown, age_seconds: age, away, campaigns}) {
    if (!shown) return "This server shows no campaigns.";
    // Round the age to minutes, so that screen readers do not repeat the message at every read.
    if (away) return `The database of the campaigns does not answer. This snapshot was read ${age < 60 ? "a moment" : duration(60 * Math.floor(age / 60))} ago.`;
    return campaigns.length ? "" : "No campaigns exist.";
  }

  #drawList({campaigns}) {
    const row = ({name, fen, depth, state, share_done}) => element("li", {}, element("button", {
      type: "button", className: "job", "data-campaign": name, "aria-current": String(name === this.#name), onclick: () => this.open(name)},
      element("span", {className: "line"}, element("span", {className: `state ${state === "disputed" ? "failed" : state}`},
        `${states[state]}${state === "disputed" ? " at" : ""} ${percent(share_done)}`), element("span", {className: "hint"}, `Depth ${depth}`)),
      element("span", {}, name), element("span", {className: "where"}, nameOf(fen))));
    const held = document.activeElement.dataset?.campaign;
    const items = campaigns.map(row), list = $("campaign-list");
    const text = items.map(item => item.outerHTML).join("");
    if (list.dataset.drawn === text) return;
    keepingFocus(() => {
      list.replaceChildren(...items);
      list.dataset.drawn = text;
    }, () => list.querySelector(`[data-campaign="${CSS.escape(held ?? "")}"]`) ?? $("campaigns-title"));
  }

  #draw({campaign, strip: shares, rate, workers}) {
    const {name, depth, fen, state, share_done, pass0, pass1, seconds_left, disputes, advice} = campaign;
    $("campaign").hidden = false;  // the plot needs a width
    $("campaign-title").replaceChildren(`${name}: depth ${depth} `, element("span", {className: "where", title: fen}, nameOf(fen)));
    const ends = seconds_left == null || state !== "running" || !campaign.workers.seen ? "" :
      `, ${duration(seconds_left)} left: about ${new Date(Date.now() + 1000 * seconds_left).toLocaleString([], {dateStyle: "medium", timeStyle: "short"})}`;
    $("campaign-state").textContent = `${states[state]}, ${percent(share_done)} of the estimated work${ends}`;
    this.#drawMap(shares, campaign);
    $("campaign-figures").replaceChildren(...figures([
      ["Counted", parts(pass0)],
      ["Verified", pass1.parts ? `${parts(pass1)}${disputes.length ? "" : ", all equal"}` : "none are counted twice"],
      ["Paths/s", state === "running" ? si(campaign.leaves_per_second) : null],
      ["Workers", people(campaign.workers)]]));
    const away = workers.filter(worker => worker.state === "counting" && silent(worker, campaign));
    $("campaign-notes").replaceChildren(
      ...away.map(({id, host, seconds_since_seen: seconds}) => element("p", {className: "verdict warn"}, `Worker ${id}${host ? ` on ${host}` : ""} was last seen ` +
        `${spell(seconds)} ago. If the worker is gone, another one will count its part after the lease has ended, ` +
        `in ${spell(campaign.lease_seconds - seconds)}; the remaining time depends on that.`)),
      ...advice.map(words => element("p", {className: "verdict"}, words)),
      ...disputes.map(one => element("p", {className: "verdict bad"}, dispute(one))),
      ...(disputes.length ? [element("p", {className: "verdict bad"}, settle(name))] : []));
    this.#drawRate(rate);
    $("campaign-crew-title").textContent = `Workers (${workers.length})`;
    $("campaign-crew").replaceChildren(...workers.toReversed().map(one => worker(one, campaign)));
  }

  #drawMap(shares, {pass0, pass1}) {
    const each = pass0.parts / shares.done.length, twice = pass1.parts > 0;
    $("campaign-map-caption").textContent = `${pass0.parts_done} of ${pass0.parts} parts counted, the heaviest first` +
      (each > 1 ? `; each square is ${each % 1 ? "about " : ""}${Math.round(each)} parts` : "");
    const legend = [["done", "counted", pass0.parts_done], ["counting", "being counted", pass0.parts_leased],
      ["empty", "waiting", pass0.parts - pass0.parts_done - pass0.parts_leased],
      ...(twice ? [["done again", "verified", pass1.parts_done], ["done counting again", "being verified", pass1.parts_leased],
        ["empty planned again", "to be verified", pass1.parts - pass1.parts_done - pass1.parts_leased]] : [])];
    $("campaign-legend").replaceChildren(...legend.map(([key, words, number]) =>
      element("li", {}, element("span", {className: `key ${key}`}), `${words} ${number}`)));
    this.#map ??= new PartMap($("campaign-map"), this.say);
    this.#map.show(shares, `Map of the parts. Counted: ${parts(pass0)}.${twice ? ` Verified: ${parts(pass1)}.` : ""}`);
  }

  #drawRate({step_seconds: step, leaves_per_second: rates}) {
    $("campaign-speed").hidden = rates.length < 2;
    if (rates.length < 2) return;
    this.#plot ??= new RatePlot($("campaign-plot"), this.say);
    this.#plot.show(rates.map((_, at) => (at + 1) * step), rates);
    $("campaign-rates").textContent = `Paths per second over time, from the finished parts: ${si(Math.max(...rates))} at most`;
  }
}
