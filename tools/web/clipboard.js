// Copies text and pictures, and saves files.
import {element} from "./format.js";

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The browser does not allow writing, or has no clipboard for pages that come by plain HTTP from another machine.
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

/** Shows `words` on `button` for a while. */
function tell(button, words) {
  button.dataset.label ??= button.textContent;
  button.textContent = words;
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
}

/** Copies `text`, reports the outcome, and shows it on `button` for a while. */
export async function copy(text, button, say) {
  const copied = await write(text);
  say(copied ? "Copied" : "Not copied, because the browser does not allow it. Select the text and copy it manually.");
  tell(button, copied ? "Copied" : "Not copied");
}

/** Copies `picture`, which resolves to a PNG. If the browser does not allow copying, saves the PNG as a file `name`. */
export async function copyPicture(picture, name, button, say) {
  let words = "Copied";
  try {
    await navigator.clipboard.write([new ClipboardItem({"image/png": picture})]);
  } catch {
    save(await picture, name);
    words = "Saved";
  }
  say(words);
  tell(button, words);
}

/** Saves `blob` as a file. */
export function save(blob, name) {
  const link = element("a", {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
