// An answer is sent ten seconds after it was given, unless the person takes it back.

const PATIENCE = 10_000;

export function startInbox() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-answer]") || form.dataset.sent) return;
    event.preventDefault();
    hold(form, event.submitter);
  });
}

function hold(form, button) {
  const card = form.closest(".question");
  const choice = button?.value ?? "";
  const body = new URLSearchParams(new FormData(form));
  body.set("choice", choice);
  const send = async () => {
    toast.remove();
    removeEventListener("pagehide", leave);
    const error = await refusal(body);
    if (error) { card.hidden = false; complain(card, error); }
  };
  // Whoever leaves the page has answered.
  const leave = () => navigator.sendBeacon("/inbox", body);
  const timer = setTimeout(send, PATIENCE);
  const toast = undoable(`Answered “${choice}”.`, () => {
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
    toast.remove();
    card.hidden = false;
    card.querySelector("button")?.focus();
  });
  addEventListener("pagehide", leave);
  card.hidden = true;
}

/** Sends an answer; returns why it was not taken, if it was not. */
async function refusal(body) {
  try {
    const answer = await fetch("/inbox", { method: "POST", body, headers: { accept: "application/json" } });
    return answer.ok ? null : await answer.json();
  } catch {
    return { message: "The server does not answer. Your answer was not sent." };
  }
}

function undoable(text, undo) {
  const toast = document.createElement("section");
  toast.className = "toast";
  toast.setAttribute("aria-label", "Your answer");
  const words = document.createElement("span");
  const end = Date.now() + PATIENCE;
  const count = () => { words.textContent = `${text} It is sent in ${Math.max(1, Math.ceil((end - Date.now()) / 1000))} s.`; };
  count();
  const ticking = setInterval(() => { if (toast.isConnected) count(); else clearInterval(ticking); }, 1000);
  const button = document.createElement("button");
  button.textContent = "Undo";
  button.addEventListener("click", undo);
  toast.append(words, button);
  document.body.append(toast);
  button.focus();
  return toast;
}

function complain(card, error) {
  const words = document.createElement("p");
  words.className = "first-failure small";
  words.dataset.kept = "yes";
  words.setAttribute("role", "alert");
  words.textContent = [error.message, ...(error.hints ?? [])].join(" → ");
  for (const old of card.querySelectorAll("[data-kept]")) old.remove();
  card.querySelector("form").prepend(words);
}
