// Keys: j and k go through what is on the page, the others press what is marked with them.

import { activate, openPalette } from "./palette.js";

export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      event.preventDefault();
      openPalette();
      return;
    }
    const isTyping = event.target.closest("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "k") go(event.key === "j" ? 1 : -1);
    else if (event.key === "Enter") open(event);
    else if (event.key === "?") document.getElementById("keys").showModal();
    else press(event);
  });
}

function current() {
  return document.querySelector(".is-current");
}

/** To the next or the previous item. */
function go(by) {
  const items = [...document.querySelectorAll("[data-item]")];
  if (items.length === 0) return;
  const at = items.indexOf(current());
  const next = items[Math.min(items.length - 1, Math.max(0, at + by))] ?? items[0];
  current()?.classList.remove("is-current");
  next.classList.add("is-current");
  next.scrollIntoView({ block: "nearest" });
  const focus = next.querySelector("a, summary, button");
  focus?.focus({ preventScroll: true });
}

function open(event) {
  if (event.target.matches("a, button, summary")) return;
  current()?.querySelector("a.title, summary")?.click();
}

/** Presses what is marked with the key, in the current item if it has one. */
function press(event) {
  const marked = `[data-key="${CSS.escape(event.key)}"]`;
  const target = current()?.querySelector(marked) ?? document.querySelector(marked);
  if (!target) return;
  event.preventDefault();
  activate(target);
}
