// Chat markdown -> elements. Blocks are here, what is inside them in inline.js.
// The parser never fails: what it does not know stays plain text.

import { el } from "./dom.js";
import { inline } from "./inline.js";

const FENCE = /^```/;
const HEADING = /^(#{1,3})\s+(.+)$/;
const SMALL = /^-#\s+(.+)$/;
const QUOTE = /^>(?:\s|$)/;
const ITEM = /^(\s*)([-*]|\d{1,9}[.)])\s+(.*)$/;

/**
 * Turn message text into block elements.
 *
 * @param {string} source
 * @param {{users: Object, channels: Object, commands: Object}} names to show mentions by
 * @returns {Node[]}
 */
export function markdown(source, names) {
  const lines = String(source ?? "").replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const [node, next] = takeBlock(lines, at, names);
    if (node) blocks.push(node);
    at = next;
  }
  return blocks;
}

function takeBlock(lines, at, names) {
  const line = lines[at];
  if (FENCE.test(line)) return takeFence(lines, at, names);
  const heading = HEADING.exec(line);
  // Levels start at h3: h1 is the channel and h2 belongs to the page's lists.
  if (heading) return [el(`h${heading[1].length + 2}`, { class: `md-h${heading[1].length}` }, inline(heading[2], names)), at + 1];
  const small = SMALL.exec(line);
  if (small) return [el("p", { class: "md-small" }, inline(small[1], names)), at + 1];
  if (QUOTE.test(line)) return takeQuote(lines, at, names);
  if (ITEM.test(line)) return takeList(lines, at, names);
  if (!line.trim()) return [null, at + 1];
  return takeParagraph(lines, at, names);
}

function takeFence(lines, at, names) {
  const opening = lines[at].slice(3);
  const sameLine = opening.indexOf("```");
  if (sameLine >= 0) return [el("pre", { tabindex: "0" }, el("code", {}, opening.slice(0, sameLine))), at + 1];
  let end = at + 1;
  while (end < lines.length && !lines[end].includes("```")) end += 1;
  if (end === lines.length) return takeParagraph(lines, at, names);
  const body = lines.slice(at + 1, end);
  const last = lines[end].slice(0, lines[end].indexOf("```"));
  if (last) body.push(last);
  // A language name after the fence is a hint for colouring, which this page does not do.
  if (opening && !/^[\w+#-]+$/.test(opening)) body.unshift(opening);
  return [el("pre", { tabindex: "0" }, el("code", {}, body.join("\n"))), end + 1];
}

function takeQuote(lines, at, names) {
  let end = at;
  const body = [];
  while (end < lines.length && QUOTE.test(lines[end])) {
    body.push(lines[end].replace(/^>\s?/, ""));
    end += 1;
  }
  return [el("blockquote", {}, markdown(body.join("\n"), names)), end];
}

function takeList(lines, at, names) {
  const [, indent, marker] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(marker);
  const list = el(ordered ? "ol" : "ul", ordered && parseInt(marker, 10) !== 1 ? { start: parseInt(marker, 10) } : {});
  let next = at;
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]);
    if (!item || item[1].length < indent.length) break;
    if (item[1].length > indent.length + 1 && list.lastChild) {
      const [nested, after] = takeList(lines, next, names);
      list.lastChild.append(nested);
      next = after;
      continue;
    }
    if (/\d/.test(item[2]) !== ordered) break;
    list.append(el("li", {}, inline(item[3], names)));
    next += 1;
  }
  return [list, next];
}

function startsBlock(line) {
  return FENCE.test(line) || HEADING.test(line) || SMALL.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function takeParagraph(lines, at, names) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines[end])) end += 1;
  const text = lines.slice(at, end).join("\n");
  return [el("p", {}, inline(text, names)), end];
}
