// What the page does. Its state is one thing (position, depth, mode, tab, and the job whose result is shown), and lives in
// the address; everything else follows from it and from what whoever counts answers.
import * as address from "./address.js";
import {Campaigns} from "./campaigns.js";
import {keyOf, isFinal, questionOf, samePosition} from "./counter.js";
import {count, element} from "./format.js";
import {HttpCounter} from "./http_counter.js";
import {Hunt} from "./hunt.js";
import {JobList} from "./jobs.js";
import {PositionPanel} from "./position.js";
import {atRest} from "./press.js";
import * as render from "./render.js";
import {Result} from "./result.js";
import {Token} from "./token.js";

const $ = id => document.getElementById(id);
const say = text => { $("announce").textContent = text; };

let state = {...address.initial};
let here = null, root = null;  // the answers about the position, and about its start

const token = new Token(askToken, () => $("token-dialog").close());
const counter = new HttpCounter(token, there => {
  if (there === $("connection").hidden) return;
  $("connection").hidden = there;
  $("connection-words").textContent = there ? "" : "The server cannot be reached. Trying again …";
});
const result = new Result(counter, {ask: unlessTyped(ask), descend: unlessTyped(descend), say, changed: () => {
  jobs.mark(result.job?.id);
  jobs.refresh();
}});
const hunt = new Hunt(counter, {go, settle, say});
const jobs = new JobList(counter, id => open(id));
const campaigns = new Campaigns(counter, name => go({tab: "campaigns", campaign: name}));
const panel = new PositionPanel(go, settle, unlessTyped(climb), say);

// ---- the state

let turn = 0, arriving = Promise.resolve();
/** Changes the state; `how` the history takes it: push, replace or none. Answers whether it could be. */
function go(change, how = "push") {
  const arrived = travel(change, how);
  arriving = Promise.all([arriving, arrived]);
  return arrived;
}
async function travel(change, how) {
  const {note, ...to} = change;
  const moved = !here || !samePosition({...state, ...to}, state);
  const left = here && (moved || to.tab != null && to.tab !== state.tab);
  if (moved) {
    const mine = ++turn;  // answers may overtake each other; the last question counts
    const {start, moves} = {...state, ...to};
    try {
      const [there, above] = await Promise.all([counter.position({start, moves}),
        moves.length && (start !== state.start || !root) ? counter.position({start, moves: []}) : null]);
      await atRest();
      if (mine !== turn) return false;
      root = above ?? (moves.length ? root : there);
      here = there;
    } catch (error) {
      await atRest();
      if (mine === turn && error.status) panel.refuse(error);  // who cannot be reached, the page says once
      return false;
    }
    result.clear();
  }
  if (left) $("submit-error").textContent = "";  // it was about what was asked there
  state = {...state, ...to};
  if (moved || to.start != null) panel.show(state, here, note);  // what was typed may be the same position
  drawState();
  remember(how);
  return true;
}
function remember(how) {
  const text = address.write({...state, job: result.job?.id});
  if (how === "none" || text === location.hash) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", text);
}

