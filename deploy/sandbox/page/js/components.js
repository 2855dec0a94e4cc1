// Message components -> elements. Each component knows its place as a path such
// as "0.3.1", by which the same place is found again after an update.

import { button } from "./buttons.js";
import { accent, el, icon, ownUrl } from "./dom.js";
import { markdown } from "./markdown.js";
import { picture } from "./pictures.js";
import { selectMenu } from "./select.js";

const [ROW, BUTTON, STRING_SELECT] = [1, 2, 3];
const [USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT] = [5, 6, 7, 8];
const [SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR] = [9, 10, 11, 12, 13, 14];
const CONTAINER = 17;

/**
 * What building needs besides the component itself.
 *
 * @typedef {Object} Scene
 * @property {Object} names for mentions
 * @property {Map<string, Element>} earlier pictures now shown, by path, to reuse
 * @property {Map<string, Element>} pictures those of this build
 * @property {(component, extra) => void} act called with what a user did
 * @property {(kind) => Array} people options of user, role and channel selects
 */

const BUILDERS = {
  [ROW]: row,
  [BUTTON]: button,
  [STRING_SELECT]: selectMenu,
  [USER_SELECT]: selectMenu,
  [ROLE_SELECT]: selectMenu,
  [MENTIONABLE_SELECT]: selectMenu,
  [CHANNEL_SELECT]: selectMenu,
  [SECTION]: section,
  [TEXT]: (component, path, scene) => el("div", { class: "text" }, markdown(component.content, scene.names)),
  [THUMBNAIL]: (component, path, scene) => picture(component, path, scene, "thumbnail"),
  [GALLERY]: gallery,
  [FILE]: file,
  [SEPARATOR]: separator,
  [CONTAINER]: container,
};

function build(component, path, scene) {
  const builder = BUILDERS[component.type];
  if (!builder) return el("p", { class: "unknown" }, `(component of type ${component.type}, not shown here)`);
  return builder(component, path, scene);
}

/** Build a list of components; rows that form a 3 by 3 board become one. */
export function buildAll(components, scene, prefix = "") {
  const out = [];
  for (let at = 0; at < components.length;) {
    const ranks = components.slice(at, isBoardAt(components, at) ? at + 3 : at + 1);
    const nodes = ranks.map((part, index) => build(part, `${prefix}${at + index}`, scene));
    out.push(ranks.length === 3 ? board(nodes) : nodes[0]);
    at += ranks.length;
  }
  fitBoards(out);
  return out;
}

// The buttons are as wide as the picture of the board they belong to.
function fitBoards(nodes) {
  const picture = nodes.find((node) => node.matches(".gallery"))?.querySelector(".picture");
  for (const node of nodes) {
    if (!picture || !node.matches(".board")) continue;
    for (const name of ["--ratio", "--natural"]) node.style.setProperty(name, picture.style.getPropertyValue(name));
  }
}

function isBoardAt(components, at) {
  const isRank = (part) => part?.type === ROW && part.components.length === 3
    && part.components.every((item) => item.type === BUTTON);
  return [0, 1, 2].every((index) => isRank(components[at + index]));
}

function board(ranks) {
  return el("div", { class: "board", role: "group", "aria-label": "Board of three rows of three buttons", on: { keydown: moveByArrows } }, ranks);
}

// An arrow key moves to the next cell in its direction, taken cells included.
function moveByArrows(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3 }[event.key];
  const cells = [...event.currentTarget.querySelectorAll("button")];
  const here = cells.indexOf(document.activeElement);
  if (!step || here < 0) return;
  event.preventDefault();
  const leavesRow = Math.abs(step) === 1 && Math.floor((here + step) / 3) !== Math.floor(here / 3);
  if (!leavesRow) cells[here + step]?.focus();
}

function row(component, path, scene) {
  return el("div", { class: "row" }, component.components.map((item, index) => build(item, `${path}.${index}`, scene)));
}

function container(component, path, scene) {
  const style = accent(component.accent_color);
  const name = style["--accent-line"] ? "container has-accent" : "container";
  return el("div", { class: name, style }, buildAll(component.components, scene, `${path}.`));
}

function section(component, path, scene) {
  const texts = buildAll(component.components, scene, `${path}.`);
  const accessory = build(component.accessory, `${path}.a`, scene);
  return el("div", { class: "section" }, el("div", { class: "section-texts" }, texts), accessory);
}

function gallery(component, path, scene) {
  const items = component.items.map((item, index) => picture(item, `${path}.${index}`, scene, "gallery"));
  return el("div", { class: "gallery", data: { count: String(items.length) } }, items);
}

function separator(component) {
  const classes = ["separator"];
  if (component.spacing === 2) classes.push("is-large");
  if (component.divider === false) classes.push("is-blank");
  return el("div", { class: classes.join(" "), role: component.divider === false ? "presentation" : "separator" });
}

/** Show a file for download; pictures are for galleries. */
export function file(component) {
  const media = component.file ?? component;
  const name = component.name ?? component.filename ?? media.url?.split("/").pop()?.split("?")[0] ?? "file";
  const address = ownUrl(media.url);
  const size = component.size ? ` (${formatSize(component.size)})` : "";
  const label = el("span", {}, name, el("small", {}, size));
  if (!address) return el("span", { class: "file" }, icon("file"), label);
  return el("a", { class: "file", href: address, download: name }, icon("file"), label);
}

function formatSize(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1048576) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1048576).toFixed(1)} MB`;
}
