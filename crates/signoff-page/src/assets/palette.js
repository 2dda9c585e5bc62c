// Ctrl K: to a plan, a run or a step.

let entries = null;

async function load() {
  if (entries) return entries;
  const [plans, runs] = await Promise.all(["/api/plans", "/api/runs"].map(async (address) => (await fetch(address)).json()));
  const steps = [...document.querySelectorAll("[data-step]")].map((step) => ({
    text: step.querySelector(".step-title, .name")?.textContent.trim() ?? step.dataset.step, kind: "step", address: `#step-${step.dataset.step}`,
  }));
  const pages = [["Plans", "/"], ["Runs", "/runs"], ["Inbox", "/inbox"]].map(([text, address]) => ({ text, kind: "page", address }));
  entries = [
    ...pages,
    ...steps,
    ...plans.plans.map((plan) => ({ text: plan.title, kind: plan.id, address: `/plans/${encodeURIComponent(plan.id)}` })),
    ...runs.runs.reverse().map((run) => ({ text: run.title ?? run.run, kind: `run ${run.run}`, address: `/runs/${run.run}` })),
  ];
  return entries;
}

export async function openPalette() {
  const dialog = document.getElementById("palette");
  const input = dialog.querySelector("input");
  if (!dialog.open) dialog.showModal();
  input.value = "";
  input.oninput = () => show(dialog, input.value);
  input.onkeydown = (event) => choose(dialog, event);
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  await load();
  show(dialog, "");
}

function show(dialog, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry) => words.every((word) => `${entry.text} ${entry.kind}`.toLowerCase().includes(word));
  const items = (entries ?? []).filter(fits).slice(0, 30).map((entry, at) => {
    const item = document.createElement("li");
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(at === 0));
    const link = document.createElement("a");
    link.href = entry.address;
    link.tabIndex = -1;
    link.className = at === 0 ? "is-current" : "";
    link.addEventListener("click", () => dialog.close());
    const name = document.createElement("span");
    name.textContent = entry.text;
    const kind = document.createElement("span");
    kind.className = "muted tiny";
    kind.textContent = entry.kind;
    link.append(name, kind);
    item.append(link);
    return item;
  });
  dialog.querySelector("ul").replaceChildren(...items);
}

function choose(dialog, event) {
  const links = [...dialog.querySelectorAll("li a")];
  const at = links.findIndex((link) => link.classList.contains("is-current"));
  if (event.key === "Enter") { event.preventDefault(); links[at]?.click(); return; }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const next = links[Math.min(links.length - 1, Math.max(0, at + by))];
  for (const link of links) {
    link.classList.toggle("is-current", link === next);
    link.parentElement.setAttribute("aria-selected", String(link === next));
  }
  next?.scrollIntoView({ block: "nearest" });
}
