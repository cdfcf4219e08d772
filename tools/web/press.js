// Keeps pressed controls in place: a button that moves between press and release receives no click. Pressing a control while
// the box has unapplied text asks about that text, and the answer would change the page's height at that moment.
let released = Promise.resolve();
addEventListener("pointerdown", () => {
  released = new Promise(resolve => {
    const end = () => setTimeout(resolve);  // the click comes first
    for (const event of ["pointerup", "pointercancel"]) addEventListener(event, end, {capture: true, once: true});
  });
}, {capture: true});

/** Resolves once nothing is pressed. */
export const atRest = () => released;

const works = new WeakMap();  // by control: how much it has begun

/** Marks `control` as busy until `work`, what a press of it has begun, has settled; resolves as that does. */
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

/** Resolves once all changes so far are visible, so that long work does not delay the response to a press. */
export const painted = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
