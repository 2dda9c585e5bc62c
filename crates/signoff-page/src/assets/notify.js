// Notifications of the desktop, for whoever switched them on with the bell, and only then: something waits on the person,
// failed, or is done. Of all pages that are open in a browser one follows the events, so that nothing is told twice.

import { tell } from "./live.js";

const KEY = "signoff-notify";

/** What is told of, in words; everything else is not worth a disturbance. */
const WORDS = {
  inbox_opened: "waits for your answer", plan_proposed: "waits for your review", plan_verified: "waits for your signature",
  plan_needs_review: "needs you again: it expired or changed", plan_cancelled: "was cancelled, or nobody decided about it in time", plan_stalled: "has stalled", plan_completed: "is done", plan_failed: "has failed",
};

let stop = null;

export function startNotifications() {
  const button = document.getElementById("notify");
  if (!button) return;
  if (!("Notification" in window)) { button.remove(); return; }
  document.addEventListener("click", (event) => { if (event.target.closest("[data-notify]")) toggle(); });
  addEventListener("storage", (event) => { if (event.key === KEY) apply(); });
  apply();
}

function isOn() { return localStorage.getItem(KEY) === "on" && Notification.permission === "granted"; }

async function toggle() {
  if (isOn()) { localStorage.removeItem(KEY); tell("Notifications are off."); apply(); return; }
  const answer = Notification.permission === "default" ? await Notification.requestPermission() : Notification.permission;
  if (answer !== "granted") { tell("This browser does not allow notifications of this page; its settings can change that."); return; }
  localStorage.setItem(KEY, "on");
  tell("Notifications are on.");
  apply();
}

function apply() {
  const button = document.getElementById("notify");
  button?.setAttribute("aria-pressed", String(isOn()));
  if (isOn() && !stop) begin();
  if (!isOn() && stop) { stop(); stop = null; }
}

/** Waits for its turn, then follows until it is switched off or the page is left. */
function begin() {
  const aborted = new AbortController();
  let source = null;
  let release = null;
  const follow = () => new Promise((resolve) => {
    release = resolve;
    source = new EventSource(document.body.dataset.activity);
    for (const name of Object.keys(WORDS)) source.addEventListener(name, (event) => show(name, JSON.parse(event.data)));
  });
  stop = () => { aborted.abort(); source?.close(); release?.(); };
  addEventListener("pagehide", () => source?.close());
  const turn = navigator.locks ? navigator.locks.request(KEY, { signal: aborted.signal }, follow) : follow();
  turn.catch(() => { /* it was switched off before its turn came */ });
}

function show(name, event) {
  const link = event.item ? `/inbox#${encodeURIComponent(event.item)}` : `/plans/${encodeURIComponent(event.plan)}`;
  const isSeen = document.hasFocus() && location.pathname === link.split("#")[0];
  if (isSeen) return;
  const title = event.item ? "A question waits for you" : `${event.title ?? event.plan} ${WORDS[name]}`;
  const shown = new Notification(title, { body: event.question ?? "", tag: event.item ?? event.plan });
  shown.addEventListener("click", () => { focus(); shown.close(); location.href = link; });
}
