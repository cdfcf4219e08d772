// The fields show the state, and the user changes the state with the fields. The user's input has priority: an answer
// never overwrites a field that was edited after the question was asked. Text that is not applied yet survives Back and
// a reload.
import {wholeNumber} from "./format.js";

const kSteps = 30;  // steps of the history whose drafts are kept

/** Texts that the user has typed but not applied yet: for each step of the history, by the field's name. */
export class Drafts {
  #all = new Map();
  #step = null;

  constructor(stored = "drafts") {
    this.stored = stored;  // key in the session storage
    try {
      this.#all = new Map(JSON.parse(sessionStorage.getItem(stored)) ?? []);
    } catch {
      // Invalid contents: start without drafts.
    }
  }

  /** The current step of the history; each step has a unique name. */
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
    this.#all.set(this.#step, {...drafts, [name]: text});  // move to the end, as the newest
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
      // Too long, or no storage.
    }
  }
}

export class Field {
  #input;
  #drafts;
  #edits = 0;
  #seen;  // contents when last examined
  #shown;  // the text that the page has put into the field

  /** If given, `drafts` stores unapplied input. */
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
  /** Returns whether the contents differ from the text that the page has put into the field. */
  get typed() {
    return this.text !== this.#shown;
  }
  /** The number of edits so far. Includes edits before this script ran; 0 means that there were none. */
  get edits() {
    // Ignore select elements, whose value may have changed only because their options have changed.
    if ("defaultValue" in this.#input && this.#input.value !== this.#seen) {
      ++this.#edits;
      this.#seen = this.#input.value;
    }
    return this.#edits;
  }

  /** Sets the text, unless the field has been edited more than `edits` times. Returns whether the text was set. */
  show(text, edits = this.edits) {
    this.#shown = text;
    const mine = this.edits === edits;
    if (mine) this.#write(text);
    this.#keep();
    return mine;
  }
  /** Sets the text as if the user had typed it, unless the field has been edited more than `edits` times. */
  propose(text, edits = this.edits) {
    if (this.edits === edits) this.#write(text);
    this.#keep();
  }
  /** Restores the draft of this step of the history; returns whether there was one. */
  restore() {
    const draft = this.#drafts?.of(this.#input.id);
    if (draft == null) return false;
    this.#write(draft);
    return true;
  }
  complain(words) {
    const place = document.getElementById(this.#input.getAttribute("aria-describedby").split(" ")[0]);
    place.textContent = words;
    if (words) {
      this.#input.setAttribute("aria-invalid", "true");
      place.scrollIntoView({block: "nearest"});
    } else {
      this.#input.removeAttribute("aria-invalid");
    }
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

/** A field for a whole number. It accepts any digits and any group separators. Arrow keys change the number by one. */
export class NumberField extends Field {
  minimum = 0;
  maximum = Infinity;

  /** `what` is a name such as "The depth"; `propose(value)` receives each valid number that the user enters. */
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

  /** Returns the number, or null after showing beside the field why it is invalid. */
  read() {
    const value = wholeNumber(this.text);
    const right = value != null && value >= this.minimum && value <= this.maximum;
    this.complain(right ? "" : `${this.what} must be a whole number from ${this.minimum} to ${this.maximum}.`);
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
 * Moves the focus, unless the user has moved it to another input meanwhile: call `const take = focusFrom()` before waiting
 * for an answer, and `take(node)` afterwards.
 */
export function focusFrom() {
  const held = document.activeElement;
  return (node, options) => {
    const now = document.activeElement;
    if (now === held || !now?.matches("input, textarea, select")) node.focus(options);
  };
}
