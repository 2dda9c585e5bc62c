// Ctrl K: to a plan, a run or a step, and what can be done on this page.

/** Plans and runs, once they were asked for; and everything that can be chosen now. */
let listed = null;
let entries = [];

/** Presses what a key or a command stands for. */
export function activate(target) {
  if (target.matches("textarea, input")) {
    target.closest("details")?.setAttribute("open", "");
    target.focus();
    return;
  }
  // Signing is one press more than a key: it is focused, and enter presses it.
  if (target.matches("button.sign")) { target.focus(); return; }
  target.click();
  target.closest("details")?.querySelector("textarea, input:not([type=hidden])")?.focus();
}

/** What is on this page: what can be done, and the steps. */
function here() {
  const commands = [...document.querySelectorAll("[data-key]")].filter((one) => !one.closest("[data-item]") && !one.disabled);
  const steps = [...document.querySelectorAll("[data-step]")];
  return [
    ...commands.map((target) => ({ text: target.getAttribute("aria-label") ?? target.textContent.trim(), kind: `here · ${target.dataset.key}`, target })),
    ...[["Plans", "/"], ["Runs", "/runs"], ["Inbox", "/inbox"]].map(([text, address]) => ({ text, kind: "page", address })),
    ...steps.map((step) => ({ text: step.querySelector(".step-title, .name")?.textContent.trim() ?? step.dataset.step, kind: "step", address: `#step-${step.dataset.step}` })),
  ];
}

async function everywhere() {
  const [plans, runs] = await Promise.all(["/api/plans", "/api/runs"].map(async (address) => (await fetch(address)).json()));
  return [
    ...plans.plans.map((plan) => ({ text: plan.title, kind: plan.id, address: `/plans/${encodeURIComponent(plan.id)}` })),
    ...runs.runs.reverse().map((run) => ({ text: run.title ?? run.run, kind: `run ${run.run}`, address: `/runs/${run.run}` })),
  ];
}

export async function openPalette() {
  const dialog = document.getElementById("palette");
  const input = dialog.querySelector("input");
  if (!dialog.open) dialog.showModal();
  input.value = "";
  input.oninput = () => show(dialog, input.value);
  input.onkeydown = (event) => choose(dialog, event);
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  entries = here();
  show(dialog, "");
  // Without an answer of the server there is still what is on this page.
  try { listed ??= await everywhere(); } catch { return; }
  entries = [...entries, ...listed];
  show(dialog, input.value);
}

function show(dialog, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry) => words.every((word) => `${entry.text} ${entry.kind}`.toLowerCase().includes(word));
  const items = entries.filter(fits).slice(0, 30).map((entry, at) => option(dialog, entry, at));
  dialog.querySelector("ul").replaceChildren(...items);
  select(dialog, items[0]);
}

/** One of the results. The focus stays where the person types; what is selected is told from there. */
function option(dialog, entry, at) {
  const item = document.createElement("li");
  item.id = `palette-${at}`;
  item.setAttribute("role", "option");
  const name = document.createElement("span");
  name.textContent = entry.text;
  const kind = document.createElement("span");
  kind.className = "muted tiny";
  kind.textContent = entry.kind;
  item.append(name, kind);
  item.addEventListener("click", () => {
    dialog.close();
    if (entry.target) activate(entry.target);
    else location.href = entry.address;
  });
  return item;
}

function select(dialog, wanted) {
  for (const item of dialog.querySelectorAll("li")) item.setAttribute("aria-selected", String(item === wanted));
  dialog.querySelector("input").setAttribute("aria-activedescendant", wanted?.id ?? "");
  wanted?.scrollIntoView({ block: "nearest" });
}

function choose(dialog, event) {
  const items = [...dialog.querySelectorAll("li")];
  const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
  if (event.key === "Enter") { event.preventDefault(); items[at]?.click(); return; }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by || items.length === 0) return;
  event.preventDefault();
  select(dialog, items[Math.min(items.length - 1, Math.max(0, at + by))]);
}
