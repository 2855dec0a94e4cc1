// Connects the parts: the sandbox's events go to the views, the user's actions to
// the sandbox.

import { act, load } from "./api.js";
import { announce } from "./announce.js";
import { Banners } from "./banners.js";
import { ChannelList, channelTitle } from "./channels.js";
import { Composer } from "./composer.js";
import { displayName } from "./dom.js";
import { menuCommands } from "./commands.js";
import { Company } from "./company.js";
import { Guide } from "./guide.js";
import { Hands } from "./hands.js";
import { placeName } from "./inline.js";
import { Live } from "./live.js";
import { MessageList } from "./message_list.js";
import { readPlace, writePlace } from "./place.js";
import { News } from "./news.js";
import { whenReleased } from "./press.js";
import { Things } from "./things.js";
import { UserSwitch } from "./users.js";

export class App {
  constructor() {
    this.state = null; // users, me, bot, channels, unread as the sandbox has them
    this.place = { commands: [], roles: [] }; // what there is in the open channel
    this.waiting = null; // events that came while the channel was being loaded
    this.channelId = null;
    this.banners = new Banners();
    this.things = new Things(this);
    this.messages = new MessageList({
      scene: (message) => ({ ...this.hands.scene(message), ...this.company.scene(message) }),
      welcome: () => this.guide.welcome(),
    });
    this.hands = new Hands(this);
    this.company = new Company(this);
    this.guide = new Guide(this);
    this.news = new News(this);
    this.channels = new ChannelList(this);
    this.users = new UserSwitch(this);
    this.composer = new Composer(this);
    this.live = new Live({
      event: (kind, data) => whenReleased(() => this.heard(kind, data)),
      open: (isFirst) => whenReleased(() => this.opened(isFirst)),
      lost: () => this.banners.set("connection", "Connection to the sandbox lost. Trying again…"),
    });
    document.addEventListener("click", (event) => {
      const command = event.target.closest?.("button[data-command]");
      if (command) this.composer.openByName(command.dataset.command);
      const jump = event.target.closest?.("[data-jump]");
      if (jump) this.jump(jump.dataset.jump, jump.dataset.jumpMessage);
      // In the header a click already does something else: it switches to that person.
      const person = event.target.closest?.("[data-person]:not([data-become])");
      if (person) this.company.openPerson(person);
    });
    document.addEventListener("contextmenu", (event) => {
      const person = event.target.closest?.("[data-person]");
      if (!person) return;
      event.preventDefault();
      // A menu opened by keyboard has no position.
      this.company.openPerson(person, event.button === 2 ? { x: event.clientX, y: event.clientY } : null);
    });
  }

  /** Find out who is looking, then listen to the sandbox as that user. */
  async start() {
    const place = readPlace();
    this.channelId = place.channel;
    try {
      await this.loadState(place.user);
    } catch (error) {
      this.banners.set("connection", `${error.message} Trying again…`);
      setTimeout(() => this.start(), 1500);
      return;
    }
    this.live.connect(this.state.me.id);
  }

  /** Go where the address now points. */
  follow() {
    const place = readPlace();
    if (place.user && place.user !== this.state?.me.id) this.become(place.user, place.channel);
    else if (place.channel && place.channel !== this.channelId) this.open(place.channel);
  }

  /** Switch to another user. */
  async become(user, channel = this.channelId) {
    this.channelId = channel;
    document.getElementById("app").dataset.ready = "false";
    this.messages.clear();
    this.composer.clear();
    await this.loadState(user);
    announce(`You are now ${displayName(this.state.me)}`);
    this.live.connect(this.state.me.id);
  }

  /** Show a channel. */
  async open(id) {
    if (id !== this.channelId) {
      this.messages.clear();
      this.composer.leaveForm();
    }
    this.channelId = id;
    this.channels.close();
    this.showFrame();
    await this.loadChannel();
  }

  /** Go to a message, or to a channel's end. */
  async jump(channel, message) {
    if (channel !== this.channelId) await this.open(channel);
    this.messages.show(message);
  }

