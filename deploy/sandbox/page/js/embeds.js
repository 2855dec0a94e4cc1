// Classic embeds: a title, a text, fields and pictures in a frame.

import { accent, el, linkOut } from "./dom.js";
import { inline } from "./inline.js";
import { markdown } from "./markdown.js";
import { picture } from "./pictures.js";

/** Build one embed of a message. */
export function embed(item, path, scene) {
  return el("div", { class: "embed", style: accent(item.color) },
    item.author?.name ? el("div", { class: "embed-author" }, item.author.name) : null,
    item.title ? el("div", { class: "embed-title text" }, title(item, scene)) : null,
    item.description ? el("div", { class: "text" }, markdown(item.description, scene.names)) : null,
    item.fields?.length ? fields(item.fields, scene) : null,
    item.image ? picture({ media: item.image, description: item.image.description }, `${path}.image`, scene, "gallery") : null,
    item.thumbnail ? picture({ media: item.thumbnail }, `${path}.thumbnail`, scene, "thumbnail") : null,
    item.footer?.text ? el("div", { class: "embed-footer" }, item.footer.text) : null);
}

function title(item, scene) {
  const words = inline(item.title, scene.names, true);
  if (!/^https?:\/\//i.test(item.url ?? "")) return words;
  return linkOut(item.url, {}, words);
}

function fields(list, scene) {
  return el("dl", { class: "embed-fields" }, list.map((field) => el("div", { class: field.inline ? "is-inline" : "" },
    el("dt", {}, inline(field.name, scene.names)),
    el("dd", { class: "text" }, markdown(field.value, scene.names)))));
}
