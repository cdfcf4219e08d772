// The page's state: position, depth, mode, samples, seed, tab and campaign. The state is kept only here and in the
// address. Questions are numbered. An answer is ignored if a newer question has been asked, and never overwrites what
// the user changed after asking the question.
import * as address from "./address.js";
import {samePosition} from "./counter.js";
import {learn} from "./notation.js";
import {asRead} from "./named_positions.js";
import {atRest} from "./pressed_controls.js";

export class State {
  now = {...address.initial};
  here = null;  // the counter's facts about the position
  root = null;  // the counter's facts about the start of the position
  under = null;  // a change of position in progress: {question, wanted, arrived}
  refused = null;  // why the last change failed
  #newest = 0;
  #tabs = 0;  // number of times that the user has selected a tab
  #shows;

  /**
   * `shows` has these functions. `edits()` returns the number of edits of each field, by name. `job()` returns the shown job.
   * `leave()` is called when the board is about to change, `show({to, left, moved, question, note, returning, pressed})` after
   * a change, and `refuse(error, question)` after an error. `wait(under)` is called when a change of position begins, and
   * `wait(null)` when it ends.
   */
  constructor(counter, drafts, shows) {
    Object.assign(this, {counter, drafts});
    this.#shows = shows;
  }

  /**
   * Starts a question. `edits` has a number of edits for each field; the answer does not overwrite a field that has been
   * edited more often. `applied` is true if the text of the box is being applied.
   */
  begin({edits = this.#shows.edits(), applied = false} = {}) {
    return {number: ++this.#newest, edits: {...edits, tab: this.#tabs}, applied};
  }
  isNewest({number}) {
    return number === this.#newest;
  }
  /**
   * The position after the change in progress, or else the current one; null if the change leads to a position that is not
   * known yet.
   */
  get wanted() {
    return this.under ? this.under.wanted : this.now;
  }

  /**
   * Changes parts of the state other than the position, at once. `how` is the effect on the history: push, replace or none.
   * Leaves out parts that the user has changed since `question`. If `pressed` is true, the pressed control is redrawn before
   * the rest.
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

  /** Shows another position together with other changes; resolves to whether that succeeded. */
  go(change, {how = "push", question = this.begin()} = {}) {
    const {asTyped = false, ...to} = change;
    if (!this.isNewest(question)) return Promise.resolve(false);
    const wanted = {...this.now, ...to};
    return this.expect(question, wanted, () => this.#travel(wanted, to, asTyped, how, question));
  }
  /**
   * Runs `work`, which resolves to whether it has put another position on the board. `wanted` is that position, or null if it
   * is not known yet. Until `work` has ended, the shown position counts as about to change.
   */
  expect(question, wanted, work) {
    const under = {question, wanted};
    this.under = under;
    this.#shows.wait(under);
    under.arrived = work().finally(() => {
      if (this.under !== under) return;
      this.under = null;
      this.#shows.wait(null);
    });
    return under.arrived;
  }

  /** Returns the members of `change` that the user has not changed since the question. */
  #since({edits}, change) {
    const now = {...this.#shows.edits(), tab: this.#tabs};
    return Object.fromEntries(Object.entries(change).filter(([name]) => !(name in now) || now[name] === edits[name]));
  }

  /**
   * Requests the facts about the position `wanted` and shows the position. If `asTyped` is true, the start is any text,
   * which the counter interprets.
   */
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
    if (how === "push") {  // text that was applied or is being typed belongs to the new step
      const edits = this.#shows.edits();
      for (const name in edits) if (edits[name] !== question.edits[name] || question.applied && name === "fen") this.drafts.drop(name);
    }
    this.remember(how);
    this.#shows.show({to, left, moved: moved || to.start != null, question, note, returning: how === "none"});
    return true;
  }

  /** Writes the state to the address. */
  remember(how) {
    const text = address.write({...this.now, job: this.#shows.job()});
    if (how === "none" || text === location.hash) return;
    if (how === "push") this.drafts.arrive();
    try {
      history[how === "push" ? "pushState" : "replaceState"]({step: this.drafts.step}, "", text);
    } catch {
      // Some browsers allow only 100 changes in 30 seconds. The next change will write the state.
    }
  }
  /** Returns the state in the address. Also switches to the drafts of that step of the history. */
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
