// Tests of single modules of the page. The browser loads them from their sources.
import assert from "node:assert/strict";
import {kiwipete, visitSources} from "./harness.mjs";

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

export const tests = {
  async "what was made of a text is told"() {
    const page = await visitSources();
    const read = (...given) => page.evaluate(async given => (await import("/source/named_positions.js")).asRead(...given), given);
    const answer = {start: kiwipete, moves: [], assumed: "", aside: ""};
    for (const [text, said, expected] of [
      [kiwipete, {}, [kiwipete, [], ""]],
      ["kiwipete", {}, ["kiwipete", [], ""]],
      ["1. e4", {start, moves: ["e2e4"]}, [start, ["e2e4"], ""]],
      ["x", {assumed: "no castling, no en passant"}, [kiwipete, [], "Read with no castling, no en passant."]],
      ["x", {aside: ";D1 48"}, [kiwipete, [], "Ignored: ;D1 48"]],
    ]) {
      const {start: position, moves, note} = await read(text, {...answer, ...said});
      assert.deepEqual([position, moves, note], expected, text);
    }
  },

  async "random starts are Chess960 starts"() {
    const page = await visitSources();
    const made = await page.evaluate(async () => {
      const {randomStart} = await import("/source/named_positions.js");
      return Array.from({length: 2000}, () => randomStart());
    });
    for (const fen of made) {
      const [, back] = /^[rnbqk]{8}\/p{8}\/8\/8\/8\/8\/P{8}\/([RNBQK]{8}) w ([A-H]{2})([a-h]{2}) - 0 1$/.exec(fen);
      assert.equal([...back].sort().join(""), "BBKNNQRR");
      assert.equal((back.indexOf("B") + back.lastIndexOf("B")) % 2, 1);
      assert.match(back, /R.*K.*R/);
      assert.equal(fen.split("/")[0], back.toLowerCase());
      const files = "ABCDEFGH"[back.lastIndexOf("R")] + "ABCDEFGH"[back.indexOf("R")];
      assert.equal(fen.split(" ")[2], files + files.toLowerCase());
    }
    assert.ok(new Set(made).size > 800);  // 2000 draws of 960 leave about 120 out
  },

  async "numbers keep three digits and a unit"() {
    const page = await visitSources();
    const si = value => page.evaluate(async value => (await import("/source/format.js")).si(value), value);
    for (const [value, expected] of [[0, "0"], [999.4, "999"], [999.6, "1.00 k"], [1234, "1.23 k"], [99950, "100 k"], [999499, "999 k"],
      [999999, "1.00 M"], [12.4e6, "12.4 M"], [371e9, "371 G"], [2 ** 63, "9.22 E"], [2 ** 128, "340000000 Q"]]) {
      assert.equal(await si(value), value < 1e33 ? expected : "3.40 × 10³⁸");
    }
  },

  async "an address says the state, and reads it again"() {
    const page = await visitSources();
    const both = state => page.evaluate(async state => {
      const {initial, read, write} = await import("/source/address.js");
      const text = write({...initial, ...state});
      return [text, {...initial, ...read(text)}];
    }, state);
    for (const [state, text] of [
      [{}, "#depth=6"],
      [{start: kiwipete, moves: ["e1g1", "a8b8"], depth: 4},
       "#fen=r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R_w_KQkq_-_0_1&moves=e1g1_a8b8&depth=4"],
      [{start: "kiwipete", depth: 9, mode: "estimate", samples: 400, seed: 3, tab: "hunt", job: 12},
       "#fen=kiwipete&depth=9&mode=estimate&samples=400&seed=3&tab=hunt&job=12"],
      [{tab: "campaigns", campaign: "perft_13.b"}, "#depth=6&tab=campaigns&campaign=perft_13.b"],
      [{start: "what & where = 100 %"}, "#fen=what_%26_where_%3D_100_%25&depth=6"],
    ]) {
      const [written, read] = await both(state);
      assert.equal(written, text);
      assert.deepEqual(read, {start: "startpos", moves: [], depth: 6, mode: "count", tab: "count", job: null, campaign: null, ...state});
    }
    const read = hash => page.evaluate(async hash => (await import("/source/address.js")).read(hash), hash);
    assert.deepEqual(await read("#job=12"), {job: 12});
    assert.deepEqual(await read("#depth=-3&mode=<b>&tab=x&job=1e9&fen=%E0%A4%A"), {});
    assert.deepEqual(await read("#depth=99999999999999999999&&=&"), {});
  },

  async "the plot goes on when a restarted server counts its seconds anew"() {
    const page = await visitSources();
    const times = await page.evaluate(async () => {
      const {RatePlot} = await import("/source/plot.js");
      const host = document.body.appendChild(document.createElement("div"));
      const plot = new RatePlot(host, () => {});
      // The third attempt reports late, when it has taken nearly as long as the second.
      for (const [attempt, seconds] of [[1, 1], [1, 2], [1, 40], [2, 0.5], [2, 1], [2, 1], [2, 10], [3, 9], [3, 8], [3, 11]]) {
        plot.add(seconds, 1e6, attempt);
      }
      return plot.data[0];
    });
    assert.deepEqual(times, [1, 2, 40, 40.5, 41, 50, 59, 61]);
  },

  async "counts break between groups of digits only"() {
    const page = await visitSources();
    const lines = await page.evaluate(async () => {
      const {count} = await import("/source/format.js");
      const box = document.body.appendChild(document.createElement("div"));
      box.style.width = "3.2rem";
      box.append(count("2097651003696806"));
      const groups = [...box.querySelector(".count").childNodes].filter(node => /\d/.test(node.textContent));
      return groups.map(group => {
        const range = document.createRange();
        range.selectNodeContents(group);
        return [group.textContent, range.getClientRects().length, Math.round(range.getBoundingClientRect().top)];
      });
    });
    assert.deepEqual(lines.map(([text]) => text), ["2", "097", "651", "003", "696", "806"]);
    assert.ok(lines.every(([, rows]) => rows === 1), String(lines));
    assert.ok(new Set(lines.map(([,, top]) => top)).size > 1, "the box is too wide to tell");
  },
};
