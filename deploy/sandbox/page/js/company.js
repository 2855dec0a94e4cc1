// What people do among themselves: reactions, threads, context menus, their settings.

import { DM, THREADS } from "./channels.js";
import { displayName, iconButton } from "./dom.js";
import { menuRow, menuTitle, openMenu } from "./menu.js";
import { showModal } from "./modal.js";
import { EPHEMERAL } from "./words.js";

const TEXT_CHANNEL = 0;
const HAS_THREAD = 1 << 5;

export class Company {
  constructor(app) {
    this.app = app;
  }

  /** Return what a message needs besides its components. */
  scene(message) {
    const { me } = this.app.state;
    const mine = this.app.place.roles.filter((role) => role.mine).map((role) => role.id);
    const named = (message.mentions ?? []).some((user) => user.id === me.id) || (message.mention_roles ?? []).some((role) => mine.includes(role));
    return {
      me: me.id,
      pings: message.author.id !== me.id && named,
      open: (id) => this.openThread(id),
      react: (emoji) => this.app.hands.try("/sandbox/react", { message: message.id, emoji }),
      menu: () => this.menuOf(message),
    };
  }

  // The actions on a message, collected when its menu opens.
  menuOf(message) {
    const whisper = Boolean(message.flags & EPHEMERAL);
    const channel = this.app.channel();
    const mayThread = !whisper && channel?.type === TEXT_CHANNEL && !(message.flags & HAS_THREAD);
    return {
      mayReact: !whisper,
      startThread: mayThread ? () => this.askForThread(message) : null,
      commands: [
        ...this.menuRows(3, "With this message", { message: message.id }),
        ...this.menuRows(2, `With ${displayName(message.author)}`, { target: message.author.id }),
      ],
    };
  }

  // The bot's commands for people (2) or messages (3), with a heading.
  menuRows(kind, title, target) {
    const commands = this.app.menu(kind);
    const row = (command) => menuRow(command.label, () => this.app.hands.useMenu(command, target), { menuCommand: command.name });
    return commands.length ? [menuTitle(title), ...commands.map(row)] : [];
  }

  /** Open the menu of a person, at `point` or below `opener`. */
  openPerson(opener, point) {
    const { users, bot, me } = this.app.state;
    const { person: id } = opener.dataset;
    const person = [...users, bot].find((user) => user.id === id);
    if (!person) return;
    const name = displayName(person);
    const own = [
      ...(person.bot || id === me.id ? [] : [menuRow(`Be ${name}`, () => this.app.become(id), { be: name })]),
      ...(id === me.id ? [] : [menuRow(`Write to ${name} alone`, () => this.app.openDirect(person.bot ? null : id), { write: name })]),
    ];
    const commands = this.menuRows(2, name, { target: id });
    openMenu(`${name}: what can be done`, [...(commands.length ? commands : [menuTitle(name)]), ...own], opener, point);
  }

  /** Return the buttons beside a channel's title. */
  channelActions(channel) {
    if (!channel || channel.type === DM) return [];
    if (!THREADS.includes(channel.type)) {
      return [action("thread", "Start a thread", "newThread", () => this.askForThread(null))];
    }
    const archived = channel.thread_metadata?.archived;
    return [action(archived ? "thread" : "check", archived ? "Open the thread again" : "Close the thread", "closeThread",
      () => this.app.hands.try("/sandbox/archive", { channel: channel.id, archived: !archived }))];
  }

  askForThread(message) {
    const name = { type: 4, custom_id: "name", style: 1, max_length: 100, required: true };
    const dialog = { title: "Start a thread", custom_id: "start-thread", components: [{ type: 18, label: "Name", component: name }] };
    showModal(dialog, {
      submit: async (values) => {
        try {
          const { id } = await this.app.request("/sandbox/thread", { channel: this.app.channelId, message: message?.id, name: values.name });
          await this.openThread(id);
          return null;
        } catch (error) {
          return error.message;
        }
      },
    });
  }

  // A thread that was just made may not be in this window's list yet.
  async openThread(id) {
    if (!this.app.state.channels.some((channel) => channel.id === id)) await this.app.loadState(this.app.state.me.id);
    await this.app.open(id);
  }

  /** Change this person's own settings. */
  change(settings) {
    return this.app.hands.try("/sandbox/person", settings);
  }
}

function action(name, words, hook, act) {
  return iconButton(name, words, act, { title: words, data: { [hook]: "" } });
}
