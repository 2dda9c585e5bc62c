// The steps of a plan, moved by their grip or with alt and the arrows. The server decides whether a move is possible.

export function startReview() {
  const review = document.getElementById("review");
  if (!review) return;
  review.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest("[data-grip]");
    if (grip) drag(event, grip.closest(".step"));
  });
  document.addEventListener("keydown", (event) => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    const step = event.target.closest(".step") ?? document.querySelector(".step.is-current");
    if (!step?.querySelector("[data-grip]")) return;
    event.preventDefault();
    const other = event.key === "ArrowUp" ? step.previousElementSibling : step.nextElementSibling;
    if (other?.matches(".step")) move(step, other, event.key === "ArrowUp");
  });
}

/** Follows the pointer; where it is let go, the step is put. */
function drag(event, step) {
  event.preventDefault();
  const from = event.clientY;
  const steps = [...step.parentElement.querySelectorAll(":scope > .step")];
  step.classList.add("is-dragged");
  event.target.setPointerCapture?.(event.pointerId);
  const follow = (moved) => { step.style.setProperty("transform", `translateY(${moved.clientY - from}px)`); };
  const end = () => {
    document.removeEventListener("pointermove", follow);
    document.removeEventListener("pointerup", drop);
    document.removeEventListener("pointercancel", end);
    document.removeEventListener("keydown", giveUp);
    step.classList.remove("is-dragged");
    step.style.removeProperty("transform");
  };
  const giveUp = (pressed) => { if (pressed.key === "Escape") end(); };
  const drop = (dropped) => {
    end();
    const others = steps.filter((one) => one !== step);
    const before = others.find((one) => { const box = one.getBoundingClientRect(); return dropped.clientY < box.top + box.height / 2; });
    const place = before ?? others.at(-1);
    const stays = before === step.nextElementSibling || (!before && step === steps.at(-1));
    if (place && !stays) move(step, place, Boolean(before));
  };
  document.addEventListener("pointermove", follow);
  document.addEventListener("pointerup", drop);
  // The browser took the pointer for itself, or the person thought better of it.
  document.addEventListener("pointercancel", end);
  document.addEventListener("keydown", giveUp);
}

/** Asks the server to move a step before or after another one; if it refuses, the step is where it was. */
async function move(step, place, isBefore) {
  const review = document.getElementById("review");
  const body = new URLSearchParams({ csrf: document.body.dataset.csrf, digest: review.dataset.digest, [isBefore ? "before" : "after"]: place.dataset.step });
  const back = step.nextElementSibling;
  if (isBefore) place.before(step); else place.after(step);
  const address = `/plans/${encodeURIComponent(review.dataset.plan)}/steps/${encodeURIComponent(step.dataset.step)}/move`;
  let error = { message: "the server does not answer; the step is where it was" };
  try {
    const answer = await fetch(address, { method: "POST", body, headers: { accept: "application/json" }, redirect: "manual" });
    if (answer.type === "opaqueredirect" || answer.ok) { location.reload(); return; }
    error = await answer.json();
  } catch { /* it is said below */ }
  back ? back.before(step) : step.parentElement.append(step);
  say(step, error);
}

function say(step, error) {
  for (const old of document.querySelectorAll(".move-refused")) old.remove();
  const words = document.createElement("p");
  words.className = "problem tone-failed move-refused";
  words.dataset.kept = "yes";
  words.setAttribute("role", "alert");
  words.textContent = `✗ ${[error.message, ...(error.hints ?? [])].join(" → ")}`;
  step.querySelector(".step-body").prepend(words);
  step.querySelector("[data-grip]")?.focus();
}
