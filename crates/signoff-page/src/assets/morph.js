// Changes what is on the page into what the server sent, and nothing else: focus, scroll and open parts stay.
// The server escapes everything; a fragment is parsed without running anything in it.

/** What the server sent for an address, as a fragment. */
export async function fetchHtml(address) {
  const response = await fetch(address, { headers: { accept: "text/html" } });
  if (response.redirected && new URL(response.url).pathname === "/sign-in") location.reload();
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  const fragment = document.createDocumentFragment();
  fragment.append(...parsed.body.childNodes);
  return fragment;
}

/** Puts these children in place of those that are there. */
export function replaceChildren(element, source) {
  const from = source.childNodes ? [...source.childNodes] : [];
  element.replaceChildren(...from);
}

/** Makes an element like another one, in place. */
export function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName) { old.replaceWith(fresh); return; }
  if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = fresh.nodeValue; return; }
  copyAttributes(old, fresh);
  if (old === document.activeElement && old.matches("input, textarea, select")) return;
  // What a person opened and what was loaded into it stays.
  if (old.matches("details[data-fetches] > .inside") && old.parentElement.dataset.filled) return;
  morphChildren(old, fresh);
}

/** What a person selected or enlarged stays so. */
const PERSONS = ["is-current", "is-large"];

function copyAttributes(old, fresh) {
  const chosen = PERSONS.filter((name) => old.classList.contains(name));
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    const isPersons = name === "open" || name === "data-filled" || name === "hidden";
    if (!fresh.hasAttribute(name) && !isPersons) old.removeAttribute(name);
  }
  if (chosen.length > 0) old.classList.add(...chosen);
}

/** Makes the inside of an element like that of another one, in place. */
export function morphChildren(old, fresh) {
  const byId = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  // What a script put there for the person to read stays until they act again.
  const skipped = (node) => { while (node?.dataset?.kept) node = node.nextSibling; return node; };
  let at = skipped(old.firstChild);
  for (const wanted of [...fresh.childNodes]) {
    const known = wanted.id ? byId.get(wanted.id) : null;
    if (known && known !== at) old.insertBefore(known, at);
    const there = known ?? (at && !(at.id && byId.has(at.id)) ? at : null);
    if (there && there.nodeName === wanted.nodeName) {
      if (there === at) at = skipped(at.nextSibling);
      morph(there, wanted);
    } else {
      old.insertBefore(wanted, at);
    }
  }
  while (at) { const next = skipped(at.nextSibling); at.remove(); at = next; }
}
