// Fields show the state and propose changes of it. What somebody types is theirs: an answer writes into no field that
// was edited since the question was asked, and what was typed and is not shown yet outlives Back and a reload.
import {wholeNumber} from "./format.js";

const kSteps = 30;  // of the history, of which drafts are kept

/** What stands in fields and is not (yet) what is shown: of each step of the history its own, by the field's name. */
export class Drafts {
  #all = new Map();
  #step = null;

  constructor(stored = "drafts") {
    this.stored = stored;  // its name in the session's storage
    try {
      this.#all = new Map(JSON.parse(sessionStorage.getItem(stored)) ?? []);
    } catch {
      // Somebody else's text: no drafts.
    }
  }

  /** The step of the history that is shown: a name of its own. */
  get step() {
    return this.#step;
  }
  arrive(step = Math.random().toString(36).slice(2)) {
    this.#step = step;
  }
  of(name) {
    return this.#all.get(this.#step)?.[name];
  }
  keep(name, text) {
    const drafts = this.#all.get(this.#step);
    this.#all.delete(this.#step);
    this.#all.set(this.#step, {...drafts, [name]: text});  // the newest stands last
    for (const old of this.#all.keys()) if (this.#all.size > kSteps) this.#all.delete(old);
    this.#store();
  }
  drop(name) {
    const drafts = this.#all.get(this.#step);
    if (!(name in (drafts ?? {}))) return;
    delete drafts[name];
    if (!Object.keys(drafts).length) this.#all.delete(this.#step);
    this.#store();
  }
  #store() {
    try {
      sessionStorage.setItem(this.stored, JSON.stringify([...this.#all]));
    } catch {
      // Too long to be kept, or no storage.
    }
  }
}

export class Field {
  #input;
  #drafts;
  #edits = 0;
  #seen;   // what stood there when it was last looked at
  #shown;  // what belongs there if nothing is typed

  /** `drafts`: keeps what is typed and not shown yet, if it is given. */
  constructor(input, drafts = null) {
    this.#input = input;
    this.#drafts = drafts;
    this.#seen = this.#shown = input.defaultValue ?? input.value;
    for (const event of ["input", "compositionstart"]) {
      input.addEventListener(event, () => {
        ++this.#edits;
        this.#seen = input.value;
        this.#keep();
      });
    }
  }

  get text() {
    return this.#input.value.trim();
  }
  /** Whether something was typed that is not what is shown. */
  get typed() {
    return this.text !== this.#shown;
  }
  /** The number of edits so far, those before this script had come among them: 0 is none at all. */
  get edits() {
    if ("defaultValue" in this.#input && this.#input.value !== this.#seen) {  // of a choice, the options may be others
      ++this.#edits;
      this.#seen = this.#input.value;
    }
    return this.#edits;
  }

  /** `text` belongs here. It stands here unless somebody has edited what stood there at `edits`; answers whether it does. */
  show(text, edits = this.edits) {
    this.#shown = text;
    const mine = this.edits === edits;
    if (mine) this.#write(text);
    this.#keep();
    return mine;
  }
  /** As if it had been typed, before what is edited now. */
  propose(text, edits = this.edits) {
    if (this.edits === edits) this.#write(text);
    this.#keep();
  }
  /** What was typed here when this step of the history was left; answers whether there was anything. */
  restore() {
    const draft = this.#drafts?.of(this.#input.id);
    if (draft == null) return false;
    this.#write(draft);
    return true;
  }
  complain(words) {
    document.getElementById(this.#input.getAttribute("aria-describedby").split(" ")[0]).textContent = words;
    if (words) this.#input.setAttribute("aria-invalid", "true");
    else this.#input.removeAttribute("aria-invalid");
  }

  #write(text) {
    if (this.#input.value !== text) this.#input.value = text;
    this.#seen = this.#input.value;
  }
  #keep() {
    if (this.typed) this.#drafts?.keep(this.#input.id, this.#input.value);
    else this.#drafts?.drop(this.#input.id);
  }
}

/** A whole number, in whatever digits and groups. Arrows count up and down. */
export class NumberField extends Field {
  minimum = 0;
  maximum = Infinity;

  /** `what`: "The depth"; `propose(value)` is told of each number that may stand here. */
  constructor(input, what, drafts, propose) {
    super(input, drafts);
    this.what = what;
    input.addEventListener("input", () => {
      const value = this.read();
      if (value != null) propose(value);
    });
    input.addEventListener("keydown", event => {
      const step = {ArrowUp: 1, ArrowDown: -1}[event.key];
      const value = wholeNumber(this.text);
      if (!step || value == null) return;
      event.preventDefault();
      input.value = String(Math.min(Math.max(value + step, this.minimum), this.maximum));
      input.dispatchEvent(new Event("input"));
    });
  }

  /** The number that stands here, or null: then it is said beside it why. */
  read() {
    const value = wholeNumber(this.text);
    const right = value != null && value >= this.minimum && value <= this.maximum;
    this.complain(right ? "" : `${this.what} is a whole number from ${this.minimum} to ${this.maximum}.`);
    return right ? value : null;
  }
  show(value, edits) {
    if (wholeNumber(this.text) === value && this.edits === (edits ?? this.edits)) return super.show(this.text);
    const shown = super.show(String(value), edits);
    if (shown) this.complain("");
    return shown;
  }
}

/**
 * Nobody is torn away from a field that they have turned to while an answer was awaited: `const take = focusFrom()` when
 * something is asked for, `take(node)` when it is there.
 */
export function focusFrom() {
  const held = document.activeElement;
  return (node, options) => {
    const now = document.activeElement;
    if (now === held || !now?.matches("input, textarea, select")) node.focus(options);
  };
}
