// The page's state: position, depth, mode, samples, seed, tab and campaign. It is in this one place, and in the address.
// Questions have numbers: an answer that comes when something newer has been asked changes nothing, and one that comes
// in time leaves alone what somebody has changed since it was asked for.
import * as address from "./address.js";
import {samePosition} from "./counter.js";
import {learn} from "./notation.js";
import {asRead} from "./position_text.js";
import {atRest} from "./press.js";

export class State {
  now = {...address.initial};
  here = null;   // what whoever counts says of the position,
  root = null;   // and of its start
  under = null;  // the journey that is under way: {question, wanted, arrived}
  refused = null;  // why the last one led nowhere
  #newest = 0;
  #tabs = 0;     // the number of times that somebody has chosen a tab
  #shows;

  /**
   * `shows` has `edits()`: of each field by name; `job()`: whose result is shown; `leave()`: the board is about to show
   * another position; `show({to, moved, question, note, returning, pressed})`: what has changed; `refuse(error, question)`.
   */
  constructor(counter, drafts, shows) {
    Object.assign(this, {counter, drafts});
    this.#shows = shows;
  }

  /** Something is asked for from here on; `edits`: of the fields, as they stood then. `applied`: of what is in the box. */
  begin({edits = this.#shows.edits(), applied = false} = {}) {
    return {number: ++this.#newest, edits: {...edits, tab: this.#tabs}, applied};
  }
  isNewest({number}) {
    return number === this.#newest;
  }
  /** The position that will be shown, if all goes well. */
  get wanted() {
    return this.under?.wanted ?? this.now;
  }

  /**
   * Changes what is no position, at once. `how` the history takes it: push, replace or none, if it says so itself. What
   * has changed since `question` was asked is left alone. `pressed`: somebody pressed what is to answer first.
   */
  change(change, {how = "replace", question, pressed = false} = {}) {
    const to = question ? this.#since(question, change) : {...change};
    if ("tab" in to && !question) ++this.#tabs;
    const left = "tab" in to && to.tab !== this.now.tab;
    this.now = {...this.now, ...to};
    this.remember(how);
    this.#shows.show({to, left, question, returning: how === "none", pressed});
    return true;
  }

  /** Shows another position, with what belongs to it. Answers whether it does. */
  go(change, {how = "push", question = this.begin()} = {}) {
    const {asTyped = false, ...to} = change;
    if (!this.isNewest(question)) return Promise.resolve(false);
    const wanted = {...this.now, ...to};
    const under = {question, wanted};
    this.under = under;
    under.arrived = this.#travel(wanted, to, asTyped, how, question).finally(() => {
      if (this.under === under) this.under = null;
    });
    return under.arrived;
  }

  /** What of `change` nobody has changed since. */
  #since({edits}, change) {
    const now = {...this.#shows.edits(), tab: this.#tabs};
    return Object.fromEntries(Object.entries(change).filter(([name]) => !(name in now) || now[name] === edits[name]));
  }

  /** `asTyped`: what is to be its start is any text, of which whoever counts says what it means. */
  async #travel(wanted, change, asTyped, how, question) {
    const before = this.here;
    let note, read;
    const moved = !before || !samePosition(wanted, this.now);
    this.refused = null;
    if (moved) {
      try {
        const answer = this.counter.position(wanted);
        if (asTyped) {
          ({note, ...read} = asRead(wanted.start, await answer));
          Object.assign(wanted, read);
          Object.assign(change, read);
        }
        const {start, moves} = wanted;
        const [there, above] = await Promise.all([answer,
          moves.length && (start !== this.now.start || !this.root) ? this.counter.position({start, moves: []}) : null]);
        learn(wanted, there);
        if (above) learn({start, moves: []}, above);
        await atRest();
        if (!this.isNewest(question)) return false;
        this.root = above ?? (moves.length ? this.root : there);
        this.here = there;
      } catch (error) {
        await atRest();
        if (this.isNewest(question)) {
          if (error.status) this.refused = error;
          this.#shows.refuse(error, question);
        }
        return false;
      }
      this.#shows.leave();
    }
    const to = this.#since(question, change);
    const left = before && (moved || to.tab != null && to.tab !== this.now.tab);
    this.now = {...this.now, ...to};
    if (how === "push") {  // what was in the box, or goes on being typed, is not left behind
      const edits = this.#shows.edits();
      for (const name in edits) if (edits[name] !== question.edits[name] || question.applied && name === "fen") this.drafts.drop(name);
    }
    this.remember(how);
    this.#shows.show({to, left, moved: moved || to.start != null, question, note, returning: how === "none"});
    return true;
  }

  /** Puts the state into the address. */
  remember(how) {
    const text = address.write({...this.now, job: this.#shows.job()});
    if (how === "none" || text === location.hash) return;
    if (how === "push") this.drafts.arrive();
    try {
      history[how === "push" ? "pushState" : "replaceState"]({step: this.drafts.step}, "", text);
    } catch {
      // Some browsers permit a hundred changes in half a minute: the next one says it.
    }
  }
  /** What the address says; the drafts are those of its step from now on. */
  follow() {
    if (history.state?.step) {
      this.drafts.arrive(history.state.step);
    } else {
      this.drafts.arrive();
      history.replaceState({step: this.drafts.step}, "");
    }
    return address.read(location.hash);
  }
}
