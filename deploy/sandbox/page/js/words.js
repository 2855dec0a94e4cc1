// A message as one line of plain words: spoken, or shown where it is quoted.

import { displayName } from "./dom.js";
import { stampsInWords } from "./time.js";

export const EPHEMERAL = 1 << 6;

/** Return who says what, for a screen reader. */
export function spokenMessage(message) {
  const whisper = message.flags & EPHEMERAL ? " (only you can see this)" : "";
  return `${displayName(message.author)}${whisper}: ${summary(message)}`;
}

/** Return a message's words, else what its pictures show. */
export function summary(message) {
  const words = [message.content ?? ""];
  const pictures = [];
  for (const part of walk(message.components ?? [])) {
    if (part.type === 10) words.push(part.content);
    for (const item of part.items ?? []) pictures.push(item.description ?? "");
  }
  for (const embed of message.embeds ?? []) words.push(embed.title ?? "", embed.description ?? "");
  return plain(words.filter(Boolean).join("\n")) || plain(pictures.filter(Boolean).join(". ")) || "a message without words";
}

function* walk(components) {
  for (const part of components) {
    yield part;
    yield* walk(part.components ?? []);
  }
}

function plain(markdown) {
  return stampsInWords(markdown).replace(/<(\/[\w -]+):\d+>/g, "$1").replace(/[*_~`|#>]+|-#/g, "").replace(/\s+/g, " ").trim();
}
