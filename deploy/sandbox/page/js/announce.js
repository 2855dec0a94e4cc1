// What a screen reader says when something happens elsewhere on the page.

const LONGEST = 600;

/** Speak `text` when the reader is free. */
export function announce(text) {
  const region = document.getElementById("announcer");
  // Several things may happen at once: each gets its own line.
  const line = document.createElement("p");
  line.textContent = text.slice(0, LONGEST);
  region.append(line);
  while (region.children.length > 4) region.firstChild.remove();
}
