// Copies text and reports whether that succeeded.
import {element} from "./format.js";

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed, or not available: pages over plain HTTP from another machine have no clipboard.
  }
  const before = document.activeElement;
  const area = element("textarea", {value: text, readOnly: true, className: "hidden-text", "aria-hidden": "true"});
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  before?.focus();
  return copied;
}

/** Copies `text`, reports the outcome, and shows it on `button` for a while. */
export async function copy(text, button, say) {
  const copied = await write(text);
  const words = copied ? "Copied" : "Not copied";
  say(copied ? words : "Not copied, because the browser does not allow it. Select the text and copy it manually.");
  button.dataset.label ??= button.textContent;
  button.textContent = words;
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
}
