// The bot's commands as a flat list, in which each subcommand is an entry of its own.

const SUBCOMMAND = 1;
const GROUP = 2;

/**
 * Turn registered slash commands into entries, in a person's language.
 *
 * @returns {{id, name, label, description, options}[]} `name` is the bot's name for
 *   it, `label` the name in this person's language
 */
export function flatten(commands, locale) {
  const out = [];
  for (const command of commands) {
    if ((command.type ?? 1) !== 1) continue;
    const parts = [];
    collect(parts, command, command.name, local(command, "name", locale), locale);
    out.push(...parts.map((part) => ({ ...part, id: command.id })));
  }
  return out.sort((one, other) => one.label.localeCompare(other.label));
}

/** Return the commands of one kind of context menu: 2 of people, 3 of messages. */
export function menuCommands(commands, kind, locale) {
  return commands.filter((command) => command.type === kind)
    .map((command) => ({ name: command.name, label: local(command, "name", locale) }));
}

function local(part, field, locale) {
  return part[`${field}_localizations`]?.[locale] ?? part[field] ?? "";
}

function collect(out, node, name, label, locale) {
  const inner = (node.options ?? []).filter((option) => option.type === SUBCOMMAND || option.type === GROUP);
  if (inner.length) {
    for (const option of inner) collect(out, option, `${name} ${option.name}`, `${label} ${local(option, "name", locale)}`, locale);
    return;
  }
  out.push({ name, label, description: local(node, "description", locale), options: sorted(node.options ?? []).map((option) => inWords(option, locale)) });
}

function inWords(option, locale) {
  const choices = option.choices?.map((choice) => ({ ...choice, name: local(choice, "name", locale) }));
  return { ...option, label: local(option, "name", locale), description: local(option, "description", locale), choices };
}

function sorted(options) {
  return [...options].sort((one, other) => Number(Boolean(other.required)) - Number(Boolean(one.required)));
}

function names(entry) {
  return [entry.label.toLowerCase(), entry.name.toLowerCase()];
}

/**
 * Return the entries that `typed` (without its slash) may mean, best first.
 */
export function matching(entries, typed) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return entries;
  const rank = (entry) => {
    const known = names(entry);
    if (known.includes(wanted)) return 0;
    if (known.some((name) => name.startsWith(wanted))) return 1;
    if (known.some((name) => name.includes(wanted))) return 2;
    return entry.description.toLowerCase().includes(wanted) ? 3 : 4;
  };
  return entries.map((entry) => [rank(entry), entry]).filter(([order]) => order < 4)
    .sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

/** Return whether `typed` is part of a command's name, and not only of its description. */
export function isNamed(entry, typed) {
  const wanted = typed.trim().toLowerCase();
  return names(entry).some((name) => name.includes(wanted));
}

/** Return the entry whose full name is exactly `typed`, if there is one. */
export function exactly(entries, typed) {
  return entries.find((entry) => names(entry).includes(typed.trim().toLowerCase()));
}

/** Return the entry whose name and a space begin `text`, and the rest of `text`. */
export function started(entries, text) {
  const lower = text.toLowerCase();
  const known = entries.flatMap((entry) => names(entry).map((name) => [name, entry]));
  const [name, entry] = known.sort(([one], [other]) => other.length - one.length)
    .find(([each]) => lower.startsWith(`${each} `)) ?? [];
  return entry ? [entry, text.slice(name.length + 1)] : [null, null];
}

/**
 * Parse what follows a command's name: "level:3 first:you".
 *
 * @returns {Object} option name -> text; text before the first name is dropped
 */
export function parseTyped(text, options) {
  const known = new Map(options.flatMap((option) => [[option.name, option.name], [option.label, option.name]]));
  const found = {};
  const pattern = /(?:^|\s)([\p{L}\p{N}_'-]+):/gu;
  const starts = [...text.matchAll(pattern)].filter((match) => known.has(match[1]));
  starts.forEach((match, index) => {
    const end = starts[index + 1]?.index ?? text.length;
    found[known.get(match[1])] = text.slice(match.index + match[0].length, end).trim();
  });
  return found;
}
