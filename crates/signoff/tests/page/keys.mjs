// Everything with the keyboard alone.

import { GREETING, SECOND } from "./server.mjs";

export async function keys({ check, holds, page, at, project }) {
  project.propose("keys.md", "Only keys", [GREETING, SECOND]);
  project.propose("keyed.md", "Sign with keys", [GREETING, SECOND]);
  const press = (...all) => all.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = (selector) => page.waitForFunction((selector) => document.activeElement?.matches(selector), selector);

  await check("j, k and enter lead through the plans", async () => {
    await page.goto(`${project.base}/`);
    await press("j", "j", "k");
    const first = await page.$eval("[data-item]", (item) => item.classList.contains("is-current"));
    holds(first, "the first row is not the current one");
    const title = await page.textContent(".is-current .title");
    await press("Enter");
    await page.waitForSelector(`h1:has-text(${JSON.stringify(title)})`);
  });

  await check("what is selected stays so while the page is updated", async () => {
    await page.goto(`${project.base}/`);
    await press("j", "j");
    const id = await page.getAttribute(".is-current .title", "href");
    project.propose("newer.md", "Proposed while somebody reads", [GREETING]);
    await page.waitForSelector("text=Proposed while somebody reads", { timeout: 30_000 });
    holds((await page.getAttribute(".is-current .title", "href")) === id, "something else is selected");
  });

  await check("c, e, r, g and a do what the help says", async () => {
    await page.goto(at("keys.md"));
    await press("?");
    await page.waitForSelector("#keys[open]");
    await press("Escape");
    // Keys mean something else while it is open.
    await page.waitForSelector("#keys:not([open])", { state: "attached" });
    await press("j", "j", "c");
    await focused("#step-second [name=text]");
    await page.keyboard.type("Said with keys.");
    // The old page shows the comment too, once it is told of it: what counts is the one that comes.
    await Promise.all([page.waitForEvent("load"), press("Tab", "Enter")]);
    await page.waitForSelector("#step-second .comment:has-text(\"Said with keys.\")");
    // The page that came may yet be told of the comment and show it anew: keys are pressed on one that is at rest.
    await page.goto(at("keys.md"));
    await press("j", "j", "e");
    await page.waitForSelector(".step.is-current .step-edit[open]");
    await focused(".step-edit input, .step-edit textarea");
    await page.goto(at("keys.md"));
    await press("g");
    await page.waitForSelector("#graph-card.is-large");
    await press("Escape");
    await page.waitForSelector("#graph-card:not(.is-large)");
    await press("r");
    await focused("#feedback");
    await page.goto(at("keyed.md"));
    await press("a");
    await focused("button.sign");
    holds(!(await page.isVisible("text=Signed by")), "a key alone has signed");
    await press("Enter");
    await page.waitForSelector("text=Signed by");
  });

  await check("a step is opened, and its transcript stays open while the page follows its run", async () => {
    await page.goto(`${project.base}/runs`);
    await press("j", "Enter");
    await page.waitForSelector("#run");
    // Before its scripts have run a page hears no keys.
    await page.waitForLoadState("load");
    await press("j", "Enter");
    await page.waitForSelector(".run-step details[open] .tabs");
  });

  await check("the palette leads to plans, runs and steps, and does what can be done here", async () => {
    await page.goto(at("keys.md"));
    await press("Control+k");
    await page.waitForSelector("#palette[open]");
    await page.keyboard.type("with keys");
    await page.waitForSelector("#palette li:has-text(\"Sign with keys\")");
    await press("Enter");
    await page.waitForURL(/keyed\.md/);
    await page.goto(at("keys.md"));
    await press("Control+k");
    await page.keyboard.type("reject");
    await page.waitForSelector("#palette li:has-text(\"Reject\")");
    await press("Enter");
    await focused("#feedback");
    await page.goto(at("keys.md"));
    await press("Control+k");
    await page.keyboard.type("read it again");
    await page.waitForSelector("#palette li:has-text(\"step\")");
    await press("Enter");
    await page.waitForURL(/#step-second$/);
  });
}
