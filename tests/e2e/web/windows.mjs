// Tests with many windows of one browser, because over HTTP/1.1 a browser opens only six connections to a server.
import assert from "node:assert/strict";
import {api, browser, busy, cancel, kiwipete, prelude, says, submit, visit} from "./harness.mjs";

/** Waits until the server has this number of open streams. */
async function streams(wanted) {
  for (;;) {
    const page = await (await fetch(api(null, "/metrics"))).text();
    if (wanted(Number(/^manyply_event_streams (\d+)/m.exec(page)[1]))) return;
    await new Promise(resolve => setTimeout(resolve, 20));  // give the processor to the browser
  }
}
/** Makes a window report that it is hidden behind others. */
const hide = (page, hidden) => page.evaluate(hidden => {
  Object.defineProperty(document, "visibilityState", {configurable: true, get: () => hidden ? "hidden" : "visible"});
  document.dispatchEvent(new Event("visibilitychange"));
}, hidden);
const goes = (page, {id}) => page.evaluate(id => { location.hash = `#job=${id}`; }, id);
const long = more => ({fen: "startpos", depth: 12, mode: "unhashed", ...more});

export const tests = {
  async "a hidden window lets go of its stream, and catches up"() {
    for (const shared of [true, false]) {
      const page = await visit({before: page => shared ? null : prelude(page, () => { delete globalThis.SharedWorker; })});
      const {id} = await submit(page, long({fen: kiwipete}));
      await goes(page, {id});
      await says(page, "#status", "Counting");
      await streams(open => open === 1);
      await hide(page, true);
      await streams(open => open === 0);
      await cancel(page, id);
      await hide(page, false);
      await says(page, "#status", "Cancelled");
    }
  },
};

export const slow = {
  async "a window that is closed lets go"() {
    const context = await browser.newContext();
    const stays = await visit({context}), goes = await visit({context});
    const release = await busy(stays);
    await goes.waitForSelector(".job .state.running");
    await goes.click(".job >> nth=0");
    await says(goes, "#figures", /Elapsed/);
    await streams(open => open === 1);
    await goes.close();
    await streams(open => open === 0);
    await release();
  },

  async "eight windows on one running job, and then each on a job of its own: all are told, and each can cancel"() {
    const context = await browser.newContext();
    const windows = [await visit({context})];
    const one = await submit(windows[0], long());
    while (windows.length < 8) windows.push(await visit({context, hash: `#job=${one.id}`}));
    await goes(windows[0], one);
    for (const window of windows) await says(window, "#figures", /Elapsed/);
    await streams(open => open === 1);
    await windows[7].click("#cancel");
    for (const window of windows) await says(window, "#status", "Cancelled");
    await streams(open => open === 0);

    const jobs = [];
    for (const moves of ["a2a4", "a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3"]) jobs.push(await submit(windows[0], long({moves})));
    for (const [at, window] of windows.entries()) await goes(window, jobs[at]);
    await says(windows[0], "#status", "Counting");
    await says(windows[7], "#status", /^Waiting for job \d+ and 6 more$/);
    await streams(open => open >= 1 && open <= 2);
    await cancel(windows[0], jobs[0].id);
    await says(windows[1], "#status", "Counting");
    await says(windows[7], "#status", /^Waiting for job \d+ and 5 more$/);
    for (const window of windows.slice(1).reverse()) await window.click("#cancel");
    for (const window of windows) await says(window, "#status", "Cancelled");
  },
};
