// Tests of the board and the parts beside it, for mouse, touch, keyboard and screen readers.
import assert from "node:assert/strict";
import {busy, count, done, finished, kiwipete, look, says, text, total, turnTo, unheard, visit} from "./harness.mjs";

const label = (page, square) => page.getAttribute(`.squares [data-at="${square}"]`, "aria-label");
const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };
const placed = (page, square, piece) => page.waitForFunction(([square, piece]) =>
  (document.querySelector(`#board [data-piece][data-square="${square}"]`)?.dataset.piece ?? null) === piece, [square, piece]);

/** Returns the contrast of two colours, as WCAG defines it, from the colours that the browser computed. */
const contrast = (page, one, other) => page.evaluate(([one, other]) => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(part => part / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}, [one, other]);

/** Records all layout shifts from now on, including those after a press: {value, what moved}. */
async function watchShifts(page) {
  await page.evaluate(() => {
    globalThis.shifts = [];
    new PerformanceObserver(list => {
      for (const {value, sources} of list.getEntries()) {
        shifts.push(`${value.toFixed(4)}: ${sources.map(({node}) => node?.id || node?.className || node?.nodeName)}`);
      }
    }).observe({type: "layout-shift"});
  });
  return () => page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => setTimeout(() => resolve(shifts.splice(0))))));
}

async function nothingMoves(viewport, {counting = false} = {}) {
  const page = await visit({viewport});
  await page.waitForFunction(() => document.querySelector("#jobs-error"));
  const shifts = await watchShifts(page);
  const still = async what => assert.deepEqual(await shifts(), [], `${what}, ${viewport.width}`);
  const move = async (from, to, line) => {
    for (const square of [from, to]) {
      const {x, y, width, height} = await page.locator(`.squares [data-at="${square}"]`).boundingBox();
      await page.mouse.click(x + width / 2, y + height / 2);
    }
    await says(page, "#crumbs", line);
    await still(line);
  };
  await move("e2", "e4", "Roote2e4");
  await move("e7", "e5", "Roote2e4e7e5");
  await page.click("#back");
  await says(page, "#crumbs", "Roote2e4");
  await page.click("#back");
  await page.waitForSelector("#crumbs", {state: "hidden"});
  await still("taken back");
  await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
  await page.press("#fen", "Enter");
  await says(page, "#fen-error", /king/);
  await still("refused");
  await page.selectOption("#presets", {label: "Kiwipete"});
  await says(page, "#legal-count", "48 legal moves");
  await still("another position");
  if (viewport.width > 1000) {  // on a phone the page goes to the result
    if (counting) {
      const release = await busy(page);
      await page.fill("#depth", "9");
      await page.selectOption("#mode", "unhashed");
      await page.click("#submit .primary");
      await says(page, "#status", /^Waiting/);
      await release();
      await page.waitForSelector("#plot canvas");
      await still("counting");
      await page.click("#cancel");
      await says(page, "#status", "Cancelled");
    }
    await page.fill("#depth", "3");
    await page.selectOption("#mode", "count");
    await page.click("#submit .primary");
    await done(page, "Perft(3) of");
    assert.equal(await total(page), "97862");
    await still("counted");
  }
}

