// People and channels as choices, and by name for mentions.

import { channelTitle } from "./channels.js";
import { flatten } from "./commands.js";
import { displayName } from "./dom.js";

// What there is to choose from, by the type of an option or select.
const OPTIONS = { 6: "people", 7: "channels", 8: "roles", 9: "mentionables" };
const SELECTS = { 5: "people", 6: "roles", 7: "mentionables", 8: "channels" };

export class Things {
  constructor(app) {
    this.app = app;
  }

  /** Names by id, for mentions in markdown. */
  names() {
    const { users, bot, channels, me } = this.app.state;
    const { commands, roles } = this.app.place;
    return {
      me: me.id,
      roles: Object.fromEntries(roles.map((role) => [role.id, role])),
      users: Object.fromEntries([...users, bot].map((user) => [user.id, displayName(user)])),
      channels: Object.fromEntries(channels.map((channel) => [channel.id, channel.name ?? "direct message"])),
      commands: Object.fromEntries(flatten(commands, me.locale).map(({ name, id, label }) => [`${name}:${id}`, label])),
    };
  }

  /** Choices of a command's option. */
  forOption(option) {
    return this[OPTIONS[option.type]](option.channel_types);
  }

  /** Choices of a select that lists no options of its own. */
  forSelect(component) {
    const preset = new Set((component.default_values ?? []).map((item) => String(item.id)));
    const found = this[SELECTS[component.type]]?.(component.channel_types) ?? [];
    return found.map((item) => ({ ...item, default: preset.has(item.value) }));
  }

  people() {
    const { users, bot } = this.app.state;
    return [...users, bot].map((user) => ({ value: user.id, label: displayName(user) }));
  }

  roles() {
    return this.app.place.roles.map((role) => ({ value: role.id, label: role.name.startsWith("@") ? role.name : `@${role.name}` }));
  }

  mentionables() {
    return [...this.people(), ...this.roles()];
  }

  // Only those of the server in view, as in Discord's own client.
  channels(types) {
    const here = this.app.channel()?.guild_id;
    return this.app.state.channels
      .filter((channel) => channel.guild_id && (!here || channel.guild_id === here))
      .filter((channel) => !types?.length || types.includes(channel.type))
      .map((channel) => ({ value: channel.id, label: channelTitle(channel) }));
  }
}
