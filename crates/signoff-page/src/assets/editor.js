// The text of a plan with our diagnostics under it as you type; and saving without losing what somebody else wrote.

import { withCode } from "./forms.js";

export function startEditor() {
  const form = document.querySelector("[data-editor]");
  if (!form) return;
  const text = form.querySelector("textarea");
  const gutter = form.querySelector(".gutter");
  let timer;
  const soon = () => { clearTimeout(timer); timer = setTimeout(() => check(form, text, gutter), 300); };
  text.addEventListener("input", () => { number(text, gutter, []); form.querySelector(".marks").replaceChildren(); soon(); });
  text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; const marks = form.querySelector(".marks"); marks.scrollTop = text.scrollTop; marks.scrollLeft = text.scrollLeft; });
  addEventListener("beforeunload", (event) => { if (text.value !== text.defaultValue && !form.dataset.saved) event.preventDefault(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); save(form); });
  check(form, text, gutter);
}

async function check(form, text, gutter) {
  const body = JSON.stringify({ text: text.value, name: form.dataset.name });
  let answer;
  // Without the server nothing is known of what is typed; saving says that it does not answer.
  try { answer = await fetch(form.dataset.check, { method: "POST", body, headers: { "content-type": "application/json", "x-csrf": document.body.dataset.csrf } }); } catch { return; }
  if (!answer.ok) return;
  const { diagnostics } = await answer.json();
  number(text, gutter, diagnostics);
  underline(form.querySelector(".marks"), text, diagnostics);
  const list = form.querySelector(".editor-problems");
  list.replaceChildren(...diagnostics.map((problem) => row(problem, text)));
}

function number(text, gutter, diagnostics) {
  const worst = new Map();
  for (const { line, severity } of diagnostics) if (worst.get(line) !== "error") worst.set(line, severity);
  const lines = text.value.split("\n").length;
  const rows = Array.from({ length: lines }, (_, at) => {
    const row = document.createElement("div");
    row.textContent = String(at + 1);
    const severity = worst.get(at + 1);
    if (severity) row.className = severity === "error" ? "has-error" : "has-warning";
    return row;
  });
  gutter.replaceChildren(...rows);
  gutter.scrollTop = text.scrollTop;
}

/** The text once more behind what is typed, invisible but for a line under every problem. */
function underline(marks, text, diagnostics) {
  const lines = text.value.split("\n");
  const parts = [];
  lines.forEach((line, at) => {
    const own = diagnostics.filter((problem) => problem.line === at + 1).sort((one, other) => one.column - other.column);
    let from = 0;
    for (const problem of own) {
      const start = Math.max(from, problem.column - 1);
      const end = problem.end_line > problem.line ? line.length : Math.max(problem.end_column - 1, start + 1);
      const mark = document.createElement("mark");
      mark.className = problem.severity === "error" ? "has-error" : "has-warning";
      mark.textContent = line.slice(start, end) || " ";
      parts.push(line.slice(from, start), mark);
      from = Math.max(from, end);
    }
    parts.push(`${line.slice(from)}\n`);
  });
  marks.replaceChildren(...parts);
  marks.scrollTop = text.scrollTop;
  marks.scrollLeft = text.scrollLeft;
}

function row(problem, text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `problem tone-${problem.severity === "error" ? "failed" : "regressed"}`;
  const help = problem.help ? ` → ${problem.help}` : "";
  const sign = document.createElement("span");
  sign.className = "sign";
  sign.textContent = problem.severity === "error" ? "✗" : "⚠";
  const words = document.createElement("span");
  words.append(...withCode(`line ${problem.line}: ${problem.message}${help}`));
  button.append(sign, words);
  button.addEventListener("click", () => {
    const before = text.value.split("\n").slice(0, problem.line - 1).join("\n").length;
    text.focus();
    text.setSelectionRange(before + (problem.line > 1 ? 1 : 0), before + problem.column);
  });
  return button;
}

async function save(form) {
  const body = new URLSearchParams(new FormData(form));
  let error = { message: "the server does not answer." };
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" }, redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.ok) { form.dataset.saved = "yes"; location.href = form.dataset.back; return; }
    error = await answer.json();
  } catch { /* it is said below */ }
  const words = form.querySelector(".save-refused");
  words.hidden = false;
  words.textContent = `✗ ${[error.message, ...(error.details ?? []), ...(error.hints ?? [])].join(" → ")} Your text is still here.`;
}