export const tests = {
  async "it shows whose move it is, what the last one was, and a check; squares say so"() {
    const page = await visit({hash: "#moves=e2e4_f7f6_d1h5"});
    assert.equal(await text(page, "#turn"), "Black to move, in check");
    assert.equal(await page.$$eval("#board .marker-last", all => all.length), 2);
    assert.equal(await page.$$eval("#board .marker-check", all => all.length), 1);
    assert.equal(await label(page, "e8"), "e8, black king, in check");
    assert.equal(await label(page, "h5"), "h5, white queen, target of the last move");
    assert.equal(await label(page, "d1"), "d1, origin of the last move");
    assert.match(await page.getAttribute(".squares", "aria-label"), /^Board\. White: .*king e1.*Black to move\.$/);
    // The page shows mate or stalemate.
    await page.fill("#fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    await page.press("#fen", "Enter");
    await says(page, "#turn", "Black to move: stalemate, no legal move");
    await page.fill("#fen", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    await page.press("#fen", "Enter");
    await says(page, "#turn", "Black to move: checkmate, no legal move");
  },

  async "it is played with the keyboard: one stop, arrows, Enter lifts and puts down"() {
    const page = await visit();
    assert.equal(await page.$$eval('.squares [tabindex="0"]', all => all.length), 1);
    await page.focus('.squares [tabindex="0"]');
    await press(page, "ArrowUp", "Enter");
    assert.equal(await label(page, "e2"), "e2, white pawn, lifted");
    assert.equal(await label(page, "e4"), "e4, can move here");
    await press(page, "Escape");
    assert.equal(await label(page, "e2"), "e2, white pawn");
    await press(page, "Enter", "ArrowUp", "ArrowUp", "Enter");
    await says(page, "#crumbs", "Roote2e4");
    await placed(page, "e4", "wp");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.at), "e4");
    // A promotion asks the user for the piece.
    await page.fill("#fen", "8/P6k/8/8/8/8/8/K7 w - - 0 1");
    await page.press("#fen", "Enter");
    await says(page, "#legal-count", "7 legal moves");
    await page.focus('.squares [data-at="e4"]');
    await press(page, "ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter", "ArrowUp", "Enter");
    await page.click("dialog button:has-text('Knight')");
    await says(page, "#crumbs", "Roota7a8n");
  },

  async "keys go back and forth, flip, and list themselves; in a field they are letters"() {
    const page = await visit({hash: "#moves=e2e4_e7e5"});
    await press(page, "ArrowLeft");
    await says(page, "#crumbs", "Roote2e4");
    await press(page, "ArrowLeft");
    await page.waitForSelector("#crumbs", {state: "hidden"});
    await press(page, "ArrowRight");
    await says(page, "#crumbs", "Roote2e4");
    await press(page, "ArrowRight");
    await says(page, "#crumbs", "Roote2e4e7e5");
    assert.ok(await page.isDisabled("#forth"));
    await press(page, "ArrowLeft");
    await says(page, "#crumbs", "Roote2e4");
    await page.click("#moves button:has-text('c7c5')");
    await says(page, "#crumbs", "Roote2e4c7c5");
    assert.ok(await page.isDisabled("#forth"), "another way has been taken");
    const first = () => page.$eval(".squares [data-at]", cell => cell.dataset.at);
    assert.equal(await first(), "a8");
    await press(page, "f");
    assert.equal(await first(), "h1");
    await page.focus('.squares [data-at="d4"]');
    await press(page, "f", "f");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell");
    await press(page, "?");
    await page.waitForSelector("#keys[open]");
    await press(page, "Escape");
    await page.focus("#fen");
    await press(page, "End", "f", "ArrowLeft", "?");
    assert.match(await page.inputValue("#fen"), /\?f$/);
    assert.equal(await first(), "h1");
    assert.equal(await page.$$eval("dialog[open]", all => all.length), 0);
  },

  async "a position is set up by hand, by mouse and by keyboard"() {
    const page = await visit({hash: "#fen=kiwipete"});
    await page.click("#edit");
    assert.equal(await text(page, "#editor output"), kiwipete);
    await page.click("#editor button:has-text('Clear')");
    assert.equal(await text(page, "#editor output"), "8/8/8/8/8/8/8/8 w - - 0 1");
    await page.click("#editor button:has-text('Use this position')");
    await says(page, "#editor .error", /king/);
    const tool = name => page.check(`#editor [aria-label="${name}"]`, {force: true});
    const square = async name => {
      const {x, y, width, height} = await page.locator(`.squares [data-at="${name}"]`).boundingBox();
      return [x + width / 2, y + height / 2];
    };
    await tool("white king");
    await page.mouse.click(...await square("e1"));
    await tool("white rook");
    await page.mouse.click(...await square("h1"));
    await page.mouse.click(...await square("a1"));
    await page.mouse.click(...await square("a1"));  // a second click removes the piece
    await tool("black king");
    await page.focus('.squares [tabindex="0"]');
    await press(page, ...Array(7).fill("ArrowUp"), "Enter");
    await page.check("#editor label:has-text('White O-O') input >> nth=0");
    assert.equal(await text(page, "#editor output"), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    // Pieces can also be moved.
    await tool("move pieces");
    await page.mouse.move(...await square("e8"));
    await page.mouse.down();
    await page.mouse.move(...await square("d7"), {steps: 4});
    await page.mouse.move(...await square("d8"), {steps: 4});
    await page.mouse.up();
    await says(page, "#editor output", "3k4/8/8/8/8/8/8/4K2R w K - 0 1");
    await page.selectOption("#editor select >> nth=0", "b");
    await page.click("#editor button:has-text('Use this position')");
    await page.waitForSelector("#editor", {state: "hidden"});
    assert.equal(await page.inputValue("#fen"), "3k4/8/8/8/8/8/8/4K2R b K - 0 1");
    assert.equal(await text(page, "#turn"), "Black to move");
    assert.equal(await page.evaluate(() => document.activeElement.id), "edit");
    // Closing set-up mode without using the position leaves the board unchanged.
    await page.click("#edit");
    await page.click("#editor button:has-text('Start position')");
    await press(page, "Escape");
    await page.waitForSelector("#editor", {state: "hidden"});
    assert.equal(await page.evaluate(() => document.activeElement.id), "edit");
    await placed(page, "d8", "bk");
    await placed(page, "e2", null);
  },

  async "moves are called as people prefer"() {
    const page = await visit({hash: "#fen=kiwipete&moves=e1g1_h3g2_g1g2&depth=2"});
    assert.equal(await text(page, "#crumbs"), "Roote1g1h3g2g1g2");
    await page.selectOption("#notation", "san");
    await says(page, "#crumbs", "RootO-Ohxg2Kxg2");  // the board has never shown the positions in between
    await page.click("#crumbs button:first-child");
    await page.waitForSelector("#moves button:has-text('Qxf6')");
    await count(page, 2);
    await page.waitForSelector('#divide [data-move="f3f6"]:text-is("Qxf6")');
    assert.equal(await page.$eval('#divide [data-path="f3f6"] .beside', node => node.textContent), "f3f6");
    await page.selectOption("#notation", "figurine");
    assert.equal(await text(page, '#divide [data-move="f3f6"]'), "♕xf6");
    await page.reload();
    await says(page, "#legal-count", "48 legal moves");
    await page.waitForSelector("#moves button:has-text('♕xf6')");
  },

  "nothing moves under the pointer: not with a move, a count, an error": () => nothingMoves({width: 1280, height: 800}),

  async "jobs come third: only mine, removed, hidden, and still so after a reload"() {
    const page = await visit();
    const others = await finished(page, unheard());
    await count(page, 3);
    const mine = await page.getAttribute('.job[aria-current="true"]', "data-job");
    await look(page);
    await page.waitForSelector(`.job[data-job="${others.id}"]`);
    await page.check("#jobs-mine");
    await page.waitForSelector(`.job[data-job="${others.id}"]`, {state: "detached"});
    await page.waitForSelector(`.job[data-job="${mine}"]`);
    await page.uncheck("#jobs-mine");
    await page.click(`[data-remove="${others.id}"]`);
    await page.waitForSelector(`.job[data-job="${others.id}"]`, {state: "detached"});
    assert.equal((await page.request.get(new URL(`/v1/jobs/${others.id}`, page.url()).href)).status(), 404);
    await page.click("#jobs-fold > summary");
    await page.waitForFunction(() => document.querySelector("#jobs-fold:not([open])") && localStorage.getItem("jobs") === "hidden");
    await page.reload();
    await says(page, "#legal-count", "20 legal moves");
    assert.ok(await page.isHidden("#jobs"));
    await page.click("#jobs-fold > summary");
    await page.check("#jobs-mine");
    await page.waitForSelector(`.job[data-job="${mine}"]`);
  },

  async "long lists are cut, and shown whole at a press: legal moves, jobs"() {
    const page = await visit({hash: "#fen=kiwipete"});
    const isCut = () => page.$eval("#moves", moves => moves.scrollHeight > moves.clientHeight + 4);
    await says(page, "#all-moves", "Show all 48");
    assert.ok(await isCut());
    await page.click("#all-moves");
    await says(page, "#all-moves", "Show fewer");
    assert.ok(!await isCut());
    for (let jobs = 0; jobs < 7; ++jobs) await finished(page, unheard());
    await look(page);
    await says(page, "#more", /^Show \d+ more$/);
    await page.waitForFunction(() => document.querySelectorAll("#jobs .job").length === 5);
    const [more] = /\d+/.exec(await text(page, "#more"));
    await page.click("#more");
    await page.waitForFunction(all => document.querySelectorAll("#jobs .job").length === all, 5 + Number(more));
    assert.ok(await page.isHidden("#more"));
  },

  async "lines of controls are seen, and letters on squares: contrast by computation"() {
    const page = await visit();
    const layers = await page.$$eval("#board .pieces > * > svg > g, #board svg > g", all => all.map(({classList}) => classList[0]));
    assert.ok(layers.indexOf("markers-layer") < layers.indexOf("coordinates"), String(layers));  // so marks do not dim letters
    await page.selectOption("#presets", {label: "Kiwipete"});
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({colorScheme});
      const lines = await page.evaluate(() => {
        const behind = node => {
          const {backgroundColor} = getComputedStyle(node);
          return /, 0\)$/.test(backgroundColor) ? behind(node.parentElement) : backgroundColor;
        };
        return [...document.querySelectorAll("main button, main input, main select, main textarea, header button, header select")]
          .filter(node => node.checkVisibility() && !node.disabled && getComputedStyle(node).borderTopWidth !== "0px" && node.type !== "checkbox")
          .map(node => [node.id || node.textContent, getComputedStyle(node).borderTopColor, behind(node.parentElement), behind(node)]);
      });
      assert.ok(lines.length > 10);
      for (const [what, line, outside, inside] of lines) {
        const seen = Math.max(await contrast(page, line, outside), await contrast(page, inside, outside));
        assert.ok(seen >= 3, `${what}: ${seen.toFixed(2)}, ${colorScheme}`);
      }
      const {letter, squares, edge, card, bar} = await page.evaluate(() => {
        const colour = (node, name) => getComputedStyle(node)[name];
        const line = document.querySelector("#bar");
        const shown = name => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = `var(${name})`;
          const value = getComputedStyle(probe).color;
          probe.remove();
          return value;
        };
        return {letter: colour(document.querySelector(".coordinate"), "fill"),
          squares: ["white", "black"].map(kind => colour(document.querySelector(`#board .square.${kind}`), "fill")),
          edge: colour(line, "borderTopColor"), card: shown("--card"), bar: shown("--bar")};
      });
      for (const square of squares) assert.ok(await contrast(page, letter, square) >= 4.5, `letters on ${square}, ${colorScheme}`);
      assert.ok(await contrast(page, edge, card) >= 3, `the track of progress, ${colorScheme}`);
      assert.ok(await contrast(page, bar, card) >= 3, `bars of shares, ${colorScheme}`);
    }
  },

  async "fingers find what they look for: targets of 44 pixels, fields that are not zoomed into"() {
    const page = await visit({viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true});
    await count(page, 3);
    for (const card of ["#depths-card", "#trust", "#legal"]) await page.click(`${card} summary`);
    const small = () => page.$$eval("button, input, select, textarea, summary", all => all
      .filter(node => node.checkVisibility() && !node.closest("#moves") && node.type !== "checkbox" && node.getBoundingClientRect().height < 43.9)
      .map(node => node.id || node.textContent));
    assert.deepEqual(await small(), []);
    const fields = () => page.$$eval("input:not([type=checkbox]), select, textarea", all => all
      .filter(node => parseFloat(getComputedStyle(node).fontSize) < 16).map(node => node.id));
    assert.deepEqual(await fields(), []);
    await page.click("#edit");
    assert.deepEqual(await small(), []);
    await page.click("#editor button:has-text('Cancel')");
    await turnTo(page, "hunt");
    assert.deepEqual([...await small(), ...await fields()], []);
  },
};

export const slow = {
  "nothing moves under the pointer, nor with a wait": () => nothingMoves({width: 1280, height: 800}, {counting: true}),

  "nothing moves under the pointer, on a phone": () => nothingMoves({width: 390, height: 844}),
};
