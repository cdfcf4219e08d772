// The main module of the page: asks questions, shows the results, and connects fields and buttons with the state.
import * as address from "./address.js";
import {Campaigns} from "./campaigns.js";
import {keyOf, isFinal, questionOf, samePosition} from "./counter.js";
import {Drafts, Field, NumberField, focusFrom} from "./fields.js";
import {count, element} from "./format.js";
import {Hunt} from "./hunt.js";
import {JobList} from "./jobs.js";
import {notation, setNotation} from "./notation.js";
import {PositionPanel} from "./position.js";
import {during, painted} from "./pressed_controls.js";
import * as render from "./render.js";
import {Result} from "./result.js";
import {State} from "./state.js";
import {Token} from "./token.js";

const $ = id => document.getElementById(id);
const say = text => { $("announce").textContent = text; };

const token = new Token(askToken, () => $("token-dialog").close());
const here = document.querySelector('meta[name="counter"]').content === "here";  // otherwise a server counts
const onConnection = there => {
  if (there) for (const said of document.querySelectorAll("[data-away]")) {
    said.textContent = "";
    delete said.dataset.away;
  }
  if (there === $("connection").hidden) return;
  $("connection").hidden = there;
  $("connection-words").textContent = there ? "" : "The server cannot be reached. Trying again …";
};
export const counter = here ? new (await import("./local_counter.js")).LocalCounter()
  : new (await import("./http_counter.js")).HttpCounter(token, onConnection);
document.body.dataset.counter = here ? "here" : "server";
$("who").textContent = here ? "Counted in this browser." : `Counted by ${location.host}.`;
// Without a service worker, the page could not be opened offline.
if (here && isSecureContext && navigator.serviceWorker) navigator.serviceWorker.register("sw.js").catch(() => {});
/**
 * Shows, at the control that the user pressed, that the server does not answer. The text is cleared when the server answers.
 */
function sayAway(where, words) {
  $(where).textContent = `${words}: the server does not answer.`;
  $(where).dataset.away = "";
}
const drafts = new Drafts();
const state = new State(counter, drafts, {
  edits: () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.edits])),
  job: () => result.job?.id,
  leave: () => result.clear(),
  show: showState,
  wait: under => {
    panel.wait(under);
    $("moment").textContent = "";
  },
  refuse: (error, {edits}) => error.status ? panel.refuse(error, edits.fen) : sayAway("fen-error", "The previous position is still shown"),
});
const go = (...journey) => state.go(...journey);
const result = new Result(counter, {ask: unlessTyped(ask), descend: unlessTyped(descend), say, heard: job => jobs.hear(job), changed: () => {
  jobs.mark(result.job);
  jobs.refresh();
}});
const hunt = new Hunt(counter, {go: change => change.moves ? go(change) : state.change(change, {how: "push"}), settle, say,
                                point: moves => panel.board.point(moves)});
const jobs = new JobList(counter, {open: id => open(id)});
const campaigns = new Campaigns(counter, {open: name => state.change({tab: "campaigns", campaign: name}, {how: "push"}), say});
const panel = new PositionPanel(counter, {go, settle, climb: unlessTyped(climb), refuseStale, say, drafts});
const numbers = Object.fromEntries([["depth", "The depth"], ["samples", "The number of samples"], ["seed", "The seed"]].map(
  ([name, what]) => [name, new NumberField($(name), what, drafts, value => state.change({[name]: value}))]));
const fields = {fen: panel.box, mode: new Field($("mode")), ...numbers};

// ---- State

