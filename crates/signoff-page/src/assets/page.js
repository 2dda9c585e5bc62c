// What every page has: light and dark, copying, filters, more steps, and the modules of the screens.

import { follow, toEnd } from "./live.js";
import { fetchHtml, replaceChildren } from "./morph.js";
import { listenToKeys } from "./keyboard.js";
import { openPalette } from "./palette.js";
import { startReview } from "./review.js";
import { startEditor } from "./editor.js";
import { startForms } from "./forms.js";
import { startInbox } from "./inbox.js";
import { startNotifications } from "./notify.js";

/** Shows what works only with scripts. */
function reveal(root) {
  for (const element of root.querySelectorAll("button[hidden]")) element.hidden = false;
}

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("signoff-theme", root.dataset.theme);
}

/** Loads what is inside a step that was opened. */
async function fill(details) {
  if (!details.open || details.dataset.filled) return;
  details.dataset.filled = "yes";
  const inside = details.querySelector(":scope > .inside");
  try {
    replaceChildren(inside, await fetchHtml(`${details.dataset.fetches}?part=true`));
  } catch {
    // What stood there leads to the same; it is tried again when it is opened again.
    delete details.dataset.filled;
    return;
  }
  toEnd(inside);
}

async function onClick(event) {
  const element = event.target.closest("[data-copies], [data-theme-switch], [data-opens], [data-replaces], [data-more], [data-enlarges]");
  if (!element || event.ctrlKey || event.metaKey) return;
  const { copies, opens, replaces, enlarges } = element.dataset;
  if (copies !== undefined) {
    await navigator.clipboard.writeText(copies);
    element.textContent = "Copied";
  } else if (element.hasAttribute("data-theme-switch")) {
    switchTheme();
  } else if (opens === "palette") {
    openPalette();
  } else if (replaces !== undefined) {
    event.preventDefault();
    const place = document.getElementById(replaces);
    replaceChildren(place, await fetchHtml(`${element.getAttribute("href")}&part=true`));
    toEnd(place);
  } else if (enlarges !== undefined) {
    event.preventDefault();
    document.getElementById(enlarges).classList.toggle("is-large");
    nameEnlarged();
  } else {
    event.preventDefault();
    await loadMore(element);
  }
}

/** Puts the next steps in the place of the link that leads to them. */
async function loadMore(link) {
  const address = new URL(link.href);
  address.searchParams.set("part", "true");
  const more = link.closest(".more");
  more.replaceWith(await fetchHtml(address.pathname + address.search));
  reveal(document);
  watchMore();
}

const onSight = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) { onSight.unobserve(entry.target); loadMore(entry.target); }
});

function watchMore() {
  for (const link of document.querySelectorAll("#review [data-more]")) onSight.observe(link);
}

/** Filters as you type, a moment after the last key. */
function startFilters(form) {
  let timer;
  let asked = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const address = `/?${new URLSearchParams(new FormData(form))}`;
      const turn = ++asked;
      const page = await fetchHtml(address);
      // Somebody has typed on, and the answer to that was faster.
      if (turn !== asked) return;
      replaceChildren(document.getElementById("plans"), page.getElementById("plans"));
      history.replaceState(null, "", address);
    }, 250);
  });
}

/** How long it is told what was done. */
const TOLD = 10_000;

/** What was done is told once, not again when the page is loaded anew, and not for ever. */
function forgetWhatWasDone() {
  const notices = document.querySelector(".notices");
  if (notices) setTimeout(() => notices.classList.add("is-old"), TOLD);
  const address = new URL(location.href);
  if (!address.searchParams.has("done")) return;
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}

/** The graph in the size of the window, until escape. */
function closeLarge(event) {
  if (event.key === "Escape") document.querySelector(".card.is-large [data-enlarges]")?.click();
}

/** What the link at a graph does next. */
function nameEnlarged() {
  for (const link of document.querySelectorAll("[data-enlarges]")) {
    link.textContent = link.closest(".card").classList.contains("is-large") ? "Close" : "Enlarge";
    link.setAttribute("aria-label", `${link.textContent} the graph`);
  }
}

/** The keys as they are called here. */
function nameKeys() {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  if (!isMac) for (const key of document.querySelectorAll(".search-button kbd")) key.textContent = "Ctrl K";
}

reveal(document);
nameKeys();
nameEnlarged();
for (const inside of document.querySelectorAll("details[open] > .inside")) toEnd(inside);
watchMore();
forgetWhatWasDone();
document.addEventListener("keydown", closeLarge);
document.addEventListener("click", onClick);
document.addEventListener("toggle", (event) => { if (event.target.matches?.("[data-fetches]")) fill(event.target); }, true);
for (const form of document.querySelectorAll("[data-filters]")) startFilters(form);
listenToKeys();
startReview();
startEditor();
startForms();
startInbox();
startNotifications();
follow((root) => { reveal(root); nameKeys(); nameEnlarged(); });
