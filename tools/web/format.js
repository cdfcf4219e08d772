// Formats numbers for users. Counts stay strings of digits from the server to the screen, because a Number loses digits
// above 2^53.

export const grouped = digits => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");

/**
 * Parses a whole number as users write it, in the digits and groups of their language (100 000, 1,00,000, ١٠٠). Returns null
 * for any other text, and for text that could mean a fraction (1.5).
 */
export function wholeNumber(text) {
  const digits = text.normalize("NFKC").trim().replaceAll(/\p{Nd}/gu, digit => {
    let value = 0;  // the digits of each script are consecutive, starting at zero
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0) - value - 1))) ++value;
    return String(value);
  });
  const [, separator] = /^\d{1,3}(?:([\s,.'’_٬])\d{2,3})+$/.exec(digits) ?? [];
  if (separator && !/\D\d{3}$/.test(digits)) return null;
  const plain = separator ? digits.replaceAll(separator, "") : digits;
  return /^\d+$/.test(plain) && Number.isSafeInteger(Number(plain)) ? Number(plain) : null;
}

/** Compares two counts given as strings of digits, for sort(). */
export const compareCounts = (a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** Formats an estimate with at most six digits. */
export function rounded(value, digits = 6) {
  if (value < 10 ** digits) return grouped(String(Math.round(value)));
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e+");
  return `${mantissa} × 10${[...exponent].map(digit => raised[digit]).join("")}`;
}

const units = ["", " k", " M", " G", " T", " P", " E", " Z", " Y", " R", " Q"];
/** Formats a number with three digits and a unit: 12.4 M. Above 1000 Q, with a power of ten. */
export function si(value) {
  if (value < 999.5) return String(Math.round(value));
  const [mantissa, exponent] = value.toExponential(2).split("e+").map(Number);
  const unit = Math.floor(exponent / 3);
  return units[unit] ? (mantissa * 10 ** (exponent % 3)).toFixed(2 - exponent % 3) + units[unit] : rounded(value, 3);
}

/**
 * Returns the server's rate as text. If there is none, returns the count divided by the time, or null if there is no count or
 * the time is below 1 ms.
 */
export const rate = (perSecond, counted, seconds) =>
  perSecond >= 0 && Number.isFinite(perSecond) ? si(perSecond)
    : counted != null && seconds >= 0.001 ? si(Number(counted) / seconds) : null;

export function bytes(value) {
  for (const [power, unit] of [[30, "GiB"], [20, "MiB"], [10, "KiB"]]) {
    if (value >= 2 ** power) return `${+(value / 2 ** power).toPrecision(3)} ${unit}`;
  }
  return `${value} B`;
}

/** Formats a time; in tables, `short` leaves out words. */
export function duration(seconds, {short = false} = {}) {
  if (seconds < 0.001) return short ? "< 1 ms" : "under 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const [d, h, m] = [seconds / 86400, (seconds / 3600) % 24, (seconds / 60) % 60].map(Math.floor);
  if (d) return `${d} d ${h} h`;
  return h ? `${h} h ${m} min` : `${m} min ${Math.floor(seconds % 60)} s`;
}

/** Formats whole seconds like a stopwatch: 45 s, 1:30, 2:00:00, 3 d. */
export function clock(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const two = part => String(Math.floor(part)).padStart(2, "0");
  const [days, rest] = [Math.floor(seconds / 86400), seconds % 86400];
  if (days) return rest ? `${days} d ${Math.floor(rest / 3600)} h` : `${days} d`;
  const minutes = (seconds / 60) % 60;
  return seconds < 3600 ? `${Math.floor(minutes)}:${two(seconds % 60)}` : `${Math.floor(seconds / 3600)}:${two(minutes)}:${two(seconds % 60)}`;
}

/** Formats how long ago `time` (RFC 3339) was. */
export function ago(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1000;
  if (!(seconds >= 60)) return "just now";
  const [value, unit] = seconds < 3600 ? [seconds / 60, "min"] : seconds < 86400 ? [seconds / 3600, "h"] : [seconds / 86400, "d"];
  return `${Math.floor(value)} ${unit} ago`;
}

export const percent = share => share > 0 && share < 0.00005 ? "< 0.01 %" : `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;

/** Explains the expected number of false matches. */
export function falseMatches(expected) {
  if (!(expected > 0)) return "No table was used, so no two positions could be confused.";
  if (expected >= 0.5) {
    return `About ${expected.toPrecision(2)} positions were probably confused with others; verify this count.`;
  }
  const odds = expected < 1e-12 ? "fewer than one in a million million" : `about one in ${si(1 / expected)}`;
  return `In ${odds} such counts, two different positions are confused and the total is wrong.`;
}

/** Creates an element: element("p", {className: "x"}, child, …). Names with a dash are set as attributes. */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role" || key === "for") node.setAttribute(key, value);
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node[key] = value;
  }
  node.append(...children.filter(child => child != null));
  return node;
}

/** Formats a count in groups of three that may wrap; copying gives plain digits. */
export const count = digits => element("span", {className: "count", "data-digits": digits},
  ...grouped(digits).split("\u202f").flatMap((group, at) => at ? ["\u202f", element("wbr"), group] : [group]));

export const figures = pairs => pairs.filter(([, value]) => value != null).map(([name, value]) =>
  element("div", {}, element("dt", {}, name), element("dd", {}, value)));

/**
 * Draws, then restores the focus to the same element. If this element is gone or hidden, the element that `fallback()`
 * returns receives the focus.
 */
export function keepingFocus(draw, fallback) {
  const held = document.activeElement;
  draw();
  if (!held || held === document.body) return;
  if (!(held.isConnected && held.checkVisibility())) fallback()?.focus({preventScroll: true});
  else if (document.activeElement === document.body) held.focus({preventScroll: true});
}
