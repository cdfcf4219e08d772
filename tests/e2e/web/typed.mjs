// Typed text must never be lost or replaced, even if responses arrive late or in another order.
import assert from "node:assert/strict";
import {answered, ask, bareKings, count, done, finished, held, idle, kiwipete, line, look, ours, printed, ready, says, slow as slowed,
        text, total, turnTo, visit, visitSources} from "./harness.mjs";

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const positions = page => held(page, "**/v1/position?*");
const posts = page => held(page, "**/v1/jobs", request => request.method() === "POST");
/** Types as users do: selects the old text first. */
async function type(page, field, words) {
  await page.focus(field);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(words);
}
/**
 * Selects a job of Kiwipete in the list. Resolves to the request that the page then sends; its response is held back.
 */
async function choose(page) {
  const {id} = await finished(page, {fen: kiwipete, depth: 1});
  await look(page);
  await page.waitForSelector(`.job[data-job="${id}"]`);
  const answers = await held(page, `**/v1/jobs/${id}`);
  await page.click(`.job[data-job="${id}"]`);
  return answers.next();
}
const value = (page, field) => page.inputValue(field);
const play = (page, move) => page.click(`#moves button:has-text('${move}')`);

export const tests = {
  async "what is typed in the box when an older text is answered, or refused, stays"() {
    const page = await visit();
    const answers = await positions(page);
    for (const [older, newer] of [["nonsense", kiwipete], [bareKings, kiwipete.replace(/1$/, "2")]]) {
      await type(page, "#fen", older);
      await page.keyboard.press("Enter");
      const first = await answers.next();
      await type(page, "#fen", newer);
      await answered(page, first);
      assert.equal(await value(page, "#fen"), newer, older);
      assert.equal(await text(page, "#fen-error"), "", older);  // the error belongs to another text
      await page.keyboard.press("Enter");
      await answered(page, await answers.next());
      await says(page, "#legal-count", "48 legal moves");
    }
  },

  async "until the answer comes, a press is seen to work, and a piece stays where it was put"() {
    const page = await visit();
    const answers = await positions(page), counts = await posts(page);
    const piece = (name, square, state = "attached") => page.waitForSelector(`#board [data-piece="${name}"][data-square="${square}"]`, {state});
    const isBusy = async selector => await page.getAttribute(selector, "aria-busy") === "true";
    const centre = async square => {
      const {x, y, width, height} = await page.locator(`.squares [data-at="${square}"]`).boundingBox();
      return [x + width / 2, y + height / 2];
    };
    await page.mouse.move(...await centre("e2"));
    await page.mouse.down();
    await page.mouse.move(...await centre("e3"), {steps: 4});
    await page.mouse.move(...await centre("e4"), {steps: 4});
    await page.mouse.up();
    const dragged = await answers.next();
    await piece("wp", "e4");
    await piece("wp", "e2", "detached");
    assert.ok(await isBusy("#question"));
    await answered(page, dragged);
    await says(page, "#crumbs", "Roote2e4");
    assert.ok(!await isBusy("#question"));
    await page.click("#back");
    await says(page, "#legal-count", "20 legal moves");
    await play(page, "d2d4");
    const pressed = await answers.next();
    assert.ok(await isBusy("#moves button:has-text('d2d4')"));
    await answered(page, pressed);
    await says(page, "#crumbs", "Rootd2d4");
    // If the request fails, the piece goes back.
    await page.route("**/v1/position?*", route => route.abort());
    await play(page, "e7e5");
    await says(page, "#fen-error", /does not answer/);
    await piece("bp", "e7");
    await piece("bp", "e5", "detached");
    await page.click("#back");  // the page does not request a known position again
    await page.waitForSelector("#crumbs", {state: "hidden"});
    await piece("wp", "d2");
    for (const control of ["#submit .primary", ".job >> nth=0"]) {
      await page.fill("#depth", "2");
      const held_ = control === ".job >> nth=0" ? await held(page, "**/v1/jobs/*") : counts;
      await page.click(control);
      const asked = await held_.next();
      assert.ok(await isBusy(control), control);
      await answered(page, asked);
      await done(page, "Perft(2) of Start position");
      await page.waitForFunction(() => !document.querySelector("button[aria-busy='true']"));
    }
  },

  async "while an answer is on its way, presses take their turn, and those that it makes pointless are refused in words"() {
    const page = await visit();
    await count(page, 3);
    const answers = await positions(page);
    const refusal = what => says(page, "#moment", `${what}. Wait: e2e4 is still being played.`);
    // Press moves of a position that is about to change: in the list, on the board, in the divide. Pressing the same
    // move twice plays it once.
    await play(page, "e2e4");
    const moved = await answers.next();
    await play(page, "e2e4");
    assert.equal(await text(page, "#moment"), "");
    await play(page, "d2d4");
    await refusal("d2d4 was not played");
    await page.click('.squares [data-at="d2"]', {force: true});
    await refusal("That piece was not moved");
    await page.click('#divide [data-move="c2c4"]');
    await refusal("c2c4 was not played");
    // If the user presses Count now, the page counts the requested position when it arrives.
    await page.fill("#depth", "1");
    await page.click("#submit .primary");
    await answered(page, moved);
    await done(page, "Perft(1) of Start position after e2e4");
    assert.equal(await text(page, "#moment"), "");
    // Back and Forth, too, start from the position to which the previous press leads.
    await play(page, "e7e5");
    await answered(page, await answers.next());
    await play(page, "g1f3");
    const third = await answers.next();
    await page.click("#back");
    await says(page, "#crumbs", "Roote2e4e7e5");
    await answered(page, third);
    assert.equal(await line(page), "Roote2e4e7e5");
    answers.off();
    await page.goto(page.url().replace(/#.*/, "#moves=e2e4_e7e5_g1f3_b8c6&depth=2"));
    await page.reload();
    await says(page, "#crumbs", "Roote2e4e7e5g1f3b8c6");
    for (let moves = 4; moves > 0; --moves) await page.click("#back");
    await page.waitForSelector("#crumbs", {state: "hidden"});
    await page.evaluate(() => { for (let moves = 0; moves < 3; ++moves) document.querySelector("#forth").click(); });
    await says(page, "#crumbs", "Roote2e4e7e5g1f3");
    // Press controls while the position of a selected job is not known yet.
    const chosen = await choose(page);
    for (const [control, what] of [["#moves button >> nth=0", / was not played$/], ["#back", /^No move was taken back$/], ["#forth", /^No move was played$/]]) {
      await page.click(control);
      await says(page, "#moment", new RegExp(`${what.source.replace("$", "")}\\. Wait: another position is still being set up\\.`));
    }
    await answered(page, chosen);
    await done(page, "Perft(1) of Kiwipete");
    assert.equal(await text(page, "#moment"), "");
  },

  async "a depth that is typed while a count is unanswered stays, across a reload, too"() {
    const page = await visit();
    const answers = await posts(page);
    await ask(page, 3);
    const one = await answers.next();
    await type(page, "#depth", "1");
    await answered(page, one);
    await done(page, "Perft(3) of");
    await page.keyboard.type("0");
    assert.equal(await value(page, "#depth"), "10");
    assert.match(page.url(), /depth=10&job=\d+$/);
    await page.reload();
    await done(page, "Perft(3) of");
    assert.equal(await value(page, "#depth"), "10");
  },

  async "Count counts what stood there when it was pressed"() {
    const page = await visit();
    const answers = await positions(page);
    await page.fill("#depth", "2");
    await type(page, "#fen", kiwipete);
    await page.click("#submit .primary");
    const one = await answers.next();
    await type(page, "#depth", "1");
    await type(page, "#fen", bareKings);
    await answered(page, one);
    await done(page, "Perft(2) of Kiwipete");
    assert.equal(await value(page, "#depth"), "1");
    assert.equal(await value(page, "#fen"), bareKings);
    await page.click("#submit .primary");
    await answered(page, await answers.next());
    await done(page, `Perft(1) of ${bareKings}`);
  },

  async "an older count does not replace a newer one"() {
    const page = await visit();
    const answers = await posts(page);
    await ask(page, 3);
    const older = await answers.next();
    await ask(page, 2);
    const newer = await answers.next();
    await answered(page, newer);
    await done(page, "Perft(2) of");
    await answered(page, older);
    assert.match(await text(page, "#result-title"), /^Perft\(2\) of/);
    assert.equal(await total(page), "400");
  },

  async "to stay where one is, is an answer to a move that is on its way"() {
    const page = await visit();
    const answers = await positions(page);
    await play(page, "e2e4");
    const moved = await answers.next();
    await page.selectOption("#presets", {label: "Start position"});
    await answered(page, moved);
    assert.equal(await line(page), "");
    assert.equal(await value(page, "#fen"), start);
  },

  async "take back, pressed twice, is two moves"() {
    const page = await visit({hash: "#moves=e2e4_e7e5_g1f3&depth=2"});
    const answers = await positions(page);
    await page.click("#back");
    const first = await answers.next();
    await page.click("#back");
    const second = await answers.next();
    await answered(page, second);
    await answered(page, first);
    assert.equal(await line(page), "Roote2e4");
  },

  async "a depth that was typed is not another one after a move and back, whatever was counted there"() {
    const page = await visit();
    await count(page, 4);
    await page.fill("#depth", "3");
    await play(page, "e2e4");
    await says(page, "#crumbs", "Roote2e4");
    await page.click("#back");
    await says(page, "#legal-count", "20 legal moves");
    await page.waitForSelector("#crumbs", {state: "hidden"});
    await idle(page);
    assert.equal(await value(page, "#depth"), "3");
    assert.ok(await page.isHidden("#result"));
  },

  async "mode and tab that are chosen while a job is fetched stay"() {
    const page = await visit();
    const chosen = await choose(page);
    await page.selectOption("#mode", "stats");
    await turnTo(page, "hunt");
    await answered(page, chosen);
    await says(page, "#legal-count", "48 legal moves");
    assert.equal(await value(page, "#mode"), "stats");
    assert.ok(await page.isVisible("#hunt"));
  },

  async "a promotion of a position that has gone is not played in another"() {
    const page = await visit({hash: "#fen=7k/P7/8/8/8/8/8/K7_w_-_-_0_1"});
    const asked = [];
    page.on("request", request => asked.push(decodeURIComponent(request.url())));
    for (const move of ["a1b1", "h8g8"]) {
      await play(page, move);
      await says(page, "#crumbs", new RegExp(`${move}$`));
    }
    await page.evaluate(() => scrollTo(0, 0));
    for (const name of ["a7", "a8"]) {
      const box = await page.locator(`#board [data-square="${name}"]`).first().boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    }
    await page.waitForSelector("dialog[open] button");
    await page.goBack();
    await says(page, "#crumbs", "Roota1b1");
    await page.click("dialog[open] button >> nth=0");
    await idle(page);
    assert.equal(await line(page), "Roota1b1");
    assert.deepEqual(asked.filter(address => /a7a8/.test(address)), []);
  },

  async "what is pasted while a comparison is unanswered stays, and so does the focus"() {
    const page = await visit();
    await page.fill("#depth", "3");
    await turnTo(page, "hunt");
    const answers = await held(page, "**/v1/diff");
    const wrong = printed((await ours(page, "startpos", [], 3)).map(row => row.move === "e2e4" ? {...row, nodes: "599"} : row));
    await page.fill("#pasted", wrong);
    await page.click("#diff-form .primary");
    const one = await answers.next();
    await page.fill("#pasted", "the next one");
    await page.focus("#depth");
    await answered(page, one);
    await says(page, "#crumbs", "Roote2e4");
    assert.equal(await value(page, "#pasted"), "the next one");
    assert.equal(await page.evaluate(() => document.activeElement.id), "depth");
    // An error message belongs to the text for which the comparison was requested.
    await page.fill("#pasted", "nothing of the kind");
    await page.click("#diff-form .primary");
    const refused = await answers.next();
    await page.fill("#pasted", "something else");
    await answered(page, refused);
    assert.equal(await text(page, "#diff-error"), "");
    await page.reload();
    await says(page, "#crumbs", "Roote2e4");
    assert.equal(await value(page, "#pasted"), "something else");
    // While the user types a depth, an intermediate number may hide steps. The final number must show them again.
    await type(page, "#depth", "12");
    assert.equal(await page.$$eval("#trail > li", all => all.length), 0);
    await type(page, "#depth", "2");
    assert.equal(await page.$$eval("#trail > li", all => all.length), 1);
  },

  async "what is typed outlives a reload, and going away and coming back"() {
    const page = await visit();
    await page.fill("#depth", "1x");
    await type(page, "#fen", "r3k2r/half");
    await page.reload();
    await ready(page);
    assert.equal(await value(page, "#fen"), "r3k2r/half");
    assert.equal(await value(page, "#depth"), "1x");
    assert.match(await text(page, "#depth-error"), /whole number/);
    await page.selectOption("#presets", {label: "Kiwipete"});
    await says(page, "#legal-count", "48 legal moves");
    assert.equal(await value(page, "#fen"), kiwipete);
    await page.goBack();
    await says(page, "#legal-count", "20 legal moves");
    assert.equal(await value(page, "#fen"), "r3k2r/half");
    assert.equal(await value(page, "#depth"), "1x");
    await page.goForward();
    await says(page, "#legal-count", "48 legal moves");
    assert.equal(await value(page, "#fen"), kiwipete);
  },

  async "what is typed before the page has come to life stays"() {
    let scripts;
    const page = await visit({early: true, before: async page => { scripts = await held(page, "**/assets/app.*.js"); }});
    const script = await scripts.next();
    await page.fill("#fen", kiwipete);
    await page.fill("#depth", "3");
    await page.press("#fen", "Enter");
    assert.equal(new URL(page.url()).search, "");  // the browser did not submit a form by itself
    script.release();
    await ready(page);
    assert.equal(await value(page, "#fen"), kiwipete);
    assert.equal(await value(page, "#depth"), "3");
    await page.click("#submit .primary");
    await done(page, "Perft(3) of Kiwipete");
    assert.equal(await total(page), "97862");
  },

  async "Count counts the position of a link whose first answer was lost"() {
    let away = true, lost;
    const page = await visit({early: true, hash: "#fen=kiwipete&depth=2", before: async page => {
      await page.route("**/v1/position?*", route => away ? route.abort() : route.fallback());
      lost = page.waitForEvent("requestfailed", request => request.url().includes("/v1/position?"));
    }});
    await lost;
    await idle(page);
    away = false;
    await page.click("#submit .primary");
    await done(page, "Perft(2) of Kiwipete");
    assert.equal(await total(page), "2039");
  },

  async "numbers are read in the digits and groups of people's languages"() {
    const page = await visitSources({locale: "de-DE"});
    const read = text => page.evaluate(async text => (await import("/source/format.js")).wholeNumber(text), text);
    for (const [written, number] of [["12", 12], [" 7 ", 7], ["1 000", 1000], ["1\u202f000\u202f000", 1e6], ["1.000.000", 1e6],
      ["1,000,000", 1e6], ["10,00,000", 1e6], ["1'000", 1000], ["١٢٣", 123], ["१२", 12], ["１２", 12], ["", null], ["1.5", null], ["1,5", null],
      ["-3", null], ["1e3", null], ["1,000.000", null], ["12x", null], ["1 2", null], ["99999999999999999", null]]) {
      assert.equal(await read(written), number, written);
    }
    await page.selectOption("#mode", "estimate");
    await type(page, "#samples", "1.000");
    await type(page, "#depth", "٩");
    await page.keyboard.press("ArrowDown");
    assert.equal(await value(page, "#depth"), "8");
    assert.match(page.url(), /depth=8&mode=estimate&samples=1000/);
    assert.equal(await value(page, "#samples"), "1.000");
  },
};

export const slow = {
  async "what is changed while a way into the divide is unanswered stays"() {
    const page = await visit();
    await count(page, 3);
    const answers = await positions(page);
    await page.click('#divide [data-move="e2e4"]');
    const one = await answers.next();
    await type(page, "#depth", "1");
    await page.selectOption("#mode", "stats");
    await answered(page, one);
    await done(page, "Perft(2) of Start position after e2e4");  // the position is known from before
    await page.keyboard.press("Escape");
    assert.equal(await value(page, "#depth"), "1");
    assert.equal(await value(page, "#mode"), "stats");
  },

  async "a job, a link and a way back are given up for whatever is asked next"() {
    const page = await visit();
    const chosen = await choose(page);
    await page.selectOption("#presets", {label: "Start position"});
    await answered(page, chosen);
    assert.equal(await line(page), "");
    assert.ok(await page.isHidden("#result"));
    await play(page, "e2e4");
    await says(page, "#crumbs", "Roote2e4");
    // If a move is taken back before its response arrives, the board shows the previous position.
    const moves = await positions(page);
    await play(page, "e7e5");
    const move = await moves.next();
    await page.click("#back");
    await answered(page, move);
    assert.equal(await line(page), "Roote2e4");
    // Going back in the browser has priority over an earlier move, too.
    await play(page, "d7d5");
    const later = await moves.next();
    await page.goBack();
    await page.waitForSelector("#crumbs", {state: "hidden"});
    await answered(page, later);
    assert.doesNotMatch(page.url(), /d7d5/);
    assert.doesNotMatch(await line(page), /d7d5/);
  },

  async "a FEN that is typed while a move is on its way is what is counted"() {
    for (const order of ["the move's answer first", "the move's answer last", "the move's answer before Count is pressed"]) {
      const page = await visit();
      const answers = await positions(page);
      await page.fill("#depth", "3");
      await play(page, "e2e4");
      const moved = await answers.next();
      await type(page, "#fen", kiwipete);
      if (/before/.test(order)) {
        await answered(page, moved);
        assert.equal(await line(page), "Roote2e4", order);
        assert.equal(await value(page, "#fen"), kiwipete, order);
      }
      await page.click("#submit .primary");
      const typed = await answers.next();
      assert.match(decodeURIComponent(typed.request.url()), /fen=r3k2r/);
      for (const one of /first/.test(order) ? [moved, typed] : /last/.test(order) ? [typed, moved] : [typed]) await answered(page, one);
      await done(page, "Perft(3) of");
      assert.equal(await text(page, "#result-title"), "Perft(3) of Kiwipete", order);
      assert.equal(await total(page), "97862", order);
      assert.equal(await value(page, "#fen"), kiwipete, order);
      assert.equal(await line(page), "", order);
    }
  },

  async "what an address says wrongly is said where it belongs"() {
    for (const [depth, shown] of [["4x", "4x"], ["99", "99"]]) {
      const page = await visit({hash: `#fen=kiwipete&depth=${depth}`});
      assert.equal(await value(page, "#depth"), shown);
      await says(page, "#depth-error", "The depth must be a whole number from 0 to 32.");
    }
    const page = await visit({hash: "#mode=quick"});
    assert.match(await text(page, "#submit-error"), /"quick"/);
    const moved = await visit({hash: "#moves=e2e5"});
    await says(moved, "#fen-error", /e2e5/);
    assert.equal(await value(moved, "#fen"), "startpos moves e2e5");
  },

  async "a FEN that is pasted while a move is on its way is what is counted, on a slow processor, too"() {
    const page = await visit();
    await slowed(page, 8);
    for (const [depth, paths] of [["2", "2039"], ["1", "48"], ["3", "97862"]]) {
      await page.selectOption("#presets", {label: "Start position"});
      await says(page, "#legal-count", "20 legal moves");
      await page.fill("#depth", depth);
      // Paste in one step, as users do, while the move has no response yet.
      await page.evaluate(fen => {
        document.querySelector("#moves button").click();
        const box = document.querySelector("#fen");
        box.focus();
        box.value = fen;
        box.dispatchEvent(new Event("input", {bubbles: true}));
      }, kiwipete);
      await says(page, "#crumbs", "Roota2a3");  // now the response has arrived
      await page.click("#submit .primary");
      await done(page, `Perft(${depth}) of`);
      assert.equal(await text(page, "#result-title"), `Perft(${depth}) of Kiwipete`);
      assert.equal(await total(page), paths);
    }
  },
};
