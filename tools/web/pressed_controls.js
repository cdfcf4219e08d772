// Keeps pressed controls in place, because a button that moves or is replaced between press and release receives no
// click. Without this file, a press could move the control: a press also applies the text in the box, and the answer
// changes the page's height.
let released = Promise.resolve();
addEventListener("pointerdown", ({button}) => {
  if (button !== 0) return;  // only the main button clicks, and a context menu may take the release of another button
  released = new Promise(resolve => {
    const end = () => setTimeout(resolve);  // the browser sends the click before this runs
    for (const event of ["pointerup", "pointercancel"]) addEventListener(event, end, {capture: true, once: true});
  });
}, {capture: true});

/** Resolves when no pointer is pressed. */
export const atRest = () => released;

const works = new WeakMap();  // by control: number of unfinished promises

/**
 * Marks `control` as busy until the promise `work`, which a press of the control started, has settled. Returns the result of
 * `work`.
 */
export async function during(control, work) {
  works.set(control, (works.get(control) ?? 0) + 1);
  control.setAttribute("aria-busy", "true");
  try {
    return await work;
  } finally {
    works.set(control, works.get(control) - 1);
    if (!works.get(control)) control.removeAttribute("aria-busy");
  }
}

/**
 * Resolves when all changes so far are visible. Wait for it before long work, so that the work does not delay the response to
 * a press.
 */
export const painted = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
