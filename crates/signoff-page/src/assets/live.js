// Follows the events of the server and shows what changed. Nothing is shown from an event itself: it only says what to
// fetch again, so that a page that missed some is never wrong for long.

import { fetchHtml, morph, morphChildren } from "./morph.js";

const PAUSE = 120;

/** What the server names its events; see the reference. Which it is does not matter here. */
const EVENTS = `plan_created run_started run_resumed run_paused run_finished run_landed run_undone landing_started plan_replanned
  step_started step_completed step_confirmed step_provisional step_failed step_skipped step_blocked step_waiting step_retried
  attempt_started attempt_interrupted work_item work_finished process_started retry_scheduled expanded condition_held
  baseline_started baseline_finished contract_started contract_finished call_started call_finished agent_call_started agent_call_finished
  candidate_started candidate_built merge_started merge_conflicted merged tree_prepared checkout_joined files_landed earlier_step
  budget_reserved budget_spent budget_exceeded inbox_opened inbox_answered inbox_closed pause_requested
  lock_awaited lock_freed day_limit_reached model_asked model_answered planning_spent recovery_requested
  replan_requested replan_dropped version_handed_in
  plan_draft plan_verified plan_proposed plan_approved plan_rejected plan_needs_review plan_executing plan_replanning plan_stalled
  plan_completed plan_failed plan_cancelled plan_archived plan_deleted plan_revised plan_commented`.split(/\s+/);

/** What changes how much waits for the person: questions, held files, and that a run is over. */
const CHANGES_BAR = /^(inbox_|run_|files_landed)/;

/** How long a page that nobody looks at follows on: a browser has few connections for all its pages. */
const HIDDEN = 60_000;

/** Begins to follow; `after` is told of what was put on the page. */
export function follow(after) {
  const address = document.body.dataset.events;
  if (!address) return;
  const changed = new Set();
  let timer = null;
  let busy = false;
  let bar = false;
  let last = null;
  let source = null;
  let away = null;
  const refresh = async () => {
    timer = null;
    if (busy) { timer = setTimeout(refresh, PAUSE); return; }
    busy = true;
    const steps = [...changed];
    const withBar = bar;
    changed.clear();
    bar = false;
    try { await show(steps, withBar); after(document); } catch { /* the next event, or the next connection, tries again */ }
    busy = false;
  };
  const soon = () => { timer ??= setTimeout(refresh, PAUSE); };
  const onEvent = (event) => {
    last = event.lastEventId || last;
    bar ||= CHANGES_BAR.test(event.type);
    try {
      const { step } = JSON.parse(event.data);
      if (step) changed.add(step);
    } catch { /* a heartbeat */ }
    soon();
  };
  const open = () => {
    const from = new URL(address, location.href);
    if (last) from.searchParams.set("after", last);
    source = new EventSource(from);
    source.onmessage = onEvent;
    for (const name of EVENTS) source.addEventListener(name, onEvent);
    source.onopen = () => { tell(""); soon(); };
    source.onerror = () => {
      tell("The connection to the server was lost. It is tried again.");
      if (source.readyState === EventSource.CLOSED) setTimeout(again, 1000);
    };
  };
  // The server refused, or it was started anew: whoever is not signed in any more is led to the form.
  const again = async () => {
    if (document.hidden && away === null) return;
    try { await fetchHtml(location.pathname + location.search); open(); } catch { setTimeout(again, 1000); }
  };
  open();
  addEventListener("pagehide", () => source.close());
  document.addEventListener("visibilitychange", () => {
    clearTimeout(away);
    away = null;
    if (document.hidden) away = setTimeout(() => source.close(), HIDDEN);
    else if (source.readyState === EventSource.CLOSED) open();
  });
  setInterval(() => { if (!document.hidden && document.querySelector(".pulse")) soon(); }, 3000);
}

/** Words for those who do not see the page. */
export function tell(text) {
  const live = document.getElementById("live");
  if (live.textContent !== text) live.textContent = text;
}

async function show(steps, withBar) {
  const run = document.querySelector("[data-run]");
  if (run && steps.length < 200) {
    const names = steps.map(encodeURIComponent).join(",");
    await showRun(run, await fetchHtml(`/runs/${run.dataset.run}/live?bar=${withBar}&steps=${names}`), steps);
    return;
  }
  const page = await fetchHtml(location.pathname + location.search);
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh) continue;
    if (isEditing(part) && fresh.dataset.digest !== part.dataset.digest) { offerReload(); continue; }
    if (!isEditing(part)) morph(part, fresh);
  }
  showBar(page);
}

/** The bar, and the number of what waits in the title. */
function showBar(page) {
  const bar = page.getElementById("bar");
  if (!bar) return;
  const now = document.getElementById("bar");
  // What the person switched on stays.
  const notify = bar.querySelector("#notify");
  notify?.setAttribute("aria-pressed", now.querySelector("#notify")?.getAttribute("aria-pressed") ?? "false");
  morph(now, bar);
  const waiting = Number(now.dataset.waiting);
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
}

async function showRun(run, fresh, steps) {
  const before = run.querySelector("#run-head")?.dataset.status;
  for (const part of [...fresh.children]) {
    if (part.id === "bar") continue;
    const old = document.getElementById(part.id);
    if (old && !isEditing(old)) morph(old, part);
    else if (!old && part.matches(".run-step")) document.getElementById("steps").append(part);
  }
  showBar(fresh);
  const rows = [...run.querySelectorAll(".run-step")];
  for (const row of rows) colour(row);
  const isAtWork = (row) => row.dataset.state === "running" || row.dataset.state === "verifying";
  const open = rows.filter((row) => row.querySelector("details[open][data-filled]") && (steps.includes(row.dataset.step) || isAtWork(row)));
  for (const row of open) await showInside(row);
  const status = run.querySelector("#run-head")?.dataset.status;
  if (status && status !== before) tell(`The run is ${status}.`);
}

/** What is inside an open step, of the attempt and the tab that the person chose. */
async function showInside(row) {
  const inside = row.querySelector("details > .inside");
  if (isEditing(inside)) return;
  const chosen = inside.querySelector(".tabs [aria-current]")?.getAttribute("href");
  const address = chosen ? `${chosen}&part=true` : `${row.querySelector("details").dataset.fetches}?part=true`;
  const isAtEnd = atEnd(inside);
  const fresh = document.createElement("div");
  fresh.append(await fetchHtml(address));
  morphChildren(inside, fresh);
  if (isAtEnd) toEnd(inside);
}

/** Whether the person reads the newest lines: only then new ones move what they see. */
function atEnd(inside) {
  const log = inside.querySelector("[data-follows]");
  return !log || log.scrollTop + log.clientHeight >= log.scrollHeight - 12;
}

export function toEnd(inside) {
  const log = inside.querySelector("[data-follows]");
  if (log) log.scrollTop = log.scrollHeight;
}

/** The box of a step in the graph has the colour of its state. */
function colour(row) {
  const box = document.getElementById(`node-${row.dataset.step}`)?.querySelector("g");
  const name = `is-${row.dataset.state}`;
  if (!box || box.classList.contains(name)) return;
  for (const old of [...box.classList]) if (old.startsWith("is-")) box.classList.remove(old);
  box.classList.add(name);
}

/** Whether a person writes in a part, or has begun to: nothing of it is touched then. */
function isEditing(part) {
  const field = document.activeElement;
  if (field?.matches("input, textarea, select") && part.contains(field)) return true;
  const isBegun = (one) => one.type !== "hidden" && one.checkVisibility() && one.value !== one.defaultValue;
  return [...part.querySelectorAll("input, textarea")].some(isBegun);
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
