// The settings of a person that the bot gets to know.

import { el, freshId } from "./dom.js";

/** Build the fields; `change` is called with what was changed. */
export function personSettings(me, locales, change) {
  const id = freshId("locale");
  const select = el("select", { id, data: { locale: "" } }, Object.entries(locales).map(([value, words]) => el("option", { value, selected: value === me.locale }, words)));
  select.addEventListener("change", () => change({ locale: select.value }));
  return el("div", { class: "person" },
    el("label", { for: id }, "Language of this person"), select,
    toggle("has_installed", "Added the app to their account", me, change),
    toggle("accepts_direct_messages", "Takes direct messages", me, change));
}

function toggle(name, words, me, change) {
  const box = el("input", { type: "checkbox", checked: me[name], data: { setting: name } });
  box.addEventListener("change", () => change({ [name]: box.checked }));
  return el("label", { class: "choice" }, box, el("span", {}, words));
}
