// The bot's commands as a flat list: a command with subcommands is one entry each.

const SUBCOMMAND = 1;
const GROUP = 2;

/** Turn registered commands into entries {name, description, options}. */
export function flatten(commands) {
  const out = [];
  for (const command of commands) {
    if ((command.type ?? 1) !== 1) continue;
    collect(out, command, command.name);
  }
  return out.sort((one, other) => one.name.localeCompare(other.name));
}

function collect(out, node, name) {
  const inner = (node.options ?? []).filter((option) => option.type === SUBCOMMAND || option.type === GROUP);
  if (inner.length) {
    for (const option of inner) collect(out, option, `${name} ${option.name}`);
    return;
  }
  out.push({ name, description: node.description ?? "", options: sorted(node.options ?? []) });
}

function sorted(options) {
  return [...options].sort((one, other) => Number(Boolean(other.required)) - Number(Boolean(one.required)));
}

/**
 * Return the entries that `typed` (without its slash) may mean, best first.
 */
export function matching(entries, typed) {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return entries;
  const rank = (entry) => {
    const name = entry.name.toLowerCase();
    if (name === wanted) return 0;
    if (name.startsWith(wanted)) return 1;
    if (name.includes(wanted)) return 2;
    return entry.description.toLowerCase().includes(wanted) ? 3 : 4;
  };
  return entries.map((entry) => [rank(entry), entry]).filter(([order]) => order < 4)
    .sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

/** Return the entry whose full name is `typed`, if it can be no other. */
export function exactly(entries, typed) {
  return entries.find((entry) => entry.name.toLowerCase() === typed.trim().toLowerCase());
}

/**
 * Take apart what follows a command's name: "level:3 first:you".
 *
 * @returns {Object} option name -> text; text before the first name is dropped
 */
export function parseTyped(text, options) {
  const names = options.map((option) => option.name);
  const found = {};
  const pattern = /(?:^|\s)([\w-]+):/g;
  const starts = [...text.matchAll(pattern)].filter((match) => names.includes(match[1]));
  starts.forEach((match, index) => {
    const end = starts[index + 1]?.index ?? text.length;
    found[match[1]] = text.slice(match.index + match[0].length, end).trim();
  });
  return found;
}
