// Pictures of messages: sized before they load, exchanged without a flash,
// enlarged on a click.

import { el, icon, iconButton, linkOut, ownUrl } from "./dom.js";

/**
 * Build a picture, or update the one shown at the same place.
 *
 * @param {Object} item with `media` ({url, width, height}), `description`, `spoiler`
 * @param {string} path place in the message
 * @param {{earlier: Map, pictures: Map}} scene pictures by path: shown before, shown now
 * @param {"gallery"|"thumbnail"} kind
 */
export function picture(item, path, scene, kind) {
  const media = item.media ?? item;
  const address = ownUrl(media.url);
  // Nothing from elsewhere is ever loaded: an outside picture is a link.
  if (!address) return outside(item, media.url);
  // The element itself moves into the new message: the old picture stays in view
  // until the new one is ready.
  const frame = scene.earlier.get(path) ?? frameFor(path, kind);
  scene.pictures.set(path, frame);
  describe(frame, item, media);
  show(frame, address);
  return frame;
}

function frameFor(path, kind) {
  const image = el("img", { alt: "", decoding: "async", draggable: "false", data: { picture: path } });
  // The button lies over the picture and not around it: inside a button a screen
  // reader would no longer find a picture with a description.
  return el("div", { class: `picture is-${kind}` }, image, el("button", {
    type: "button", class: "enlarge", "aria-label": "Enlarge the picture", data: { path: `${path}.enlarge` }, on: { click: () => enlarge(image) },
  }));
}

function describe(frame, item, media) {
  const image = frame.querySelector("img");
  image.alt = item.description || "Picture without a description";
  if (media.width && media.height) {
    image.width = media.width;
    image.height = media.height;
    frame.style.setProperty("--ratio", String(media.width / media.height));
    frame.style.setProperty("--natural", `${media.width}px`);
  }
}

async function show(frame, address) {
  const image = frame.querySelector("img");
  if (image.dataset.src === address) return;
  image.dataset.src = address;
  image.dataset.state = "loading";
  const load = new Image();
  load.src = address;
  try {
    await load.decode();
  } catch {
    if (image.dataset.src !== address) return;
    image.dataset.state = "failed";
    image.src = address; // let the browser show the alternative text
    return;
  }
  // A newer picture may have been requested while this one was loading.
  if (image.dataset.src !== address) return;
  image.src = address;
  image.dataset.state = "ready";
}

function outside(item, address) {
  const safe = /^https?:\/\//i.test(address ?? "");
  return linkOut(safe && address, { class: "file" }, icon("out"), el("span", {}, item.description || "Picture elsewhere"));
}

function enlarge(image) {
  const ratio = image.naturalWidth / image.naturalHeight || 1;
  const dialog = el("dialog", {
    class: "lightbox", "aria-label": "Picture",
    on: { click: (event) => event.target === dialog && dialog.close(), close: () => dialog.remove() },
  }, el("img", { src: image.getAttribute("src"), alt: image.alt, style: { "--ratio": String(ratio) } }),
  iconButton("close", "Close the picture", () => dialog.close()));
  document.body.append(dialog);
  dialog.showModal();
}
