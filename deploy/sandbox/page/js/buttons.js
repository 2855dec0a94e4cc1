// One button of a message.

import { dots, el, icon, linkOut } from "./dom.js";

const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link", 6: "premium" };

/** Return the character(s) of an emoji; custom ones have no picture here. */
export function emojiText(emoji) {
  if (!emoji) return "";
  return emoji.id ? `:${emoji.name}:` : emoji.name ?? "";
}

/** Build a button; `scene.act` is called when a usable one is pressed. */
export function button(component, path, scene) {
  const style = STYLES[component.style] ?? "secondary";
  const content = [
    component.emoji ? el("span", { class: "emoji", "aria-hidden": component.label ? "true" : false }, emojiText(component.emoji)) : null,
    component.label ? el("span", { class: "label" }, component.label) : null,
  ];
  if (component.url) return linkButton(component, path, content);
  const node = el("button", {
    class: `button is-${style}`, type: "button",
    // aria-disabled, not disabled: the focus may stay on a cell that was just taken,
    // so a keyboard player can go on from there.
    "aria-disabled": component.disabled ? "true" : false,
    tabindex: component.disabled ? "-1" : false,
    data: { component: "button", style, customId: component.custom_id, path },
  }, content);
  node.addEventListener("click", () => {
    if (node.getAttribute("aria-disabled") !== "true" && !node.dataset.pending) scene.act(component, { node });
  });
  return node;
}

function linkButton(component, path, content) {
  const safe = /^(https?|discord):\/\//i.test(component.url) && !component.disabled;
  return linkOut(safe && component.url, { class: "button is-link", data: { component: "link", path }, "aria-disabled": safe ? false : "true" }, content, icon("out"));
}

/** Show that a component waits for its answer; the message's others wait too. */
export function setPending(body, node) {
  body.dataset.pending = "true";
  node.dataset.pending = "true";
  node.setAttribute("aria-busy", "true");
  node.append(el("span", { class: "waiting" }, dots()));
}

/** Remove the waiting state if the message was not redrawn meanwhile. */
export function clearPending(body) {
  delete body.dataset.pending;
  for (const node of body.querySelectorAll("[data-pending]")) {
    delete node.dataset.pending;
    node.removeAttribute("aria-busy");
    node.querySelector(".waiting")?.remove();
  }
}
