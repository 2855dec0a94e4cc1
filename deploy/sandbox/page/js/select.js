// A select menu of a message. The browser's own select sends at every arrow key,
// which would answer the bot too early; so this is a button with a list box.

import { emojiText } from "./buttons.js";
import { activate, el, freshId, icon } from "./dom.js";

/** Build a select menu; `scene.act` is called with the chosen values. */
export function selectMenu(component, path, scene) {
  const options = component.options ?? scene.people(component);
  const many = (component.max_values ?? 1) > 1;
  const chosen = new Set(options.filter((option) => option.default).map((option) => option.value));
  const listId = freshId("options");
  const opener = el("button", {
    class: "select", type: "button", role: "combobox", "aria-haspopup": "listbox", "aria-expanded": "false",
    "aria-controls": listId, "aria-disabled": component.disabled ? "true" : false, tabindex: component.disabled ? "-1" : false,
    data: { component: "select", customId: component.custom_id, path },
  });
  const list = el("ul", {
    class: "options", id: listId, role: "listbox", hidden: true, tabindex: "-1",
    "aria-multiselectable": many ? "true" : false, "aria-label": component.placeholder || "Options",
  });
  const box = el("div", { class: "select-box" }, opener, list);
  new SelectMenu({ component, options, many, chosen, opener, list, box, scene }).start();
  return box;
}

class SelectMenu {
  constructor(parts) {
    Object.assign(this, parts);
    this.active = -1;
    this.rows = this.options.map((option, index) => this.row(option, index));
  }

  start() {
    this.list.append(...this.rows, ...(this.many ? [this.doneRow()] : []));
    this.showChosen();
    this.opener.addEventListener("click", () => (this.list.hidden ? this.open() : this.close()));
    this.opener.addEventListener("keydown", (event) => this.onKey(event));
    // A press inside must not move the focus away from the opener: blur closes.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.opener.addEventListener("blur", () => this.close(false));
  }

  row(option, index) {
    const words = el("span", { class: "option-words" }, el("span", {}, option.label),
      option.description ? el("small", {}, option.description) : null);
    return el("li", { id: freshId("option"), role: "option", data: { value: option.value }, on: { click: () => this.pick(index) } },
      option.emoji ? el("span", { class: "emoji", "aria-hidden": "true" }, emojiText(option.emoji)) : null,
      words, el("span", { class: "option-check" }, icon("check")));
  }

  doneRow() {
    const done = el("button", { type: "button", class: "button is-primary", tabindex: "-1", on: { click: () => this.send() } }, "Done");
    const { min_values: low = 1, max_values: high } = this.component;
    const rule = low === high ? `Choose ${low}` : `Choose ${low} to ${high}`;
    return el("li", { class: "options-done", role: "presentation" }, el("small", {}, rule), done);
  }

  showChosen() {
    const labels = this.options.filter((option) => this.chosen.has(option.value)).map((option) => option.label);
    const prompt = this.component.placeholder || "Make a selection";
    const text = labels.join(", ") || prompt;
    this.opener.setAttribute("aria-label", labels.length ? `${prompt}: ${text}` : prompt);
    this.opener.replaceChildren(el("span", { class: labels.length ? "" : "is-placeholder" }, text), icon("down"));
    this.rows.forEach((row, index) => {
      row.setAttribute("aria-selected", String(this.chosen.has(this.options[index].value)));
    });
  }

  open() {
    if (this.opener.getAttribute("aria-disabled") === "true") return;
    this.list.hidden = false;
    this.opener.setAttribute("aria-expanded", "true");
    this.opener.focus();
    const first = this.options.findIndex((option) => this.chosen.has(option.value));
    this.setActive(Math.max(first, 0));
    this.list.scrollIntoView({ block: "nearest" });
  }

  close(withFocus = true) {
    if (this.list.hidden) return;
    this.list.hidden = true;
    this.opener.setAttribute("aria-expanded", "false");
    this.opener.removeAttribute("aria-activedescendant");
    if (withFocus) this.opener.focus();
  }

  setActive(index) {
    this.active = activate(this.rows, this.active, index, this.opener);
  }

  pick(index) {
    const value = this.options[index].value;
    if (!this.many) {
      // If no choice is required, a second press clears it.
      const clears = this.component.min_values === 0 && this.chosen.has(value);
      this.chosen = new Set(clears ? [] : [value]);
      this.send();
      return;
    }
    if (this.chosen.has(value)) this.chosen.delete(value);
    else if (this.chosen.size < this.component.max_values) this.chosen.add(value);
    this.showChosen();
    this.setActive(index);
  }

  send() {
    if (this.chosen.size < (this.component.min_values ?? 1)) return;
    this.showChosen();
    this.close();
    this.scene.act(this.component, { node: this.opener, values: [...this.chosen] });
  }

  onKey(event) {
    if (this.list.hidden) {
      if (["ArrowDown", "ArrowUp", "Enter", " "].includes(event.key)) {
        event.preventDefault();
        this.open();
      }
      return;
    }
    const keys = {
      ArrowDown: () => this.setActive(this.active + 1),
      ArrowUp: () => this.setActive(this.active - 1),
      Home: () => this.setActive(0),
      End: () => this.setActive(this.rows.length - 1),
      Escape: () => this.close(),
      Enter: () => (this.many && event.ctrlKey ? this.send() : this.pick(this.active)),
      " ": () => this.pick(this.active),
      Tab: () => (this.many ? this.send() : this.close()),
    };
    if (!keys[event.key]) return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }
}
