// Times as a chat shows them, and <t:...> timestamps that stay current.

import { el } from "./dom.js";

const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

const UNITS = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function formatRelative(date) {
  const seconds = Math.round((date.getTime() - Date.now()) / 1000);
  // Rounded first: 4:59 becomes "in 5 minutes", and 59:40 "in 1 hour".
  const [unit, size] = UNITS.find(([, length]) => Math.round(Math.abs(seconds) / length) >= 1) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

function formatAs(date, style) {
  if (style === "R") return formatRelative(date);
  return new Intl.DateTimeFormat(undefined, STYLES[style] ?? STYLES.f).format(date);
}

/** Return a text with its timestamps in words, for where elements cannot be used. */
export function stampsInWords(text) {
  return text.replace(/<t:(-?\d{1,13})(?::([tTdDfFR]))?>/g, (whole, seconds, style) => {
    const date = new Date(Number(seconds) * 1000);
    return Number.isNaN(date.getTime()) ? whole : formatAs(date, style ?? "f");
  });
}

/** Make the element of a `<t:seconds:style>` timestamp, or null out of range. */
export function timestamp(seconds, style) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return null;
  return el("time", {
    class: "stamp", datetime: date.toISOString(), title: formatAs(date, "F"),
    data: { relative: style === "R" ? String(seconds) : undefined },
  }, formatAs(date, style));
}

/** Format when a message was sent: today's by the clock, older ones with the day. */
export function formatSent(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const today = new Date().toDateString() === date.toDateString();
  return today ? formatAs(date, "t") : `${formatAs(date, "d")}, ${formatAs(date, "t")}`;
}

/** Keep "2 minutes ago" true while the page is open. */
export function keepTimesCurrent() {
  setInterval(() => {
    for (const node of document.querySelectorAll("time[data-relative]")) {
      const text = formatRelative(new Date(Number(node.dataset.relative) * 1000));
      if (node.textContent !== text) node.textContent = text;
    }
  }, 10_000);
}
