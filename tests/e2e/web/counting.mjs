// Tests of positions, counts and results.
import assert from "node:assert/strict";
import {ask, bareKings, busy, cancel, count, done, finished, fits, idle, kiwipete, line, paste, ready, says, shoot, text, total, turnTo,
        visit} from "./harness.mjs";

/** No short lane, so that all jobs wait in the queue, because these tests check how the page shows waiting jobs. */
export const server = {options: ["--short-limit", "0"]};

async function staysUnderPress(width) {
  const page = await visit({viewport: {width, height: 800}});
  await page.fill("#depth", "2");
  for (const [typed, wanted] of [["nonsense", null], [kiwipete, "Perft(2) of Kiwipete"]]) {
    await page.fill("#fen", typed);
    const button = page.locator("#submit .primary");
    await button.scrollIntoViewIfNeeded();
    const {x, y, width: wide, height} = await button.boundingBox();
    await page.mouse.move(x + wide / 2, y + height / 2);
    const answered = page.waitForResponse(/position/);
    await page.mouse.down();  // the box loses the focus, so the page sends its text to the server
    await (await answered).finished();
    await idle(page);
    assert.deepEqual(await button.boundingBox(), {x, y, width: wide, height});
    await page.mouse.up();
    if (wanted) await done(page, wanted);
    else await page.waitForFunction(() => document.querySelector("#fen") === document.activeElement);
  }
}

