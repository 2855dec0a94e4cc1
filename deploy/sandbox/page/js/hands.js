// A user's actions (messages, commands, buttons, selects, modals) and their state:
// pending, answered, failed.

import { clearPending, setPending } from "./buttons.js";
import { displayName, dots, el, icon } from "./dom.js";
import { withFiles } from "./files.js";
import { showModal } from "./modal.js";
import { whenReleased } from "./press.js";

const FAILED = "This interaction failed";
const UNANSWERED = "The application did not respond";

export class Hands {
  constructor(app) {
    this.app = app;
  }

  /** Return what the components of `message` need to be built and used. */
  scene(message) {
    return {
      names: this.app.things.names(),
      people: (component) => this.app.things.forSelect(component),
      act: (component, how) => this.use(message, component, how),
      dismiss: () => this.dismiss(message),
    };
  }

  /** Ask the sandbox for something; a note says why it refused. */
  async try(path, body) {
    try {
      await this.app.request(path, body);
    } catch (error) {
      this.note(error.message, true);
    }
  }

  /** Write a message. */
  say(content) {
    return this.try("/sandbox/say", { channel: this.app.channelId, content });
  }

  /** Run a command; a note stands for it until the bot has answered. Return whether it did. */
  async run(entry, options) {
    const note = this.note(`/${entry.label} was sent to ${displayName(this.app.state.bot)}`);
    return this.ask(note, async (channel) => this.app.request("/sandbox/slash", {
      channel, command: entry.name, options: await withFiles(options),
    }));
  }

  // Send a command; the note stands for it until the answer. Return whether it was answered.
  async ask(note, send) {
    const channel = this.app.channelId;
    try {
      const outcome = await send(channel);
      whenReleased(() => note.remove());
      this.settle(outcome, () => channel === this.app.channelId && this.note(UNANSWERED, true));
      return outcome.state !== "failed";
    } catch (error) {
      whenReleased(() => note.remove());
      this.note(error.message, true);
      return false;
    }
  }

  /** Ask the bot for suggestions for an option. */
  async suggest(entry, options, focused) {
    const outcome = await this.app.request("/sandbox/autocomplete", {
      channel: this.app.channelId, command: entry.name, options, focused,
    });
    return outcome.choices;
  }

  // Press a button or choose in a select.
  async use(message, component, { node, values }) {
    const body = node.closest("[data-body]");
    if (body.dataset.pending) return;
    this.fail(message.id, "");
    setPending(body, node);
    const where = { channel: message.channel_id, message: message.id, custom_id: component.custom_id };
    try {
      const outcome = await (values
        ? this.app.request("/sandbox/select", { ...where, values })
        : this.app.request("/sandbox/press", where));
      this.settle(outcome, () => this.fail(message.id, FAILED));
    } catch (error) {
      this.fail(message.id, error.message);
    } finally {
      clearPending(body);
    }
  }

  settle(outcome, failed) {
    if (outcome.state === "failed") failed();
    else if (outcome.modal) this.openModal(outcome);
  }

  openModal({ interaction, modal }) {
    showModal(modal, {
      names: this.app.things.names(),
      things: (component) => this.app.things.forSelect(component),
      submit: async (values) => {
        try {
          const outcome = await this.app.request("/sandbox/modal", { interaction, values: await withFiles(values) });
          return outcome.state === "failed" ? "Something went wrong. Try again." : null;
        } catch (error) {
          return error.message;
        }
      },
    });
  }

  /** Use a command of a context menu: of a message, or of a person. */
  async useMenu(command, target) {
    const note = this.note(`${command.label} was sent to ${displayName(this.app.state.bot)}`);
    await this.ask(note, (channel) => this.app.request("/sandbox/menu", { channel, command: command.name, ...target }));
  }

  dismiss(message) {
    this.app.messages.remove(message.id);
    return this.try("/sandbox/dismiss", { channel: message.channel_id, message: message.id });
  }

  // Say under a message that its last interaction failed.
  fail(messageId, text) {
    whenReleased(() => {
      const line = this.app.messages.entries.get(messageId)?.node.querySelector(".message-main > .failure");
      if (!line) return;
      line.replaceChildren(...(text ? [icon("warn"), text] : []));
      line.hidden = !text;
    });
  }

  note(text, failed = false) {
    const node = el("li", { class: failed ? "note is-failed" : "note", role: failed ? "alert" : "status", data: { note: failed ? "failed" : "pending" } },
      failed ? icon("warn") : dots(), el("span", {}, text));
    if (failed) node.append(el("button", { type: "button", class: "text-button", on: { click: () => node.remove() } }, "Dismiss"));
    this.app.messages.addNote(node);
    return node;
  }
}
