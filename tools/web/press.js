// What is pressed stays where it is: a button that moves away between press and release was never clicked. Leaving the
// box by pressing something else asks about what stands in it, and the answer would change the page's height just then.
let released = Promise.resolve();
addEventListener("pointerdown", () => {
  released = new Promise(resolve => {
    const end = () => setTimeout(resolve);  // the click comes first
    for (const event of ["pointerup", "pointercancel"]) addEventListener(event, end, {capture: true, once: true});
  });
}, {capture: true});

/** Resolves once nothing is pressed. */
export const atRest = () => released;

/** Resolves once what was changed so far is seen: what a press sets off comes after what answers it. */
export const painted = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
