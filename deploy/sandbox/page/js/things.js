// People and channels as choices, and by name for mentions.

import { channelTitle } from "./channels.js";
import { flatten } from "./commands.js";
import { displayName } from "./dom.js";

const OPTION = { channel: 7, role: 8, mentionable: 9 };
const SELECT = { user: 5, role: 6, mentionable: 7, channel: 8 };

export class Things {
  /** @param {() => Object} state the page's current state */
  constructor(state) {
    this.state = state;
  }

  /** Names by id, for mentions in markdown. */
  names() {
    const { users, bot, channels, me, commands, roles } = this.state();
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
    if (option.type === OPTION.channel) return this.channels(option.channel_types);
    if (option.type === OPTION.role) return this.roles();
    return option.type === OPTION.mentionable ? [...this.people(), ...this.roles()] : this.people();
  }

  /** Choices of a select that lists no options of its own. */
  forSelect(component) {
    const preset = new Set((component.default_values ?? []).map((item) => String(item.id)));
    const lists = {
      [SELECT.user]: () => this.people(),
      [SELECT.role]: () => this.roles(),
      [SELECT.mentionable]: () => [...this.people(), ...this.roles()],
      [SELECT.channel]: () => this.channels(component.channel_types),
    };
    return (lists[component.type]?.() ?? []).map((item) => ({ ...item, default: preset.has(item.value) }));
  }

  people() {
    const { users, bot } = this.state();
    return [...users, bot].map((user) => ({ value: user.id, label: displayName(user) }));
  }

  roles() {
    return this.state().roles.map((role) => ({ value: role.id, label: role.name.startsWith("@") ? role.name : `@${role.name}` }));
  }

  // Only those of the server in view, as in Discord's own client.
  channels(types) {
    const { channels, channelId } = this.state();
    const here = channels.find((channel) => channel.id === channelId)?.guild_id;
    return channels
      .filter((channel) => channel.guild_id && (!here || channel.guild_id === here))
      .filter((channel) => !types?.length || types.includes(channel.type))
      .map((channel) => ({ value: channel.id, label: channelTitle(channel) }));
  }
}
