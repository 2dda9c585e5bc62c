// Follows the events of the server and shows what changed. Nothing is shown from an event itself: it only says what to
// fetch again, so that a page that missed some is never wrong for long.

import { fetchHtml, morph } from "./morph.js";

const PAUSE = 120;

/** Begins to follow; `after` is told of what was put on the page. */
export function follow(after) {
  const address = document.body.dataset.events;
  if (!address) return;
  const changed = new Set();
  let timer = null;
  let busy = false;
  const refresh = async () => {
    timer = null;
    if (busy) { timer = setTimeout(refresh, PAUSE); return; }
    busy = true;
    const steps = [...changed];
    changed.clear();
    try { await show(steps); after(document); } catch { /* the next event, or the next connection, tries again */ }
    busy = false;
  };
  const soon = () => { timer ??= setTimeout(refresh, PAUSE); };
  const source = new EventSource(address);
  const onEvent = (event) => {
    try {
      const { step } = JSON.parse(event.data);
      if (step) changed.add(step);
    } catch { /* a heartbeat */ }
    soon();
  };
  source.onmessage = onEvent;
  for (const name of (document.body.dataset.eventNames ?? "").split(" ").filter(Boolean)) source.addEventListener(name, onEvent);
  source.onopen = soon;
  source.onerror = () => tell("The connection to the server was lost. It is tried again.");
  addEventListener("pagehide", () => source.close());
  setInterval(() => { if (document.querySelector(".pulse")) soon(); }, 5000);
}

/** Words for those who do not see the page. */
export function tell(text) {
  const live = document.getElementById("live");
  if (live.textContent !== text) live.textContent = text;
}

async function show(steps) {
  const run = document.querySelector("[data-run]");
  if (run && steps.length < 200) {
    const names = steps.map(encodeURIComponent).join(",");
    await showRun(run, await fetchHtml(`/runs/${run.dataset.run}/live?steps=${names}`));
    return;
  }
  const page = await fetchHtml(location.pathname + location.search);
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh) continue;
    if (isEditing(part) && fresh.dataset.digest !== part.dataset.digest) { offerReload(); continue; }
    if (!isEditing(part)) morph(part, fresh);
  }
  const bar = page.getElementById("bar");
  if (bar) morph(document.getElementById("bar"), bar);
}

async function showRun(run, fresh) {
  const before = run.querySelector("#run-head")?.dataset.status;
  for (const part of [...fresh.children]) {
    const old = document.getElementById(part.id);
    if (old) morph(old, part);
    else if (part.matches(".run-step")) document.getElementById("steps").append(part);
  }
  for (const row of run.querySelectorAll(".run-step")) colour(row);
  const status = run.querySelector("#run-head")?.dataset.status;
  if (status && status !== before) tell(`The run is ${status}.`);
}

/** The box of a step in the graph has the colour of its state. */
function colour(row) {
  const box = document.getElementById(`node-${row.dataset.step}`)?.querySelector("g");
  const name = `is-${row.dataset.state}`;
  if (!box || box.classList.contains(name)) return;
  for (const old of [...box.classList]) if (old.startsWith("is-")) box.classList.remove(old);
  box.classList.add(name);
}

function isEditing(part) {
  const field = document.activeElement;
  return field?.matches("input, textarea, select") && part.contains(field);
}

/** Somebody else changed what is being edited: nothing is overwritten. */
function offerReload() {
  if (document.getElementById("changed-elsewhere")) return;
  const notice = document.createElement("div");
  notice.id = "changed-elsewhere";
  notice.className = "toast";
  notice.setAttribute("role", "alert");
  const text = document.createElement("span");
  text.textContent = "This plan was changed elsewhere. Your text is still here; saving it will be refused.";
  const button = document.createElement("button");
  button.textContent = "Load the new version";
  button.addEventListener("click", () => location.reload());
  notice.append(text, button);
  document.body.append(notice);
}