  /** Open the conversation with the bot, or with a person. */
  async openDirect(other) {
    const { id } = await this.request("/sandbox/direct", other ? { with: other } : {});
    await this.loadState(this.state.me.id);
    await this.open(id);
  }

  async loadState(user) {
    this.state = await load("/sandbox/state", user ? { user } : {});
    const known = this.state.channels.find((channel) => channel.id === this.channelId || channel.name === this.channelId);
    this.channelId = (known ?? this.state.channels[0])?.id ?? null;
    this.showFrame();
  }

  async loadChannel() {
    const id = this.channelId;
    if (!id) return;
    // Events that come meanwhile may or may not be in the answer: they are handled again after it.
    this.waiting ??= [];
    const { messages, ...place } = await load("/sandbox/channel", { user: this.state.me.id, channel: id });
    if (id !== this.channelId) return; // another one was opened meanwhile
    this.place = place;
    this.composer.setCommands(place.commands, this.state.me.locale);
    this.messages.showAll(messages);
    this.news.seen();
    const events = this.waiting ?? [];
    this.waiting = null;
    for (const [kind, data] of events) this.heard(kind, data);
  }

  // Everything around the messages.
  showFrame() {
    const { me, bot, users, channels } = this.state;
    const channel = this.channel();
    writePlace(me.id, this.channelId);
    this.channels.show(channels, this.channelId, bot);
    this.channels.showTitle(channel, this.company.channelActions(channel));
    this.users.show(users, me, this.state.locales);
    this.composer.setPlaceholder(channel ? channelTitle(channel) : "…");
    this.news.show();
    this.guide.showPeople();
    this.showPlaces();
    this.showBot(bot.online);
  }

  // A text may link to a thread before this window knows of it.
  showPlaces() {
    const names = this.things.names();
    for (const node of document.querySelectorAll("[data-jump]:not([data-jump-message])")) {
      node.textContent = placeName([null, node.dataset.jump], names);
    }
  }

  showBot(online) {
    this.state.bot.online = online;
    this.channels.showBot(this.state.bot);
    this.banners.set("bot", online ? "" : `${displayName(this.state.bot)} is offline: nothing answers commands and buttons until it is started.`);
  }

  async opened(isFirst) {
    // After a gap the state may have changed as well: load all of it again.
    try {
      if (isFirst) await this.loadChannel();
      else await this.refresh();
    } catch (error) {
      this.banners.set("connection", error.message);
      return;
    }
    this.banners.set("connection", "");
    document.getElementById("app").dataset.ready = "true";
  }

  async refresh() {
    await this.loadState(this.state.me.id);
    await this.loadChannel();
  }

  heard(kind, data) {
    if (this.waiting && kind.startsWith("message_")) {
      this.waiting.push([kind, data]);
      return;
    }
    const handlers = {
      message_create: () => this.heardMessage(data, (message) => {
        this.composer.hideTyping();
        this.messages.add(message);
      }),
      message_update: () => this.heardMessage(data, (message) => this.messages.update(message)),
      message_delete: () => data.channel_id === this.channelId && this.messages.remove(data.id),
      bot: () => this.showBot(data.online),
      commands: () => this.loadChannel(),
      channel_create: () => this.loadState(this.state.me.id),
      channel_update: () => this.loadState(this.state.me.id),
      channel_delete: () => this.refresh(),
      unread: () => this.news.heard(data),
      person: () => this.refresh(),
      typing: () => data.channel_id === this.channelId && data.user_id !== this.state.me.id && this.composer.showTyping(displayName(data.user)),
    };
    handlers[kind]?.();
  }

  heardMessage(message, show) {
    if (message.channel_id === this.channelId) show(message);
  }

  channel() {
    return this.state?.channels.find((channel) => channel.id === this.channelId) ?? null;
  }

  /** Commands of the context menu of people (2) or messages (3). */
  menu(kind) {
    return menuCommands(this.place.commands, kind, this.state.me.locale);
  }

  request(path, body) {
    return act(path, { user: this.state.me.id, ...body });
  }
}