export const tests = {
  async "a count agrees with the published value"() {
    const page = await visit();
    assert.equal(await count(page, 5), "4865609");
    assert.match(await text(page, "#verdict"), /^Agrees/);
    assert.equal(await text(page, "#total .count"), "4\u202f865\u202f609");
    // The result names the method in a sentence. The page names what it counts, and begins with a default mode.
    assert.equal(await text(page, "#result-title"), "Perft(5) of Start position");
    assert.match(await text(page, "#status"), /^Counted (by configurations|with a table|without a table) in \d/);
    for (const place of ["title", "h1", "#about"]) assert.match(await text(page, place), /perft/, place);
    assert.match(await text(page, "#mode option"), /^count: /);
    return page;
  },

  async "what is in the box is what is asked about"() {
    const page = await visit();
    await page.fill("#fen", kiwipete);
    await ask(page, 3);
    await done(page, "Perft(3) of");
    assert.equal(await total(page), "97862");
    assert.equal(await text(page, "#result-title"), "Perft(3) of Kiwipete");

    // An invalid position is refused at the box. Nothing is counted or compared.
    await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
    const asked = [];
    page.on("request", request => request.method() === "POST" && asked.push(request.url()));
    await page.click("#submit .primary");
    await says(page, "#fen-error", /king/);
    assert.equal(await page.getAttribute("#fen", "aria-invalid"), "true");
    assert.ok(await page.$eval("#fen", box => box === document.activeElement));
    await turnTo(page, "hunt");
    await paste(page, "a1a1: 1");
    await page.waitForFunction(() => document.querySelector("#fen") === document.activeElement);
    assert.deepEqual(asked, []);

    await page.fill("#fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    await page.fill("#depth", "1");
    await paste(page, "e1g1: 1");
    await page.waitForSelector("#trail .differs");
    assert.equal(await page.$$eval("#trail tbody tr", all => all.length), 15);
  },

  "nothing moves away under a press": () => staysUnderPress(1280),

  async "what is in the box may be what is on the board"() {
    const page = await visit();
    const board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    for (const [typed, counters] of [["startpos", "0 1"], ["", "0 1"], [`${board} 4 7`, "4 7"], ["startpos", "0 1"]]) {
      await page.fill("#fen", typed);
      await ask(page, 2);
      await says(page, "#total .count", "400");
      await page.waitForFunction(fen => document.querySelector("#fen").value === fen, `${board} ${counters}`);
    }
    await page.fill("#fen", "nonsense");
    await page.selectOption("#presets", {label: "Start position"});
    await page.waitForFunction(() => /^rnbq/.test(document.querySelector("#fen").value));
  },

  async "a result leaves with its position"() {
    const page = await visit();
    await count(page, 3);
    assert.equal(await text(page, "#result-title"), "Perft(3) of Start position");
    const [, id] = /job=(\d+)/.exec(page.url());
    await page.click("#moves button:has-text('e2e4')");
    await says(page, "#crumbs", "Roote2e4");
    assert.ok(await page.isHidden("#result"));
    assert.ok(await page.isHidden("#evidence"));
    assert.doesNotMatch(page.url(), /job=/);
    await count(page, 2);
    assert.equal(await text(page, "#result-title"), "Perft(2) of Start position after e2e4");
    await page.click(`.job[data-job="${id}"]`);  // the job is still in the list
    await done(page, "Perft(3) of Start position");
    assert.equal(await line(page), "");
  },

  async "rates are never nonsense"() {
    const page = await visit();
    // Recorded from a server whose numbers had overflowed.
    await page.route("**/v1/jobs", async route => {
      const answer = await route.fetch();
      const job = await answer.json();
      if (job.report) Object.assign(job.report, {leaves_per_second: -9223372036854775808, visited_per_second: -1, visited: 5, seconds: 0});
      return route.fulfill({response: answer, json: job});
    });
    await count(page, 2);
    await count(page, 2);  // the result is known, so the response contains the report
    await says(page, "#facts", /^(?!.*(-|\/s))Threads/);
  },

  async "counts keep every digit"() {
    const page = await visit();
    await page.fill("#depth", "13");
    assert.equal(await page.getAttribute("#published .count", "data-digits"), "1981066775000396239");
    const copied = await page.evaluate(() => {
      getSelection().selectAllChildren(document.querySelector("#published .count"));
      const event = new ClipboardEvent("copy", {clipboardData: new DataTransfer(), cancelable: true});
      document.dispatchEvent(event);
      return event.clipboardData.getData("text/plain");
    });
    assert.equal(copied, "1981066775000396239");
  },

  async "the divide sorts, descends and climbs"() {
    const page = await visit();
    await count(page, 4);
    await page.click("#divide th:nth-child(2) button");
    await says(page, "#divide tbody tr:first-child .move", "e2e4");
    await page.click('#divide [data-move="e2e4"]');
    await done(page, "Perft(3) of");
    assert.equal(await total(page), "13160");
    await page.click("#crumbs button:first-child");
    await done(page, "Perft(4) of");
    assert.equal(await total(page), "197281");
  },

  async "distinct positions are shown ply by ply"() {
    const page = await visit();
    assert.equal(await count(page, 5, "unique"), "822518");
    assert.match(await text(page, "#total"), /distinct positions/);
    assert.equal(await text(page, "#verdict"), "The numbers of distinct positions and paths agree with the published ones.");
    assert.deepEqual(await page.$$eval("#plies tbody tr", rows => rows.map(({cells}) =>
      [cells[0].textContent, ...[1, 2].map(i => cells[i].querySelector(".count").dataset.digits)])),
      [["5", "822518", "4865609"], ["4", "72078", "197281"], ["3", "5362", "8902"], ["2", "400", "400"], ["1", "20", "20"],
       ["0", "1", "1"]]);
    for (const card of ["#trust", "#table-card", "#divide-card", "#stats-card"]) assert.ok(await page.isHidden(card), card);
    assert.deepEqual(await page.$$eval("#exports button", all => all.map(button => button.textContent)), ["json", "csv"]);
    await shoot(page, "unique-desktop");
    await page.setViewportSize({width: 360, height: 900});
    await fits(page, 360);
    await shoot(page, "unique-phone");
    await count(page, 3);
    assert.ok(await page.isHidden("#plies-card"));
  },

  async "an estimate comes with its interval"() {
    const page = await visit();
    assert.ok(await page.isHidden("#samples"));
    const asked = [];
    page.on("request", request => request.method() === "POST" && asked.push(request.url()));
    await page.selectOption("#mode", "estimate");
    await page.fill("#samples", "50");  // too few: the form shows an error and sends no request
    await page.fill("#depth", "9");
    await page.click("#submit .primary");
    await says(page, "#samples-error", "The number of samples must be a whole number from 100 to 1000000000.");
    assert.ok(await page.$eval("#samples", field => field === document.activeElement && field.getAttribute("aria-invalid") === "true"));
    assert.deepEqual(asked, []);
    await page.fill("#samples", "400");
    await page.fill("#seed", "3");
    await page.click("#submit .primary");
    await done(page, "Estimated perft(9) of");
    assert.match(await text(page, "#total .count"), /^≈ 2\.\d{5} × 10¹²$/);
    assert.match(await text(page, "#interval"), /99 %: 2\.\d{5} × 10¹² to 2\.\d{5} × 10¹²/);
    assert.match(await text(page, "#verdict"), /interval/);
    assert.ok(await page.isHidden("#divide-card"));
    await says(page, '.job[aria-current="true"]', /≈ 2\./);
    await shoot(page, "estimate-desktop");
    await page.setViewportSize({width: 360, height: 900});
    await fits(page, 360);
    await shoot(page, "estimate-phone");
    await page.reload();
    await done(page, "Estimated perft(9) of");
    assert.equal(await page.inputValue("#samples"), "400");
  },

  async "both ways of counting stand side by side"() {
    const page = await visit();
    await count(page, 6);
    await page.click("#trust summary");
    await page.click("#versus button");
    await done(page, "Unhashed perft(6) of");
    assert.match(await text(page, "#versus .good"), /The totals agree/);
    await count(page, 4, "verify");
    assert.match(await text(page, "#verdict"), /both agree/);
  },

  async "a job is watched, found again after a reload, and cancelled"() {
    const page = await visit();
    await ask(page, 9, "unhashed");
    await page.waitForSelector("#plot canvas");
    assert.match(await page.title(), /^\d+\.\d+ % – Manyply: perft$/);
    const address = page.url();
    await page.reload();
    await page.waitForSelector("#plot canvas");
    assert.equal(page.url(), address);
    assert.equal(await text(page, "#result-title"), "Unhashed perft(9) of Start position");
    await shoot(page, "running");
    await page.click("#cancel");
    await page.waitForFunction(() => document.querySelector("#status").textContent === "Cancelled");
    assert.ok(await page.isHidden("#total"));
    assert.equal(await page.title(), "Manyply: perft");
    await page.waitForSelector('.job[aria-current="true"] .state.cancelled');
    await page.click("#again");
    await page.waitForFunction(() => /^(Counting|Waiting)/.test(document.querySelector("#status").textContent));
    assert.notEqual(page.url(), address);
    await page.click("#cancel");
    await says(page, "#status", "Cancelled");
  },

  async "moves are made on the board, by click and by drag"() {
    const page = await visit();
    const square = async name => {
      const box = await page.locator(`#board [data-square="${name}"]`).first().boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await page.mouse.click(...await square("e2"));
    await page.mouse.click(...await square("e4"));
    await says(page, "#crumbs", "Roote2e4");
    await page.waitForSelector('#board [data-piece="wp"][data-square="e4"]');
    await page.mouse.move(...await square("e7"));
    await page.mouse.down();
    await page.mouse.move(...await square("e6"), {steps: 4});
    await page.mouse.move(...await square("e5"), {steps: 4});
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelector("#crumbs").textContent === "Roote2e4e7e5");
    await page.fill("#fen", "8/8/8/8/8/8/8/8 w - - 0 1");
    await page.press("#fen", "Enter");
    await page.waitForFunction(() => document.querySelector("#fen-error").textContent);
    assert.equal(await text(page, "#crumbs"), "Roote2e4e7e5");
  },

  async "what is pasted is on the board at once"() {
    const page = await visit();
    await page.focus("#fen");
    await page.keyboard.press("Control+A");
    await page.evaluate(text => {
      const box = document.querySelector("#fen"), clipboardData = new DataTransfer();
      clipboardData.setData("text", text);
      box.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true}));
      box.value = text;
    }, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - ;D1 26 ;D2 568");
    await says(page, "#legal-count", "26 legal moves");
    assert.equal(await text(page, "#fen-note"), "Ignored: ;D1 26 ;D2 568");
    await page.fill("#fen", "8/8/8/8/8/8/8/K1k5");
    await ask(page, 1);
    await done(page, "Perft(1) of 8/8/8/8/8/8/8/K1k5 w - - 0 1");
    assert.match(await text(page, "#fen-note"), /^Read with White to move/);
    // A game in PGN, as the command accepts it. Its moves become the played moves.
    await page.fill("#fen", "1. e4 {best} e5 (1... c5) 2. Nf3 *");
    await page.press("#fen", "Enter");
    await says(page, "#legal-count", "29 legal moves");
    await says(page, "#crumbs", "Roote2e4e7e5g1f3");
  },

  async "positions that everybody counts are at hand"() {
    const page = await visit();
    for (const [name, moves] of [["Kiwipete", 48], ["Position 3", 14], ["Position 4", 6], ["Position 5", 44], ["Position 6", 46], ["Start position", 20]]) {
      await page.selectOption("#presets", {label: name});
      await says(page, "#legal-count", `${moves} legal moves`);
    }
    await page.selectOption("#presets", {label: "Random Chess960 start"});
    await page.waitForFunction(() => /fen=.*_w_[A-H]{2}[a-h]{2}_/.test(location.hash));
    await turnTo(page, "hunt");
    await says(page, "#commands", /^setoption name UCI_Chess960 value true/);
  },

  async "the whole divide is shown, each row's share, and the sum"() {
    const page = await visit();
    await page.selectOption("#presets", {label: "Kiwipete"});
    await says(page, "#legal-count", "48 legal moves");
    await count(page, 3);
    assert.equal(await page.$$eval("#divide tbody tr", all => all.length), 48);
    assert.equal(await page.getAttribute("#divide tfoot .count", "data-digits"), "97862");
    assert.equal(await text(page, "#divide tfoot th"), "48 moves");
    // No part of the page has its own scroll bar.
    assert.deepEqual(await page.$$eval("#work *", all => all.filter(node => node.scrollHeight > node.clientHeight + 1 &&
      /auto|scroll/.test(getComputedStyle(node).overflowY)).map(node => node.id || node.className)), []);
    const bars = await page.$$eval("#divide tbody tr", rows => rows.map(row =>
      [Number(row.querySelector(".count").dataset.digits), row.querySelector(".bar").getBoundingClientRect().width]));
    const [most, widest] = bars.reduce((a, b) => a[0] >= b[0] ? a : b);
    for (const [nodes, width] of bars) assert.ok(Math.abs(width - widest * nodes / most) < 2, `${nodes}: ${width} of ${widest}`);
  },

  async "a descent keeps the path that was asked for"() {
    const page = await visit();
    // The same position was counted before, after the same moves in another order.
    await finished(page, {fen: "startpos", moves: "d2d3 a7a6 c2c3", depth: 2});
    await page.click("#moves button:has-text('c2c3')");
    await says(page, "#crumbs", "Rootc2c3");
    await page.click("#moves button:has-text('a7a6')");
    await says(page, "#crumbs", "Rootc2c3a7a6");
    await count(page, 3);
    await page.click('#divide [data-move="d2d3"]');
    await done(page, "Perft(2) of Start position after c2c3 a7a6 d2d3");
    assert.equal(await line(page), "Rootc2c3a7a6d2d3");
    await page.click("#back");
    await done(page, "Perft(3) of Start position after c2c3 a7a6");
    assert.equal(await line(page), "Rootc2c3a7a6");
    await page.click("#back");  // the move was just played, so going back shows only the position
    await says(page, "#crumbs", "Rootc2c3");
    assert.equal(await page.inputValue("#depth"), "3");
    assert.ok(await page.isHidden("#result"));
  },

  async "what runs is in sight wherever one is, and a job says for which one it waits"() {
    for (const width of [1280, 390]) {
      const page = await visit({viewport: {width, height: 800}});
      const release = await busy(page);
      await ask(page, 9, "unhashed");
      await says(page, "#running", /^#\d+ Unhashed perft\(12\) · \d+\.\d+ %( · .* left)? · 1\swaiting$/);
      const id = await page.getAttribute("#running", "data-job");
      await says(page, "#status", `Waiting for job ${id}`);
      await says(page, '.job[aria-current="true"]', new RegExp(`^Waiting for job ${id}#`));
      await page.click("#cancel");
      await says(page, "#status", "Cancelled");
      await page.selectOption("#presets", {label: "Position 3"});
      await says(page, "#legal-count", "14 legal moves");
      await turnTo(page, "hunt");
      await page.evaluate(() => scrollTo(0, 200));
      await page.waitForFunction(() => {
        const {top, bottom} = document.querySelector("#running").getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
      await fits(page, width);
      await page.click("#running");
      await says(page, "#result-title", "Unhashed perft(12) of Kiwipete");
      await release();
      await page.waitForSelector("#running", {state: "hidden"});
    }
  },

  async "for which job one waits is known without the list of jobs"() {
    const page = await visit();
    const release = await busy(page);
    const running = await page.waitForFunction(async () => (await (await fetch("v1/jobs?state=running")).json()).jobs[0]?.id);
    await page.route("**/v1/jobs?*", route => route.abort());
    await page.reload();
    await ready(page);
    await ask(page, 9, "unhashed");
    await says(page, "#status", `Waiting for job ${await running.jsonValue()}`);
    await release();
    await says(page, "#status", /^(Counting|Splitting)/);
    await page.click("#cancel");
    await says(page, "#status", "Cancelled");
  },

  async "the clock goes on while nothing is heard"() {
    const page = await visit({alone: true});
    let streams = 0;
    await page.route("**/events", async route => {
      ++streams;
      let job;
      do job = await (await page.request.get(route.request().url().replace("/events", ""))).json(); while (job.state === "queued");
      return route.fulfill({contentType: "text/event-stream", body: `retry: 1000000\nid: 1\ndata: ${JSON.stringify(job)}\n\n`});
    });
    await ask(page, 9, "unhashed");
    await says(page, "#figures", /Elapsed[1-9]\d*\.\d s/);
    assert.equal(streams, 1);
    await cancel(page, await page.getAttribute(".job[aria-current='true']", "data-job"));
  },

  async "Count pressed twice is one job"() {
    const page = await visit();
    const asked = [];
    page.on("request", request => request.method() === "POST" && asked.push(request.postData()));
    const release = await busy(page);
    await page.fill("#depth", "10");
    await page.dblclick("#submit .primary");
    await says(page, "#status", /^Waiting/);
    await page.click("#submit .primary");
    assert.equal(asked.length, 1);
    // Another window does not submit the job again.
    const other = await visit();
    other.on("request", request => request.method() === "POST" && asked.push(request.postData()));
    await other.waitForSelector(".job .state.queued");
    await ask(other, 10);
    await says(other, "#status", /^Waiting/);
    assert.equal(asked.length, 1);
    await other.click("#cancel");
    await says(page, "#status", "Cancelled");
    await release();
  },

  async "the depth is what the server allows"() {
    const page = await visit({hash: `#fen=${bareKings.replaceAll(" ", "_")}`});
    await ask(page, 32);
    await done(page, "Perft(32) of");
    assert.match(await total(page), /^\d{27}$/);
    assert.doesNotMatch(await text(page, "#facts"), /-/);
    await ask(page, 33);
    await says(page, "#depth-error", /32/);
    assert.equal(await page.getAttribute("#depth", "aria-invalid"), "true");
    assert.ok(await page.$eval("#depth", field => field === document.activeElement));
    await page.fill("#depth", "65");
    await page.click("#submit .primary");
    await says(page, "#depth-error", "The depth must be a whole number from 0 to 32.");
    await page.fill("#depth", "3");
    assert.equal(await text(page, "#depth-error"), "");
  },

  async "what a running job tells"() {
    const progress = {phase: "", share: 0.5, units_done: 50, units_total: 100, resumed_units: 30, resumed: 0.3, leaves: 1e30, visited: 2e9,
                      seconds: 20, leaves_per_second: 5e28, visited_per_second: 1e8, seconds_left: 50};
    const page = await visit({alone: true});
    let told = progress;
    await page.route("**/events", async route => {
      const job = await (await page.request.get(route.request().url().replace("/events", ""))).json();
      return route.fulfill({contentType: "text/event-stream", body: `retry: 100\nid: 1\ndata: ${JSON.stringify({...job, state: "running", progress: told})}\n\n`});
    });
    const release = await busy(page);
    await ask(page, 10);
    await says(page, "#figures", /Done50\.0 %Time left50\.0 sPaths\/s5\.00 × 10²⁸|Done50\.0 %Time left50\.0 sPaths\/s50\.0 R/);
    assert.match(await text(page, "#figures"), /Done before a restart30\.0 %/);
    assert.equal(await page.title(), "50.0 % – Manyply: perft");
    assert.ok(await page.isHidden("#speed"));  // one point makes no line
    // Unknown numbers are shown as unknown.
    told = {...progress, seconds: 21, seconds_left: null, resumed: 0, resumed_units: 0, leaves_per_second: -9223372036854775808, visited_per_second: 0};
    await says(page, "#figures", "Done50.0 %Time leftnot yet knownPaths/s–Visited/s–Elapsed21.0 s");
    await page.unroute("**/events");
    await page.click("#cancel");
    await says(page, "#status", "Cancelled");
    await release();
  },
};

/** Slow tests, and tests that are similar to quick ones. */
export const slow = {
  "nothing moves away under a press, on a phone": () => staysUnderPress(390),

  async "each job's row and verdict say what was asked, in every mode"() {
    const page = await visit();
    const paths = "Agrees with the published number of paths.";
    for (const [mode, counted, verdict] of [
      ["count", "8\u202f902 paths", paths], ["hashed", "8\u202f902 paths", paths], ["configurations", "8\u202f902 paths", paths], ["unhashed", "8\u202f902 paths", paths],
      ["verify", "8\u202f902 paths", "Paths counted with and without a table: both agree."],
      ["stats", "8\u202f902 paths", "The number of paths agrees with the published one. Captures, checks and other kinds are not compared."],
      ["unique", "5\u202f362 distinct positions", "The numbers of distinct positions and paths agree with the published ones."],
    ]) {
      await count(page, 3, mode);
      await says(page, '.job[aria-current="true"]', new RegExp(`Depth 3, ${mode}.*Start position${counted}$`));
      assert.equal(await text(page, "#verdict"), verdict, mode);
    }
    await count(page, 9, "estimate");
    await says(page, '.job[aria-current="true"]', /Start position≈ 2\.\d{5} × 10¹² paths$/);
    assert.match(await text(page, "#verdict"), /^The published number of paths is (in|out)side the interval/);
    await page.fill("#fen", bareKings);
    await count(page, 1, "unique");
    await says(page, '.job[aria-current="true"]', /5 distinct positions$/);
    assert.equal(await text(page, "#verdict"), "No number of distinct positions is published for this position and depth.");
    await count(page, 0, "unique");
    await says(page, '.job[aria-current="true"]', /1 distinct position$/);
  },

  async "what is in the box comes before what is beside it"() {
    const page = await visit({hash: "#fen=kiwipete&depth=3"});
    await count(page, 3);
    for (const action of ['#divide [data-move="e1g1"]', "#moves button >> nth=0", "#trust summary"]) {
      await page.fill("#fen", bareKings);
      await page.click(action);
      await says(page, "#legal-count", "5 legal moves");
      assert.equal(await line(page), "");
      assert.ok(await page.isHidden("#result"));
      await page.goBack();
      await done(page, "Perft(3) of Kiwipete");
    }
    await page.fill("#fen", "nonsense");
    await page.click('#divide [data-move="e1g1"]');
    await page.waitForFunction(() => document.querySelector("#fen-error").textContent);
    assert.equal(await text(page, "#result-title"), "Perft(3) of Kiwipete");
    // If the user chooses a position, the page shows it, whatever text is in the box.
    await page.selectOption("#presets", {label: "Start position"});
    await says(page, "#legal-count", "20 legal moves");
    assert.equal(await text(page, "#fen-error"), "");
  },

  async "statistics are shown ply by ply"() {
    const page = await visit();
    assert.equal(await count(page, 5, "stats"), "4865609");
    const cell = (label, column) => page.$$eval("#stats tbody tr", (rows, [label, column]) =>
      rows.find(row => row.cells[0].textContent === label).cells[column].querySelector(".count").dataset.digits, [label, column]);
    assert.equal(await cell("Captures", 1), "82719");
    assert.equal(await cell("en passant", 1), "258");
    assert.equal(await cell("Mates", 1), "347");
    await page.click("#all-plies");
    await page.waitForFunction(() => document.querySelectorAll("#stats thead th").length === 6);
    assert.deepEqual(await page.$$eval("#stats thead th", all => all.map(head => head.textContent)),
                     ["Ply 5", "Ply 4", "Ply 3", "Ply 2", "Ply 1", "Share of ply 5"]);
    assert.equal(await cell("Captures", 2), "1576");
    assert.equal(await page.$$eval("#all-plies", all => all.length), 0);
    assert.ok(await page.isHidden("#trust"));
    assert.equal(await text(page, "#result-title"), "Statistics of perft(5) of Start position");
    await shoot(page, "stats-desktop");
    await page.setViewportSize({width: 360, height: 900});
    await fits(page, 360);
    await shoot(page, "stats-phone");
  },
};
