// Reads and writes the page's state as the fragment of its address: position (start and moves), depth, mode, samples and
// seed of an estimate, tab, and the job or campaign that is shown. An address that contains only `#job=12` means that
// job and its position.

export const initial = {start: "startpos", moves: [], depth: 6, mode: "count", tab: "count", job: null, campaign: null};

const encode = text => encodeURIComponent(text.replaceAll(" ", "_")).replaceAll("%2F", "/");
const decode = text => {
  try {
    return decodeURIComponent(text).replaceAll(/[_+]/g, " ");
  } catch {
    return "";
  }
};

export function write({start, moves, depth, mode, samples, seed, tab, job, campaign}) {
  const parts = [start !== initial.start ? ["fen", start] : null, moves.length ? ["moves", moves.join(" ")] : null,
    ["depth", String(depth)], mode !== initial.mode ? ["mode", mode] : null,
    ...(mode === "estimate" ? [["samples", String(samples)], ["seed", String(seed)]] : []),
    tab !== initial.tab ? ["tab", tab] : null, job ? ["job", String(job)] : null,
    tab === "campaigns" && campaign ? ["campaign", campaign] : null];
  return "#" + parts.filter(part => part).map(([name, value]) => `${name}=${encode(value)}`).join("&");
}

const numbers = ["depth", "samples", "seed"];
const isNumber = text => /^\d{1,16}$/.test(text ?? "");
const saidIn = hash => new Map(hash.replace(/^#/, "").split("&").map(part => {
  const at = part.indexOf("=");
  return [part.slice(0, at), decode(part.slice(at + 1)).trim()];
}));

/** Returns the state in the fragment `hash`. Leaves out missing and invalid members. */
export function read(hash) {
  const said = saidIn(hash);
  // Campaign names may contain "_", which stands for a space in positions.
  const campaign = (said.get("campaign") ?? "").replaceAll(" ", "_");
  const number = name => isNumber(said.get(name)) ? {[name]: Number(said.get(name))} : {};
  return {
    ...(said.get("fen") ? {start: said.get("fen")} : {}),
    ...(said.get("moves") ? {moves: said.get("moves").split(/ +/)} : {}),
    ...Object.assign({}, ...[...numbers, "job"].map(number)),
    ...(/^[a-z]+$/.test(said.get("mode") ?? "") ? {mode: said.get("mode")} : {}),
    ...(["count", "hunt", "campaigns"].includes(said.get("tab")) ? {tab: said.get("tab")} : {}),
    ...(/^[\w.-]{1,64}$/.test(campaign) ? {campaign} : {}),
  };
}

/** Returns the members depth, samples and seed of `hash` whose values are not numbers, as {name: text}. */
export const wrong = hash => Object.fromEntries([...saidIn(hash)].filter(([name, text]) =>
  numbers.includes(name) && text && !isNumber(text)));
