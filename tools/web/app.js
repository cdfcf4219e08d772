// What the page does. The server knows the truth about positions and jobs; this file keeps only what is
// being looked at, and the address's #job=… survives a reload.
import * as api from "./api.js";
import {Board} from "./board.js";
import {RatePlot} from "./plot.js";
import {Hunt} from "./hunt.js";
import {count, duration, element, figures, percent, rounded, si} from "./format.js";
import * as render from "./render.js";

const $ = id => document.getElementById(id);
const say = text => { $("announce").textContent = text; };

let fen = "startpos", moves = [], here = null;  // here: the server's answer about fen and moves
let job = null, watching = null, older = null;
let order = {by: "move", down: false};
let dividing = null;  // the finished divide on the screen
const reports = new Map();  // of this visit, by question and mode: for hashed against unhashed
const statistics = new Map();  // of this visit, by position and depth
const rootFens = new Map();  // complete FENs of what has been typed

const plot = new RatePlot($("plot"));
const board = new Board($("board"), play, choosePromotion);
const hunt = new Hunt(
  place, settle,
  async request => {
    const asked = await ask(request);
    if (asked && !api.isFinal(asked.state)) await api.watch(asked.id, () => {}, () => {}, new AbortController().signal);
    return asked && api.job(asked.id);
  }, say);

// ---- the position

let placing = 0, lastPlace = Promise.resolve(true);
/** Puts a position on the board, and `depth`, if there is one, beside it. Answers whether it could. */
function place(...where) {
  return lastPlace = tryPlace(...where);
}
async function tryPlace(newFen, newMoves, depth = null) {
  const turn = ++placing;  // answers may overtake each other; the last question counts
  $("fen-error").textContent = "";
  try {
    const [answer, root] = await Promise.all([api.position(newFen, newMoves),
      newMoves.length && !rootFens.has(newFen) ? api.position(newFen, []) : null]);
    if (!newMoves.length || root) rootFens.set(newFen, (root ?? answer).fen);
    if (turn !== placing) return false;
    here = answer;
  } catch (error) {
    tokenIfAsked(error);
    $("fen-error").textContent = error.message;
    return false;
  }
  if (newFen !== fen || String(newMoves) !== String(moves)) clearStage();
  [fen, moves] = [newFen, newMoves];
  if (depth != null) $("depth").value = depth;
  $("fen").value = here.fen;
  board.show(here.fen, here.legal_moves);
  $("legal-count").textContent = `${here.legal_moves.length} legal moves`;
  $("moves").replaceChildren(...here.legal_moves.map(move =>
    element("button", {type: "button", onclick: () => play(move)}, move)));
  $("crumbs").replaceChildren(...["Root", ...moves].map((name, ply) => element("button", {
    type: "button", "aria-current": ply === moves.length ? "step" : "false", onclick: () => climb(ply)}, name)));
  $("back").disabled = !moves.length;
  depthChanged();
  return true;
}

/** What is in the box is on the board, or it is said there why not: to be awaited before anything is asked about the board. */
async function settle() {
  await lastPlace;
  const typed = $("fen").value.trim();
  if (!here || typed !== here.fen) await place(typed || "startpos", []);
  if ($("fen-error").textContent) $("fen").focus();
  return !$("fen-error").textContent;
}

async function play(move) {
  if (await place(fen, [...moves, move])) say(`${move} played. ${here.legal_moves.length} legal moves.`);
}