const tabs = [...document.querySelectorAll('[role="tab"]')];
function chooseTab() {
  for (const tab of tabs) {
    const chosen = tab.id === `tab-${state.now.tab}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  }
}
/** Shows the parts of the page that belong to tab and mode. */
function showParts() {
  const {tab, mode, campaign} = state.now;
  for (const part of document.querySelectorAll(".sampling")) part.hidden = mode !== "estimate" || tab !== "count";
  for (const part of document.querySelectorAll("[data-tab]")) part.hidden = !part.dataset.tab.split(" ").includes(tab);
  document.body.dataset.shown = tab;
  campaigns.show(tab === "campaigns", campaign);
}
/**
 * Updates the page after a change of state. `to` is the change. `question` is the question that the change answers, if
 * any. If `pressed` is true, the pressed tab is redrawn first, and the parts of the page that belong to it are shown later.
 */
function showState({to, moved = false, left, question, note, returning = false, pressed = false}) {
  if (left) $("submit-error").textContent = "";  // the error is about the previous position
  const {here, now} = state;
  // After Back or Forward, use the drafts of the step of the history that is shown now.
  const draft = Object.fromEntries(Object.keys(fields).map(name => [name, returning ? drafts.of(name) : null]));
  if (moved) {
    panel.show(now, here, note, question.edits.fen);
    if (draft.fen != null) panel.box.propose(draft.fen, question.edits.fen);
  }
  for (const [name, field] of Object.entries(numbers)) {
    if (to[name] == null) continue;
    if (field.show(now[name], question?.edits[name]) && draft[name] != null) {
      field.propose(draft[name]);
      field.read();
    }
  }
  if ("mode" in to) fields.mode.show(now.mode, question?.edits.mode);
  chooseTab();
  if (pressed) painted().then(showParts);
  else showParts();
  $("mode-hint").textContent = render.modes[now.mode]?.hint ?? "";
  if (!here) return;
  const known = here.published.find(({depth}) => depth === now.depth);
  $("published").replaceChildren(...(known ? ["Published paths: ", count(known.nodes)] : []));
  $("known-table").replaceChildren(...render.published(here.published.filter(({depth}) => depth > 0), now.depth));
  hunt.show(now, here, state.root);
}

let started = false;  // the limits and modes have been loaded
/**
 * Puts the text of the position box on the board. If the text is invalid, shows the reason at the box. Call settle() before
 * asking about the board. If a change of position is already in progress, waits for its end, unless the box was edited after
 * the change began. Resolves to whether the board now shows the position.
 */
async function settle({focus = true} = {}) {
  token.declined = false;
  if (!started) return false;
  const take = focusFrom();
  const {box} = panel;
  const {under} = state;
  const arrived = under && under.question.edits.fen === box.edits ? await under.arrived
    : box.typed ? await go({start: box.text.trim() || "startpos", moves: [], asTyped: true}, {question: state.begin({applied: true})})
    : state.here ? true : await follow();  // the first response was lost
  if (focus && !arrived && box.typed) take($("fen"));
  return arrived && state.here != null;
}
/** Wraps an action on the current board. If the box was edited, puts its text on the board instead of acting. */
function unlessTyped(action) {
  return async (...given) => panel.box.typed ? settle() : action(...given);
}
/**
 * Shows a message that the action `what` was not done. The action applies to the shown position, which is about to
 * change.
 */
function refuseStale(what) {
  const {start, moves} = state.now, wanted = state.under?.wanted;
  const longer = wanted?.start === start ? wanted.moves.length - moves.length : 0;
  $("moment").textContent = `${what}. Wait: ${longer > 0 ? `${wanted.moves.at(-1)} is still being played`
    : longer < 0 ? "a move is still being taken back" : "another position is still being set up"}.`;
}

// ---- Questions

const asking = new Map();  // submissions without a response, by question
function submit(question) {
  const key = keyOf(question);
  if (!asking.has(key)) asking.set(key, counter.count(question).finally(() => asking.delete(key)));
  return asking.get(key);
}

/**
 * Handles the Count button. Counts what the box and the fields contain when it is pressed. Pressing it twice makes one job.
 */
async function countIt() {
  const take = focusFrom();
  const {mode} = state.now;
  const values = ["depth", ...(mode === "estimate" ? ["samples", "seed"] : [])].map(name => [name, numbers[name].read()]);
  if (!await settle()) return;
  const [wrong] = values.find(([, value]) => value == null) ?? [];
  if (wrong) return take($(wrong));
  const {start, moves} = state.now;
  await ask({start, moves, mode, ...Object.fromEntries(values)});
}

/** Requests the count of `question`, whose position is on the board, and shows the job. */
async function ask(question) {
  const asked = state.begin(), {tab} = state.now, take = focusFrom();
  $("submit-error").textContent = "";
  const running = result.job && !isFinal(result.job.state) && keyOf(result.question) === keyOf(question);
  try {
    const listed = !running && jobs.active(state.here.position, question);
    const job = running ? result.job : listed ? await counter.job(listed.id) : await submit(question);
    jobs.own(job);
    if (!state.isNewest(asked)) return jobs.refresh();  // a newer question exists; this job is in the list
    if (!running) show(question, job);
    result.reveal();
  } catch (error) {
    if (!state.isNewest(asked) || state.now.tab !== tab) return;  // the user has moved on
    const field = numbers[error.field];
    if (field && field.edits === asked.edits[error.field]) {
      field.complain(error.message);
      take($(error.field));
    } else if (error.status) {
      $("submit-error").textContent = error.message;
    } else {
      sayAway("submit-error", "Nothing is counted");
    }
  }
}

/** Shows `job` with the title of `question`, which may differ from the job's own question. Does not change the fields. */
function show(question, job) {
  result.show(question, job);
  state.remember("replace");
}

/** Plays moves of the divide and counts there, with the remaining depth. */
async function descend(path) {
  const {moves, depth} = result.question;
  const question = {...result.question, moves: [...moves, ...path], depth: depth - path.length};
  if (state.under) return samePosition(state.wanted ?? {}, question) ? state.under.arrived : refuseStale(`${path.join(" ")} was not played`);
  const take = focusFrom();
  if (!await go(question)) return;
  $("result-title").textContent = "";
  await ask(question);
  if (!$("result").hidden) take($("result"), {preventScroll: true});
}

/**
 * Goes back to the position after `to` moves; if `to` is null, takes one move back. If the user came from that position
 * through its divide or through pasted divides, restores the depth of that divide.
 */
async function climb(to = null) {
  if (!state.wanted) return refuseStale("No move was taken back");
  // Pressing twice takes back two moves.
  const {start, tab, mode, samples, seed, ...below} = to == null ? state.wanted : state.now;
  const ply = to ?? below.moves.length - 1;
  const up = below.moves.length - ply;
  if (ply < 0 || up <= 0) return;
  const moves = below.moves.slice(0, ply), depth = below.depth + up;
  const sampling = mode === "estimate" ? {samples, seed} : {};
  const above = {start, moves, depth, mode, ...sampling};
  const counted = result.question && keyOf(result.question) === keyOf({...below, start, mode, ...sampling});
  const question = state.begin();
  const known = counted ? result.known(above) : null;  // otherwise the user came by playing moves
  const pasting = tab === "hunt" && hunt.under;
  if (!await go({start, moves, ...(known || pasting ? {depth} : {})}, {question})) return;
  if (known) return show(above, known);
  if (state.now.tab !== "count" || !counted) return;
  const listed = jobs.find(job => job.state === "done" && job.position === state.here.position && job.depth === depth && job.mode === mode);
  if (listed && mode !== "estimate") await open(listed.id, above);
}

/** Shows job `id` as the answer to `asked`; if `asked` is null, as the answer to the job's own question. */
async function open(id, asked = null, how = "push") {
  const question = state.begin();
  $("submit-error").textContent = "";
  return state.expect(question, null, async () => {
    try {
      const job = await counter.job(id);
      const meant = asked ?? questionOf(job);
      if (!await go({...meant, tab: "count"}, {how, question}) || !state.isNewest(question)) return false;
      show(meant, job);
      result.reveal();
      return true;
    } catch (error) {
      if (!state.isNewest(question)) return false;
      if (error.status) $("submit-error").textContent = error.message;
      else sayAway("submit-error", `Job ${id} is not shown`);
      return false;
    }
  });
}

/**
 * Shows the state in the address. Returns whether the address has a valid position. `edits` has a number of edits for each
 * field; a field that has been edited more often keeps its text.
 */
async function follow({edits} = {}) {
  const said = state.follow();
  if (said.job && !said.start && !said.moves && !("depth" in said)) {
    await open(said.job, null, "replace");
    if (!state.here && !state.under) await go({...address.initial, job: null}, {how: "none"});
    return state.here != null;
  }
  const wrong = address.wrong(location.hash);
  const {maximum} = numbers.depth;
  if (said.depth > maximum) {
    wrong.depth = String(said.depth);
    delete said.depth;
  }
  const unknown = said.mode && ![...$("mode").options].some(({value}) => value === said.mode) ? said.mode : null;
  if (unknown) delete said.mode;
  const usual = Object.fromEntries(["samples", "seed"].map(name => [name, numbers[name].usual]));
  const to = {...address.initial, ...usual, ...said};
  const question = state.begin({edits});
  if (!state.here) {  // parts that need no response are shown at once
    const {start, moves, job, ...rest} = to;
    state.change(rest, {how: "none", question});
  }
  if (!await go(to, {how: "none", question})) return state.here ? false : landAnyway(to, question);
  for (const [name, text] of Object.entries(wrong)) {
    numbers[name].propose(text, question.edits[name]);
    numbers[name].read();
  }
  if (unknown) $("submit-error").textContent = `The address names the mode "${unknown}", which this server does not support.`;
  if (said.job && said.job !== result.job?.id) {
    const job = await counter.job(said.job).catch(() => null);
    if (!state.isNewest(question)) return true;
    if (job?.position === state.here.position) {
      const {start, moves} = state.now;
      show({...questionOf(job), start, moves}, job);
      return true;
    }
  }
  state.remember("replace");
  return true;
}
/** Handles a link to an invalid position: shows the error at the box, and the start position on the board. */
async function landAnyway({start, moves, ...rest}, question) {
  const {refused} = state;
  if (!refused || !state.isNewest(question)) return false;  // no response, or the user has moved on
  if (!await go({...address.initial, ...rest, job: null}, {how: "none", question})) return false;
  panel.refuse(refused, question.edits.fen, moves.length ? `${start} moves ${moves.join(" ")}` : start);
  return true;
}

// ---- Events

const on = (id, event, action) => $(id).addEventListener(event, action);

on("submit", "submit", event => {
  event.preventDefault();
  during(document.querySelector("#submit .primary"), countIt());
});
on("mode", "input", () => state.change({mode: $("mode").value}));
on("skip", "click", event => {
  event.preventDefault();
  $({campaigns: "campaigns-title", hunt: "hunt"}[state.now.tab] ?? ($("result").hidden ? "work" : "result")).focus();
});

for (const tab of tabs) {
  tab.addEventListener("click", () => state.change({tab: tab.id.slice("tab-".length)}, {how: "push", pressed: true}));
  tab.addEventListener("keydown", ({key}) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const there = tabs.filter(({hidden}) => !hidden);
    const other = there.at((there.indexOf(tab) + (key === "ArrowRight" ? 1 : -1)) % there.length);
    other.focus();
    other.click();
  });
}

// Keyboard shortcuts, active unless the focus is in a control that uses the key.
const keys = {ArrowLeft: () => $("back").click(), ArrowRight: () => $("forth").click(), f: () => $("flip").click(), "?": () => $("keys").showModal()};
document.addEventListener("keydown", event => {
  const {key, target, ctrlKey, altKey, metaKey} = event;
  if (ctrlKey || altKey || metaKey || event.defaultPrevented || $("question").hidden || !(key in keys)) return;
  if (target.closest("input, textarea, select, dialog")) return;
  // Controls that use the arrow keys themselves
  if (key.startsWith("Arrow") && target.closest("[role=tab], [role=gridcell], #moves, #crumbs, .scroll, pre")) return;
  event.preventDefault();
  keys[key]();
});
on("keys-open", "click", () => $("keys").showModal());
$("notation").value = notation();
on("notation", "change", () => {
  setNotation($("notation").value);
  panel.rename();
  result.rename();
});

on("licences-open", "click", () => during($("licences-open"), (async () => {
  $("licences-text").textContent = await (await fetch("licences.txt")).text();
  $("licences").showModal();
})()));

/** Shows the token dialog. Resolves to the entered token, or to null if the user closes the dialog. */
function askToken({refused, why}) {
  $("token-title").textContent = why ? "This requires another token" : "This server requires a token";
  $("token-refused").textContent = why ? `The server's reason: ${why}.` : "The server did not accept that token.";
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
const nameTheme = (now = theme()) => { $("theme").textContent = now === "dark" ? "Light" : "Dark"; };
on("theme", "click", async () => {
  const next = $("theme").textContent === "Dark" ? "dark" : "light";
  localStorage.setItem("theme", next);
  nameTheme(next);
  await painted();  // redrawing everything takes long, so show the button's new label first
  document.documentElement.dataset.theme = localStorage.getItem("theme");
  redraw();
});
dark.addEventListener("change", () => { nameTheme(); redraw(); });

// Copied counts have no group separators.
document.addEventListener("copy", event => {
  const text = String(getSelection());
  if (!text.includes("\u202f")) return;
  event.clipboardData.setData("text/plain", text.replaceAll("\u202f", ""));
  event.preventDefault();
});

addEventListener("popstate", () => follow());

async function start() {
  // Start with zero edits, so that text that the user typed before this script ran is kept.
  const edits = Object.fromEntries(Object.keys(fields).map(name => [name, 0]));
  nameTheme();
  state.follow();
  panel.box.restore();
  const {job, start = address.initial.start, moves = address.initial.moves} = address.read(location.hash);
  if (!job) counter.position({start, moves}).catch(() => {});  // request it early; follow() uses the answer
  const limits = await counter.limits().catch(() => ({}));
  const modes = limits.mode?.enum ?? ["count", "hashed", "unhashed", "verify"];
  $("mode").replaceChildren(...render.sortedModes(modes).map(mode =>
    element("option", {value: mode}, render.modes[mode] ? `${mode}: ${render.modes[mode].words}` : mode)));
  for (const [name, field] of Object.entries(numbers)) {
    const {minimum = 0, maximum = 64, default: usual} = limits[name] ?? {};
    Object.assign(field, {minimum, maximum, usual});
  }
  for (const button of document.querySelectorAll("button[data-early]")) button.disabled = false;
  started = true;
  await Promise.all([follow({edits}), jobs.refresh(), campaigns.refresh()]);
  for (const [name, field] of Object.entries(numbers)) {
    const value = field.typed ? field.read() : null;
    if (value != null) state.change({[name]: value});
  }
}
start();
