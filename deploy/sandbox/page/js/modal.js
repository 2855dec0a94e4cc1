// A modal: the bot asks for something in a dialog.

import { el, freshId, iconButton } from "./dom.js";
import { markdown } from "./markdown.js";
import { ModalField } from "./modal_fields.js";

const [ROW, TEXT_INPUT, TEXT, LABEL] = [1, 4, 10, 18];

/**
 * Show a modal.
 *
 * @param {Object} modal `title`, `custom_id`, `components`
 * @param {Object} hooks `submit(values) => Promise<string|null>` (an error text
 *   or null), `things(component)`, `names`
 */
export function showModal(modal, hooks) {
  return new Modal(modal, hooks).show();
}

class Modal {
  constructor(modal, hooks) {
    this.hooks = hooks;
    this.fields = [];
    const titleId = freshId("modal-title");
    const close = () => this.node.close();
    this.submitButton = el("button", { type: "submit", class: "button is-primary", data: { submit: "" } }, "Submit");
    this.error = el("p", { class: "failure", role: "alert", hidden: true });
    const parts = (modal.components ?? []).map((component) => this.part(component));
    const form = el("form", { novalidate: true, on: { submit: (event) => this.submit(event) } },
      el("div", { class: "modal-head" }, el("h2", { id: titleId }, modal.title), iconButton("close", "Close", close)),
      el("div", { class: "modal-body" }, parts, this.error),
      el("div", { class: "modal-foot" },
        el("button", { type: "button", class: "button is-secondary", on: { click: close } }, "Cancel"), this.submitButton));
    this.node = el("dialog", { class: "modal", "aria-labelledby": titleId, data: { modal: modal.custom_id }, on: { close: () => this.node.remove() } }, form);
  }

  part(component) {
    if (component.type === TEXT) return el("div", { class: "text" }, markdown(component.content, this.hooks.names));
    if (component.type === LABEL) return this.field(component.component, component.label, component.description);
    if (component.type === ROW) return component.components.map((inner) => this.field(inner, inner.label));
    if (component.type === TEXT_INPUT) return this.field(component, component.label);
    return el("p", { class: "unknown" }, `(component of type ${component.type}, not shown here)`);
  }

  field(component, label, description) {
    const field = new ModalField(component, { label, description, things: this.hooks.things });
    this.fields.push(field);
    return field.node;
  }

  show() {
    document.body.append(this.node);
    this.node.showModal();
    this.fields[0]?.focus();
  }

  async submit(event) {
    event.preventDefault();
    const values = {};
    let wrong = null;
    for (const field of this.fields) {
      if (!field.check()) wrong ??= field;
      values[field.customId] = field.value();
    }
    if (wrong) {
      wrong.focus();
      return;
    }
    this.setBusy(true);
    const problem = await this.hooks.submit(values);
    this.setBusy(false);
    if (problem) {
      this.error.textContent = problem;
      this.error.hidden = false;
    } else this.node.close();
  }

  setBusy(busy) {
    this.submitButton.disabled = busy;
    this.submitButton.textContent = busy ? "Sending…" : "Submit";
  }
}