function choosePromotion(candidates) {
  return new Promise(resolve => {
    const names = {q: "Queen", r: "Rook", b: "Bishop", n: "Knight"};
    const dialog = element("dialog", {"aria-label": "Promote to"}, element("form", {method: "dialog", className: "row"},
      ...candidates.map(move => element("button", {value: move}, names[move.at(-1)] ?? move))));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** What depends on position and depth. */
function depthChanged() {
  showPublished();
  if (here) hunt.show(fen, moves, Number($("depth").value), here, rootFens.get(fen));
}
function showPublished() {
  const known = here?.published?.find(entry => String(entry.depth) === $("depth").value);
  $("published").replaceChildren(...(known ? ["Published: ", count(known.nodes)] : []));
}

// ---- asking

const question = request => JSON.stringify([request.fen, request.moves ?? "", Number(request.depth)]);
const sampling = () => $("mode").value === "estimate" ? {samples: Number($("samples").value), seed: Number($("seed").value)} : {};
const asRequest = () => ({fen, moves, depth: Number($("depth").value), mode: $("mode").value, ...sampling()});
function modeChanged() {
  for (const label of document.querySelectorAll(".sampling")) {
    label.hidden = $("mode").value !== "estimate";
    label.querySelector("input").disabled = label.hidden;  // what is not seen is not judged
  }
}

async function ask(request = asRequest()) {
  $("submit-error").textContent = "";
  try {
    const accepted = await api.submit(request);
    await open(accepted);
    refreshJobs();
    return accepted;
  } catch (error) {
    tokenIfAsked(error);
    $("submit-error").textContent = error.message;
  }
}

/** Goes to a move of the divide, or back up, and counts there with the depth that belongs to it. */
async function descend(move) {
  const depth = job.depth - 1;
  const mode = job.mode;
  if (!await place(job.fen, [...splitMoves(job), move], depth)) return;
  if (depth > 0) await ask({fen, moves, depth, mode});
}
async function climb(ply) {
  const up = moves.length - ply;
  const hunting = hunt.trail.length > 0;  // what is compared there is no job's divide
  const counted = dividing;
  if (!up || !await place(fen, moves.slice(0, ply), Number($("depth").value) + up)) return;
  if (counted && !hunting) await ask();
}
const splitMoves = from => from.moves ? from.moves.split(" ") : [];

// ---- one job

/** A result belongs to its position: it goes when the board shows another one. It stays in the list. */
function clearStage() {
  if (!job) return;
  watching.abort();
  job = dividing = null;
  $("result").hidden = $("evidence").hidden = true;
  history.replaceState(null, "", location.pathname);
  for (const button of document.querySelectorAll(".job")) button.setAttribute("aria-current", "false");
}

async function open(which) {
  watching?.abort();
  const abort = watching = new AbortController();
  const fresh = which.state === "done" && which.report ? which : await api.job(which.id);
  if (abort.signal.aborted) return;
  job = null;
  dividing = null;
  plot.clear();
  history.replaceState(null, "", `#job=${fresh.id}`);
  if (question(fresh) !== question({fen, moves: moves.join(" "), depth: $("depth").value}) || !here) {
    await place(fresh.fen, splitMoves(fresh), fresh.depth);
  }
  $("mode").value = fresh.mode;
  if (fresh.samples) [$("samples").value, $("seed").value] = [fresh.samples, fresh.seed];
  modeChanged();
  show(fresh);
  markJob();
  if (api.isFinal(fresh.state)) return;
  api.watch(fresh.id, async seen => {
    if (abort.signal.aborted) return;
    // Events carry no report.
    const next = seen.state === "done" && !seen.report ? await api.job(seen.id) : seen;
    if (abort.signal.aborted) return;
    show(next);
    if (api.isFinal(next.state)) refreshJobs();
  }, () => { $("status").textContent = "Connection lost; the job goes on, trying again …"; }, abort.signal)
    .catch(error => { $("status").textContent = error.message; });
}

function show(next) {
  const before = job?.state;
  job = next;
  $("result").hidden = false;
  $("result-title").replaceChildren(...render.jobTitle(job));
  const words = render.stateWords(job);
  if (before !== job.state || job.state === "queued") $("status").textContent = words;
  const busy = !api.isFinal(job.state);
  $("live").hidden = !busy;
  $("cancel").disabled = false;
  $("total").hidden = $("verdict").hidden = $("evidence").hidden = $("interval").hidden = job.state !== "done";
  $("facts").replaceChildren();
  $("exports").replaceChildren();
  if (busy) showProgress(job.progress ?? {});
  if (job.state === "failed") $("status").textContent = `Failed: ${job.error?.detail ?? job.error ?? "no reason given"}`;
  if (job.state === "done") showReport();
}

function showProgress(progress) {
  $("bar").value = progress.share ?? 0;
  $("figures").replaceChildren(...figures([
    ["Done", progress.units_total ? percent(progress.share) : "–"],
    ["Left", progress.seconds_left != null ? duration(progress.seconds_left) : "not known yet"],
    ["Leaves/s", progress.leaves_per_second ? si(progress.leaves_per_second) : "–"],
    ["Visited/s", progress.visited_per_second ? si(progress.visited_per_second) : "–"],
    ["Elapsed", progress.seconds != null ? duration(progress.seconds) : null],
    ["Phase", progress.phase || null],
    ["Resumed", progress.resumed_units ? `${progress.resumed_units} subtrees` : null]]));
  if (progress.leaves_per_second) plot.add(progress.seconds, progress.leaves_per_second);
}

function showReport() {
  const report = job.report;
  const run = render.mainRun(report);
  reports.set(question(job) + job.mode, run);
  const estimated = job.mode === "estimate";
  const digits = job.nodes ?? String(job.estimate);
  const copy = element("button", {type: "button", className: "quiet", onclick: async () => {
    await navigator.clipboard?.writeText(digits);
    say("Copied");
  }}, "Copy");
  $("total").replaceChildren(job.nodes ? count(job.nodes)
    : element("span", {className: "count", "data-digits": digits}, `≈ ${rounded(job.estimate)}`), copy);
  $("interval").replaceChildren(...(estimated ? render.interval(report) : []));
  const [tone, words] = render.verdict(job.verdict);
  $("verdict").className = `verdict ${tone}`;
  $("verdict").textContent = words;
  say(`Done: ${digits}. ${words}`);
  $("facts").replaceChildren(...render.facts(report));
  const formats = job.mode === "verify" || estimated ? ["json"] : ["json", "csv", "stockfish", "epd"];
  $("exports").replaceChildren(...formats.map(format =>
    element("button", {type: "button", className: "quiet", onclick: () => api.download(job.id, format)}, format)));
  dividing = report.divide ?? null;
  $("divide-card").hidden = !dividing?.length;
  showDivide();
  $("stats-card").hidden = job.mode !== "stats";
  $("trust").hidden = job.mode === "stats" || estimated;
  $("table-card").hidden = estimated;
  if (job.mode === "stats") showStatistics(job);
  const key = question(job);
  const otherMode = job.mode === "hashed" ? "unhashed" : "hashed";
  $("versus").replaceChildren(...(job.mode === "verify" ? render.verified(report)
    : render.versus(reports.get(key + "hashed"), reports.get(key + "unhashed"),
                    () => ask({fen: job.fen, moves: splitMoves(job), depth: job.depth, mode: otherMode}))));
  $("table").replaceChildren(...render.table(report));
}

const ofPosition = which => JSON.stringify([which.fen, which.moves ?? ""]);
function showStatistics(shown, filling = false) {
  const plies = statistics.get(ofPosition(shown)) ?? new Map();
  statistics.set(ofPosition(shown), plies);
  plies.set(shown.depth, shown.report);
  if (ofPosition(shown) !== ofPosition(job)) return;
  const rows = [...plies.values()].filter(({depth}) => depth > 0 || plies.size === 1);
  $("stats").replaceChildren(...render.statisticsByPly(rows, filling ? null : () => fillPlies(shown, plies)));
}
async function fillPlies(shown, plies) {
  const {signal} = watching;
  const missing = Array.from({length: Math.max(...plies.keys()) - 1}, (_, i) => i + 1).filter(depth => !plies.has(depth));
  showStatistics(shown, true);
  for (const depth of missing) {
    try {
      const found = await api.finish({fen: shown.fen, moves: splitMoves(shown), depth, mode: "stats"}, signal);
      if (signal.aborted) return;
      if (found.state === "done") showStatistics(found, depth !== missing.at(-1));
    } catch (error) {
      $("submit-error").textContent = error.message;
      return;
    }
  }
  refreshJobs();
}

function showDivide() {
  if (!dividing) return;
  $("divide").replaceChildren(render.divide(dividing, order, by => {
    order = {by, down: order.by === by ? !order.down : by === "nodes"};
    showDivide();
    document.querySelector(`#divide th:nth-child(${by === "move" ? 1 : 2}) button`).focus();
  }, job.depth > 1 ? descend : null));
}

// ---- the list

let listing = 0;
async function refreshJobs() {
  const turn = ++listing;
  try {
    const page = await api.jobs();
    if (turn !== listing) return;
    $("jobs").replaceChildren(...page.jobs.map(entry => render.jobRow(entry, job?.id, open)));
    showOlder(page);
    return page;
  } catch (error) {
    tokenIfAsked(error);
  }
}
function showOlder(page) {
  older = page.next ?? null;
  $("more").hidden = older == null;
}
function markJob() {
  for (const button of document.querySelectorAll(".job")) {
    button.setAttribute("aria-current", button.dataset.job === String(job.id));
  }
}

function tokenIfAsked(error) {
  if (error.status === 401) $("token-form").hidden = false;
}

// ---- wiring

const on = (id, event, action) => $(id).addEventListener(event, action);
const onSubmit = (id, action) => on(id, "submit", event => { event.preventDefault(); action(); });

onSubmit("fen-form", () => place($("fen").value.trim() || "startpos", []));
onSubmit("submit", async () => { if (await settle()) await ask(); });
onSubmit("token-form", () => {
  api.setToken($("token").value);
  $("token-form").hidden = true;
  start();
});
on("flip", "click", () => board.flip());
on("back", "click", () => hunt.trail.length ? climb(moves.length - 1) : place(fen, moves.slice(0, -1)));
on("reset", "click", () => place("startpos", []));
on("depth", "input", depthChanged);
on("mode", "input", modeChanged);
on("cancel", "click", async () => {
  $("cancel").disabled = true;
  $("status").textContent = "Cancelling …";
  await api.cancel(job.id).catch(error => { $("status").textContent = error.message; });
});
on("more", "click", async () => {
  const page = await api.jobs(older);
  $("jobs").append(...page.jobs.map(entry => render.jobRow(entry, job?.id, open)));
  showOlder(page);
});
on("licences-open", "click", async () => {
  $("licences-text").textContent = await (await fetch("licences.txt")).text();
  $("licences").showModal();
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
const nameTheme = () => { $("theme").textContent = theme() === "dark" ? "Light" : "Dark"; };
on("theme", "click", () => {
  const next = theme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
  nameTheme();
  plot.redraw();
});
dark.addEventListener("change", () => { nameTheme(); plot.redraw(); });

// Groups are for the eye: what is copied is the number.
document.addEventListener("copy", event => {
  const text = String(getSelection());
  if (!text.includes("\u202f")) return;
  event.clipboardData.setData("text/plain", text.replaceAll("\u202f", ""));
  event.preventDefault();
});

async function start() {
  nameTheme();
  const fields = await api.fields().catch(() => ({}));
  const modes = fields.mode?.enum ?? ["hashed", "unhashed", "verify"];
  $("mode").replaceChildren(...modes.map(mode => element("option", {value: mode}, mode)));
  for (const name of ["samples", "seed"]) {
    const {minimum, maximum, default: usual} = fields[name] ?? {};
    Object.assign($(name), {min: minimum, max: maximum, value: usual});
  }
  modeChanged();
  const page = await refreshJobs();
  const asked = /^#job=(\d+)$/.exec(location.hash)?.[1];
  const active = page?.jobs.find(entry => entry.state === "running");
  if (asked || active) {
    try {
      await open(asked ? {id: asked} : active);
    } catch (error) {
      $("submit-error").textContent = error.message;
    }
  }
  if (!here) await place("startpos", []);
}
addEventListener("hashchange", () => {
  const id = /^#job=(\d+)$/.exec(location.hash)?.[1];
  if (id && id !== String(job?.id)) open({id});
});
start();
