// A chosen command with its options as fields; Enter sends, Esc closes.

import { el, icon, iconButton } from "./dom.js";
import { OptionField } from "./option_fields.js";

/**
 * Build the form of a command.
 *
 * @param {Object} entry of commands.js
 * @param {Object} hooks `send(options)`, `close()`, `things(option)`, `suggest(options, focused)`
 */
export class CommandForm {
  constructor(entry, hooks) {
    this.hooks = hooks;
    const sources = { things: hooks.things, suggest: (option, text) => this.suggest(option, text) };
    this.fields = entry.options.map((option) => new OptionField(option, sources));
    this.sendButton = el("button", { type: "submit", class: "button is-primary", data: { send: "" } }, icon("send"), el("span", {}, "Send"));
    this.node = el("form", {
      class: "command-form", data: { commandForm: entry.name }, novalidate: true, "aria-label": `Command /${entry.label}`,
      on: { submit: (event) => this.submit(event), keydown: (event) => this.onKey(event) },
    },
    el("div", { class: "command-head" },
      el("div", { class: "command-title" }, el("b", {}, `/${entry.label}`), el("span", {}, entry.description)),
      iconButton("close", "Close the command", () => hooks.close())),
    el("div", { class: "fields" }, this.fields.map((field) => field.node)),
    el("div", { class: "command-foot" },
      el("p", { class: "keys" }, el("kbd", {}, "Enter"), " sends, ", el("kbd", {}, "Esc"), " closes"), this.sendButton));
  }

  focus() {
    (this.fields[0]?.input ?? this.sendButton).focus();
  }

  onKey(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      this.hooks.close();
    }
    // A browser's select opens on Enter or ignores it; here Enter always sends.
    if (event.key === "Enter" && event.target.tagName === "SELECT") this.submit(event);
  }

  /** Fill in what was typed after the command's name. */
  fill(typed) {
    for (const field of this.fields) {
      if (field.option.name in typed) field.fill(typed[field.option.name]);
    }
  }

  submit(event) {
    event.preventDefault();
    const options = {};
    let wrong = null;
    for (const field of this.fields) {
      const { value, error } = field.read();
      if (error) wrong ??= field;
      else if (value !== undefined) options[field.option.name] = value;
    }
    if (wrong) wrong.input.focus();
    else this.hooks.send(options);
  }

  suggest(option, text) {
    const options = {};
    for (const field of this.fields) {
      if (field.option === option) options[option.name] = text;
      else {
        const { value } = field.check();
        if (value !== undefined && !(value instanceof File)) options[field.option.name] = value;
      }
    }
    return this.hooks.suggest(options, option.name);
  }
}
