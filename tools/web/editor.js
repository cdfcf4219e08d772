// Lets the user set up a position: pieces, side to move, castling rights, en passant. The result may be invalid; the counter
// reports that when the position is used.
import {element} from "./format.js";
import {files, picture, pieceWords, piecesOf, placementOf} from "./placement.js";

const kNone = "";  // removes pieces
const kHand = "hand";  // moves pieces
const castlings = [["K", "White O-O"], ["Q", "White O-O-O"], ["k", "Black O-O"], ["q", "Black O-O-O"]];

export class Editor {
  #pieces = {};
  #tool = kHand;
  #side = "w";
  #rights = "-";
  #passant = "-";

  /** `use(fen, button)` puts the position on the board. `close()` ends set-up mode and shows the previous position. */
  constructor(host, board, {use, close, say}) {
    Object.assign(this, {host, board, use, close, say});
  }
  get open() {
    return !this.host.hidden;
  }
  set open(is) {
    this.host.hidden = !is;
    this.host.closest("main").classList.toggle("editing", is);  // hides the question
  }

  begin(fen) {
    this.#read(fen);
    this.open = true;
    this.board.edit({placing: () => this.#tool !== kHand, press: square => this.#press(square), move: (from, to) => this.#move(from, to)});
    this.#build();
    this.#show();
    this.host.querySelector("input").focus({preventScroll: true});
    this.host.scrollIntoView({block: "nearest"});
  }
  end() {
    this.open = false;
    this.host.replaceChildren();
    this.board.edit(null);
  }

  /** Shows why the position is invalid. */
  complain(words) {
    this.host.querySelector(".error").textContent = words;
  }

  #read(fen) {
    const [, side = "w", rights = "-", passant = "-"] = fen.split(" ");
    this.#pieces = piecesOf(fen);
    [this.#side, this.#rights, this.#passant] = [side, rights, passant];
  }
  get #fen() {
    return `${placementOf(this.#pieces)} ${this.#side} ${this.#rights || "-"} ${this.#passant} 0 1`;
  }
  #show() {
    this.board.show(this.#fen, [], []);
    this.host.querySelector("output").textContent = this.#fen;
    this.complain("");
  }

  #press(square) {
    if (this.#tool === kHand) return;
    if (this.#tool === kNone || this.#pieces[square] === this.#tool) delete this.#pieces[square];
    else this.#pieces[square] = this.#tool;
    this.say(`${square}: ${this.#pieces[square] ? pieceWords(this.#pieces[square]) : "empty"}`);
    this.#show();
  }
  #move(from, to) {
    this.#pieces[to] = this.#pieces[from];
    delete this.#pieces[from];
    queueMicrotask(() => this.#show());
  }

  #build() {
    const choice = (value, label, content) => element("label", {title: label}, element("input", {
      type: "radio", name: "tool", value, checked: value === this.#tool, "aria-label": label,
      onchange: () => { this.#tool = value; }}), content);
    const right = ([letter, label]) => element("label", {className: "check"}, element("input", {
      type: "checkbox", checked: this.#rights.includes(letter), onchange: ({target}) => {
        const others = this.#rights.replace("-", "").replace(letter, "");
        const all = others + (target.checked ? letter : "");
        this.#rights = [..."KQkq"].filter(one => all.includes(one)).join("") || [...all].join("");
        this.#show();
      }}), ` ${label}`);
    const standard = /^(-|K?Q?k?q?)$/.test(this.#rights);
    const button = (words, action, properties = {}) => element("button", {type: "button", className: "quiet", onclick: action, ...properties}, words);
    const set = fen => { this.#read(fen); this.#build(); this.#show(); };
    const held = this.host.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.host.replaceChildren(
      element("div", {className: "palette", role: "radiogroup", "aria-label": "Effect of a press on a square"},
        choice(kHand, "move pieces", element("span", {"aria-hidden": "true"}, "Move")), ...[..."KQRBNP"].map(piece => choice(piece, pieceWords(piece), picture(piece))),
        choice(kNone, "remove pieces", element("span", {"aria-hidden": "true"}, "Erase")), ...[..."kqrbnp"].map(piece => choice(piece, pieceWords(piece), picture(piece)))),
      element("div", {className: "row"},
        element("label", {}, "To move ", element("select", {onchange: ({target}) => { this.#side = target.value; this.#show(); }},
          ...[["w", "White"], ["b", "Black"]].map(([value, words]) => element("option", {value, selected: value === this.#side}, words)))),
        element("label", {}, "En passant ", element("select", {onchange: ({target}) => { this.#passant = target.value; this.#show(); }},
          ...["-", ...files.flatMap(file => [`${file}3`, `${file}6`])].map(value =>
            element("option", {value, selected: value === this.#passant}, value === "-" ? "none" : value))))),
      element("div", {className: "row rights"}, ...(standard ? castlings.map(right) : [element("span", {className: "hint"}, `Castling: ${this.#rights} `,
        button("no castling", () => { this.#rights = "-"; this.#build(); this.#show(); }, {className: "quiet small"}))])),
      element("output", {className: "fen"}, this.#fen),
      element("p", {className: "error", role: "alert"}),
      element("div", {className: "row actions"},
        button("Use this position", ({currentTarget}) => this.use(this.#fen, currentTarget), {className: "primary"}),
        button("Clear", () => set("8/8/8/8/8/8/8/8 w - - 0 1")),
        button("Start position", () => set("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")),
        button("Cancel", () => this.close())));
    if (held != null) ([...this.host.querySelectorAll("button")].find(({textContent}) => textContent === held) ?? this.host.querySelector("input")).focus();
  }
}