const written = {};  // what the fields were given; what somebody has typed since is theirs, wrong as it may be
/** What follows from the state, but for position and result. */
function drawState() {
  for (const name of ["depth", "samples", "seed"]) {
    if (state[name] === written[name]) continue;
    written[name] = state[name];
    if (Number($(name).value) !== state[name] || !$(name).value) $(name).value = state[name];
    complain(name, "");
  }
  $("mode").value = state.mode;
  for (const part of document.querySelectorAll(".sampling")) part.hidden = state.mode !== "estimate" || state.tab !== "count";
  for (const part of document.querySelectorAll("[data-tab]")) part.hidden = !part.dataset.tab.split(" ").includes(state.tab);
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const chosen = tab.id === `tab-${state.tab}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  }
  campaigns.show(state.tab === "campaigns", state.campaign);
  if (!here) return;
  const known = here.published.find(({depth}) => depth === state.depth);
  $("published").replaceChildren(...(known ? ["Published: ", count(known.nodes)] : []));
  $("known-table").replaceChildren(...render.published(here.published.filter(({depth}) => depth > 0)));
  hunt.show(state, here, root);
}

/** What is in the box is on the board, or it is said there why not: awaited before anything is asked about the board. */
async function settle({focus = true} = {}) {
  token.declined = false;
  await arriving;
  if (!here || panel.dirty) await apply(panel.text);
  if (focus && panel.dirty) panel.focusBox();
  return here != null && !panel.dirty;
}

let applying = null;
/** Enter changes the box and submits it: that is one question. */
function apply(text) {
  if (applying?.text !== text) {
    const arrived = go(panel.read()).finally(() => { if (applying?.arrived === arrived) applying = null; });
    applying = {text, arrived};
  }
  return applying.arrived;
}
/** What belongs to the board that is seen is not done while something else stands in the box. */
function unlessTyped(action) {
  return async (...given) => panel.dirty ? settle() : action(...given);
}

// ---- asking

const limits = {depth: {minimum: 0, maximum: 64}};
const names = {depth: "The depth", samples: "The number of samples", seed: "The seed"};
/** Reads a number's field into the state; what is wrong is said beside it. */
function readField(name) {
  const {minimum = 0, maximum = Infinity} = limits[name] ?? {};
  const text = $(name).value.trim();
  const value = Number(text);
  const right = /^\d+$/.test(text) && value >= minimum && value <= maximum;
  complain(name, right ? "" : `${names[name]} is a whole number from ${minimum} to ${maximum}.`);
  if (right && state[name] !== value) go({[name]: value}, "replace");
  return right;
}
function complain(name, words) {
  $(`${name}-error`).textContent = words;
  if (words) $(name).setAttribute("aria-invalid", "true");
  else $(name).removeAttribute("aria-invalid");
}

const asking = new Map();  // submissions without an answer yet, by question
function submit(question) {
  const key = keyOf(question);
  if (!asking.has(key)) asking.set(key, counter.count(question).finally(() => asking.delete(key)));
  return asking.get(key);
}

/** The Count button: what is in box and fields is counted; asked twice, it is one job. */
async function countIt() {
  if (!await settle()) return;
  const fields = ["depth", ...(state.mode === "estimate" ? ["samples", "seed"] : [])];
  const wrong = fields.filter(name => !readField(name));
  if (wrong.length) return $(wrong[0]).focus();
  await ask(state);
}

async function ask({start, moves, depth, mode, samples, seed}) {
  const question = {start, moves, depth, mode, ...(mode === "estimate" ? {samples, seed} : {})};
  const {tab} = state;
  $("submit-error").textContent = "";
  const running = result.job && !isFinal(result.job.state) && keyOf(result.question) === keyOf(question);
  try {
    const listed = !running && jobs.active(here.fen, question);
    const job = running ? result.job : listed ? await counter.job(listed.id) : await submit(question);
    if (!samePosition(question, state)) return jobs.refresh();  // somebody went on; it is in the list
    if (!running) show(question, job);
    result.reveal();
  } catch (error) {
    if (state.tab !== tab || !samePosition(question, state)) return;  // nobody looks at that question any more
    if (names[error.field]) {
      complain(error.field, error.message);
      $(error.field).focus();
    } else if (error.status) {
      $("submit-error").textContent = error.message;
    }
  }
}

function show(question, job) {
  result.show(question, job);
  const {depth, mode, samples = state.samples, seed = state.seed} = question;
  go({depth, mode, samples, seed}, "replace");
}

/** Behind a move of the divide, counting there with the depth that belongs to it. */
async function descend(move) {
  const {start, moves, depth, mode} = result.question;
  if (!await go({start, moves: [...moves, move], depth: depth - 1, mode})) return;
  $("result-title").textContent = "";
  await ask(state);
  if (!$("result").hidden) $("result").focus({preventScroll: true});
}

/** Up to the position after `ply` moves; where one came down from a count, or along pastes, with the depth of then. */
async function climb(ply) {
  const up = state.moves.length - ply;
  if (up <= 0) return;
  const above = {...state, moves: state.moves.slice(0, ply), depth: state.depth + up};
  const known = result.known(above);
  const pasting = state.tab === "hunt" && hunt.under;
  if (!await go({moves: above.moves, ...(known || pasting ? {depth: above.depth} : {})})) return;
  if (known) return show(above, known);
  if (state.tab !== "count") return;
  const listed = jobs.find(job => job.state === "done" && job.position === here.fen && job.depth === above.depth &&
    job.mode === above.mode);
  if (listed && above.mode !== "estimate") await open(listed.id, above);
}

/** Shows job `id`, as the answer to `asked` or to what it was asked itself. */
let opening = 0;
async function open(id, asked = null, how = "push") {
  const mine = ++opening;
  $("submit-error").textContent = "";
  try {
    const job = await counter.job(id);
    if (mine !== opening) return;
    const question = asked ?? questionOf(job);
    if (!await go({...question, tab: "count"}, how)) return;
    show(question, job);
    result.reveal();
  } catch (error) {
    if (error.status) $("submit-error").textContent = error.message;
  }
}

/** Goes where the address says. */
async function follow() {
  const said = address.read(location.hash);
  if (said.job && !said.start && !said.moves && !("depth" in said)) return open(said.job, null, "replace");
  if (said.depth > limits.depth.maximum) delete said.depth;
  if (said.mode && ![...$("mode").options].some(({value}) => value === said.mode)) delete said.mode;
  const to = {...address.initial, samples: limits.samples?.default, seed: limits.seed?.default, ...said};
  if (!await go(to, "none")) return here || landAnyway(to);
  if (!said.job || said.job === result.job?.id) return remember("replace");
  const mine = ++opening;
  const job = await counter.job(said.job).catch(() => null);
  if (mine === opening && job?.position === here.fen) show({...questionOf(job), start: state.start, moves: state.moves}, job);
  else remember("replace");
}
/** A link to what is no position: says so at the box, beside the start position. */
async function landAnyway({start, moves, ...rest}) {
  const words = $("fen-error").textContent;
  if (await go({...address.initial, ...rest, job: null}, "none")) panel.refuse({message: words}, start);
}

// ---- wiring

const on = (id, event, action) => $(id).addEventListener(event, action);

on("submit", "submit", event => { event.preventDefault(); countIt(); });
for (const name of ["depth", "samples", "seed"]) on(name, "input", () => readField(name));
on("mode", "input", () => go({mode: $("mode").value}, "replace"));
on("skip", "click", event => {
  event.preventDefault();
  $({campaigns: "campaigns-title", hunt: "hunt"}[state.tab] ?? ($("result").hidden ? "work" : "result")).focus();
});

const tabs = [...document.querySelectorAll('[role="tab"]')];
for (const tab of tabs) {
  tab.addEventListener("click", () => go({tab: tab.id.slice("tab-".length)}));
  tab.addEventListener("keydown", ({key}) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const there = tabs.filter(({hidden}) => !hidden);
    const other = there.at((there.indexOf(tab) + (key === "ArrowRight" ? 1 : -1)) % there.length);
    other.focus();
    other.click();
  });
}

on("licences-open", "click", async () => {
  $("licences-text").textContent = await (await fetch("licences.txt")).text();
  $("licences").showModal();
});

/** One dialog; resolves to what was entered, or null. */
function askToken({refused, why}) {
  $("token-title").textContent = why ? "This takes another token" : "This server asks for a token";
  $("token-refused").textContent = why ? `The server says: ${why}.` : "It did not accept that one.";
  $("token-refused").hidden = !refused;
  $("token").value = "";
  $("token-dialog").returnValue = "";
  $("token-dialog").showModal();
  return new Promise(resolve => on("token-dialog", "close", () =>
    resolve($("token-dialog").returnValue === "use" ? $("token").value.trim() || null : null), {once: true}));
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
const redraw = () => { result.redraw(); campaigns.redraw(); };
const nameTheme = () => { $("theme").textContent = theme() === "dark" ? "Light" : "Dark"; };
on("theme", "click", () => {
  const next = theme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
  nameTheme();
  redraw();
});
dark.addEventListener("change", () => { nameTheme(); redraw(); });

// Groups are for the eye: what is copied is the number.
document.addEventListener("copy", event => {
  const text = String(getSelection());
  if (!text.includes("\u202f")) return;
  event.clipboardData.setData("text/plain", text.replaceAll("\u202f", ""));
  event.preventDefault();
});

addEventListener("popstate", follow);

async function start() {
  nameTheme();
  Object.assign(limits, await counter.limits().catch(() => ({})));
  const modes = limits.mode?.enum ?? ["hashed", "unhashed", "verify"];
  $("mode").replaceChildren(...modes.map(mode => element("option", {value: mode}, mode)));
  $("depth").max = limits.depth.maximum;
  for (const name of ["samples", "seed"]) {
    const {minimum, maximum, default: usual} = limits[name] ?? {};
    Object.assign($(name), {min: minimum, max: maximum});
    state[name] = usual;
  }
  await Promise.all([follow(), jobs.refresh(), campaigns.refresh()]);
  if (!here) await go({}, "none");
}
start();
