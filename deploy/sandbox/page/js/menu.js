// A menu over the page, with arrow keys to move in it; only one is open at a time.

import { el } from "./dom.js";

const EDGE_PX = 8;

let shown = null; // {menu, opener, outside}

/** Make an entry; `hook` are data attributes for tests. */
export function menuRow(words, act, hook) {
  return el("li", { role: "none" },
    el("button", { type: "button", role: "menuitem", class: "menu-row", data: hook, on: { click: () => pick(act) } }, words));
}

/** Make a heading above entries. */
export function menuTitle(words) {
  return el("li", { role: "none", class: "menu-title" }, words);
}

/** Close the menu, then do what was chosen from it. */
export function pick(act) {
  closeMenu();
  act();
}

/**
 * Open a menu, or close it if `opener` has it open.
 *
 * @param {string} label for screen readers
 * @param {Node[]} rows
 * @param {Element} opener gets the focus back
 * @param {{x: number, y: number}|null} point where to show it, by default at the opener
 */
export function openMenu(label, rows, opener, point = null) {
  const wasOpen = shown?.opener === opener;
  closeMenu();
  if (wasOpen && !point) return;
  const on = { keydown: onKey, contextmenu: (event) => event.preventDefault() };
  const menu = el("ul", { class: "menu", role: "menu", "aria-label": label, on }, rows);
  document.body.append(menu);
  place(menu, point ?? opener.getBoundingClientRect());
  const outside = (event) => menu.contains(event.target) || opener.contains(event.target) || closeMenu();
  document.addEventListener("pointerdown", outside);
  shown = { menu, opener, outside };
  if (opener.hasAttribute("aria-haspopup")) opener.setAttribute("aria-expanded", "true");
  menu.querySelector("button")?.focus();
}

/** Take the menu away. */
function closeMenu() {
  if (!shown) return;
  const { menu, opener, outside } = shown;
  shown = null;
  document.removeEventListener("pointerdown", outside);
  const hadFocus = menu.contains(document.activeElement);
  menu.remove();
  if (opener.hasAttribute("aria-haspopup")) opener.setAttribute("aria-expanded", "false");
  if (hadFocus) opener.focus();
}

// Below the place, or above it if there is no room, and never beyond the window's edge.
function place(menu, { x, y, width = 0, height = 0 }) {
  const [wide, high] = [menu.offsetWidth, menu.offsetHeight];
  const fits = y + height + high + EDGE_PX <= innerHeight;
  const left = width && x + wide > innerWidth - EDGE_PX ? x + width - wide : x;
  const top = fits ? y + height : y - high;
  menu.style.setProperty("left", `${Math.max(EDGE_PX, Math.min(left, innerWidth - wide - EDGE_PX))}px`);
  menu.style.setProperty("top", `${Math.max(EDGE_PX, Math.min(top, innerHeight - high - EDGE_PX))}px`);
}

function onKey(event) {
  const items = [...shown.menu.querySelectorAll("button")];
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    closeMenu();
  } else if (step && items.length) {
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  }
}
