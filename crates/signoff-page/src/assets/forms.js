// The form of a step: what is wrong stands under its field while it is typed, and steps to wait for are suggested. The
// server checks; without this module it says the same once the form is sent.

const PAUSE = 300;
const SUGGESTED = 6;

export function startForms() {
  document.addEventListener("input", (event) => {
    const form = event.target.closest("[data-checks]");
    if (form) soon(form);
    if (event.target.matches("[data-suggests]")) suggest(event.target);
  });
  document.addEventListener("focusin", (event) => { if (event.target.matches("[data-suggests]")) suggest(event.target); });
  document.addEventListener("focusout", (event) => {
    const field = event.target.closest(".field");
    if (field && !field.contains(event.relatedTarget)) field.querySelector(".suggestions")?.remove();
  });
  document.addEventListener("toggle", (event) => {
    const form = event.target.open ? event.target.querySelector?.(":scope > [data-checks]") : null;
    if (form) check(form);
  }, true);
}

const timers = new WeakMap();

function soon(form) {
  clearTimeout(timers.get(form));
  timers.set(form, setTimeout(() => check(form), PAUSE));
}

async function check(form) {
  const body = new URLSearchParams(new FormData(form));
  const sent = body.toString();
  let answer;
  try { answer = await fetch(form.dataset.checks, { method: "POST", body, headers: { accept: "application/json" } }); } catch { return; }
  if (!answer.ok) return;
  const { problems } = await answer.json();
  // Somebody has typed on: the next answer is on its way.
  if (new URLSearchParams(new FormData(form)).toString() !== sent) return;
  for (const place of form.querySelectorAll("[data-problems-of]")) {
    const own = problems.filter((problem) => placeOf(form, problem) === place);
    place.replaceChildren(...own.map(row));
    const field = form.querySelector(`[aria-describedby="${CSS.escape(place.id)}"]`);
    if (!field) continue;
    if (own.some((problem) => problem.severity === "error")) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}

/** A text with the parts in back-ticks as code. */
export function withCode(text) {
  return text.split("`").map((part, at) => {
    if (at % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

/** Under which field a problem stands: that of its name (`contract.expect` is the contract's), else the end of the form. */
function placeOf(form, { field }) {
  const named = (name) => form.querySelector(`[data-problems-of="${CSS.escape(name)}"]`);
  return (field && (named(field) ?? named(field.split(".")[0]))) || named("");
}

function row({ severity, message, help, code }) {
  const line = document.createElement("p");
  line.className = `tone-${severity === "error" ? "failed" : "regressed"}`;
  const sign = severity === "error" ? "✗" : severity === "warning" ? "⚠" : "i";
  line.append(...withCode(`${sign} ${message}${help ? ` → ${help}` : ""}`));
  line.title = code;
  return line;
}

/** Steps that fit what is typed after the last comma, as buttons below the field. */
function suggest(input) {
  const field = input.closest(".field");
  const parts = input.value.split(",").map((part) => part.trim());
  const typed = parts.pop().toLowerCase();
  const own = input.closest(".step")?.dataset.step;
  const steps = [...document.querySelectorAll("#steps [data-step]")].map((step) => ({ id: step.dataset.step, title: step.querySelector(".step-title")?.textContent ?? "" }));
  const fits = ({ id, title }) => id !== own && !parts.includes(id) && id !== typed && `${id} ${title}`.toLowerCase().includes(typed);
  const found = steps.filter(fits).slice(0, SUGGESTED);
  field.querySelector(".suggestions")?.remove();
  if (found.length === 0) return;
  const list = document.createElement("div");
  list.className = "suggestions";
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "Steps to wait for");
  list.append(...found.map(({ id, title }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = id;
    button.title = title;
    button.addEventListener("click", () => {
      input.value = [...parts, id].filter(Boolean).join(", ");
      input.focus();
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    return button;
  }));
  input.after(list);
}
