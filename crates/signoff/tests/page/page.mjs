// What a person does in the browser, in a real one: node page.mjs SIGNOFF PACKAGES [PICTURES]
// PACKAGES has `playwright-core` and `axe-core`; the pictures of the docs go to PICTURES. Prints a line for each case; ends with 1 if one failed.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { chromium } from "./chromium.mjs";
import { demo } from "./demo.mjs";
import { forms } from "./forms.mjs";
import { keys } from "./keys.mjs";
import { live } from "./live.mjs";
import { pictures as takePictures } from "./pictures.mjs";
import { plain } from "./plain.mjs";
import { closeSamples, openSamples } from "./sample.mjs";
import { WINDOWS, screens, visit } from "./screens.mjs";
import { GREETING, Project, SECOND, signIn } from "./server.mjs";
import { signing } from "./signing.mjs";

const [program, packages, pictures] = process.argv.slice(2);
const signoff = resolve(program);
const require = createRequire(join(packages, "package.json"));
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const project = new Project(signoff);
project.propose("greet.md", "Greet the world", [GREETING, SECOND]);
project.propose("edit.md", "Edit me", [GREETING, SECOND]);
project.propose("reject.md", "Reject me", [GREETING]);
project.propose("stuck.md", "Get stuck", [{ ...GREETING, task: "Do the impossible.", contract: "test -e never.txt" }]);
await project.serve();
const browser = await chromium(packages);
const context = await browser.newContext();
const page = await context.newPage();
const problems = [];
page.on("pageerror", (error) => problems.push(error.message));
await signIn(page, project);

const at = (plan) => `${project.base}/plans/${encodeURIComponent(plan)}`;
const failed = [];
async function check(name, work) {
  try { await work(); console.log(`✓ ${name}`); }
  catch (error) {
    failed.push(name);
    const refused = await page.locator(".problem-screen").allTextContents();
    console.log(`✗ ${name}: ${[...error.message.split("\n").slice(0, 6), page.url(), ...refused].join(" | ")}`);
  }
}
function holds(condition, what) { if (!condition) throw new Error(what); }

/** What the screen that is shown keeps from somebody, in light and in dark; and whether it is wider than its window. */
async function barriers(page, where) {
  const found = [];
  // The page's own policy lets no foreign script in, not even this one: it is handed over as a function.
  await page.evaluate(`(() => { ${axe}; window.axe = axe; })()`);
  for (const colorScheme of ["light", "dark"]) {
    // Without motion: a colour on its way to another one is nobody's fault.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    found.push(...violations.map((one) => `${where}, ${colorScheme}: ${one.id}: ${one.nodes[0].target} ${one.nodes[0].failureSummary?.split("\n")[1] ?? ""}`));
  }
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) found.push(`${where} is ${over} pixels too wide`);
  return found;
}

async function signAndStart(plan) {
  await page.goto(at(plan));
  await page.click("button.sign");
  await page.waitForSelector("text=Signed by");
  await page.click("#decision button.primary");
  await page.waitForURL(/\/runs\//);
}

/** A page of the same person, in a browser without scripts. */
async function plainPage() {
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
  return plain.newPage();
}

const bench = { check, holds, page, context, browser, at, project, signoff, plainPage, signAndStart };

await check("a step is edited in its form", async () => {
  await page.goto(at("edit.md"));
  await page.click("#step-greeting details summary");
  await page.fill("#step-greeting [name=title]", "Write the new greeting");
  await page.click("#step-greeting button.primary");
  await page.waitForSelector("text=Saved.");
  holds((await page.textContent("#step-greeting .step-title")) === "Write the new greeting", "the title is the old one");
  // It was not signed, and the person is where they were.
  holds((await page.textContent(".notices .body")) === "Saved.", "it says more than it knows");
  holds(page.url().endsWith("#step-greeting"), `it leads to ${page.url()}`);
});

await check("the title counts what waits on top of the list, also when that changes", async () => {
  await page.goto(`${project.base}/`);
  const counted = () => page.evaluate(() => [document.title.match(/^\((\d+)\)/)?.[1], document.querySelector("#group-proposed .tag")?.textContent].join());
  const before = await counted();
  holds(before === `${before.split(",")[0]},${before.split(",")[0]}`, `it says ${before}`);
  project.propose("counted.md", "Count me", [GREETING]);
  await page.waitForSelector("text=Count me", { timeout: 30_000 });
  await page.waitForFunction((before) => Number(document.title.match(/^\((\d+)\)/)[1]) === before + 1, Number(before.split(",")[0]));
});

await check("a move that breaks a dependency is refused and snaps back", async () => {
  await page.goto(at("edit.md"));
  await page.focus("#step-second [data-grip]");
  await page.keyboard.press("Alt+ArrowUp");
  await page.waitForSelector(".move-refused");
  const order = await page.$$eval("#steps .step", (steps) => steps.map((step) => step.dataset.step));
  holds(order.join() === "greeting,second", `the order is ${order}`);
  holds((await page.textContent(".move-refused")).includes("waits for"), "no reason is given");
});

await check("a step is moved by dragging it", async () => {
  const steps = [GREETING, { ...SECOND, after: "none" }];
  project.propose("move.md", "Move me", steps);
  await page.goto(at("move.md"));
  const grip = await page.locator("#step-second [data-grip]").boundingBox();
  const top = await page.locator("#step-greeting").boundingBox();
  await page.mouse.move(grip.x + 5, grip.y + 5);
  await page.mouse.down();
  await page.mouse.move(grip.x + 5, top.y + 4, { steps: 5 });
  // The script loads the page again once the server has moved it.
  const moved = page.waitForEvent("load");
  await page.mouse.up();
  await moved;
  await page.goto(at("move.md"));
  holds((await page.getAttribute("#steps .step", "data-step")) === "second", "the file has the old order");
});

await check("two browsers: the second is told, and loses no text", async () => {
  const other = await context.newPage();
  await other.goto(`${at("edit.md")}/text`);
  const text = await other.inputValue("textarea[name=text]");
  await other.fill("textarea[name=text]", text.replace("Somebody has to.", "Nobody has to."));
  await page.goto(at("edit.md"));
  await page.click("#step-second details summary");
  await page.fill("#step-second [name=title]", "Edited by the first");
  await page.click("#step-second button.primary");
  await page.waitForSelector("text=Saved.");
  await other.click("button.primary");
  await other.waitForSelector(".save-refused:not([hidden])");
  holds((await other.inputValue("textarea[name=text]")).includes("Nobody has to."), "the text is lost");
  await other.close();
});

await check("problems appear under the text while it is typed", async () => {
  await page.goto(`${at("edit.md")}/text`);
  const text = await page.inputValue("textarea[name=text]");
  await page.fill("textarea[name=text]", text.replace("**depends_on:** greeting", "**depends_on:** greting"));
  await page.waitForSelector(".editor-problems >> text=greting");
});

await check("a plan is rejected with feedback", async () => {
  await page.goto(at("reject.md"));
  await page.click("#reject summary");
  await page.fill("[name=feedback]", "The contract is too weak.");
  await page.click("#reject button.danger");
  await page.waitForSelector("text=The contract is too weak.");
});

await check("a plan is signed, started and watched to its end", async () => {
  await signAndStart("greet.md");
  await page.waitForSelector("#run-head[data-status=completed]", { timeout: 60_000 });
  await page.waitForSelector("#step-second .state:has-text(\"proved\"), #step-second .state:has-text(\"held\")");
  // Where the result is, what the grades mean, and what can be done now: also to who did not load the page anew.
  await page.waitForSelector("#run-head .sentence:has-text(\"in your checkout\")");
  await page.waitForSelector("#run-head .meaning:has-text(\"proved: red before\")");
  await page.waitForSelector("#confirm-undo", { timeout: 30_000 });
  holds((await page.locator("#run-head button:has-text(\"Pause\"), #run-head button:has-text(\"Stop\")").count()) === 0, "a run that is over can be stopped");
});

await check("reload in the middle: the page is the same", async () => {
  await page.reload();
  await page.click("#step-greeting summary");
  await page.waitForSelector("#step-greeting .two-up");
  await page.click("#step-greeting .tabs >> text=Prompt");
  await page.waitForSelector("#step-greeting pre:has-text(\"greeting.txt\")");
});

await check("an edit of a signed plan says that it is unsigned", async () => {
  project.propose("signed.md", "Sign me twice", [GREETING]);
  await page.goto(at("signed.md"));
  await page.click("button.sign");
  await page.waitForSelector("text=Signed by");
  await page.click("#step-greeting details summary");
  await page.fill("#step-greeting [name=title]", "Write another greeting");
  await page.click("#step-greeting .step-edit button.primary");
  await page.waitForSelector("text=Saved. The plan has to be signed again.");
});

await check("an escalation is answered, and can be taken back before it is sent", async () => {
  await signAndStart("stuck.md");
  await page.waitForSelector(".question", { timeout: 60_000 });
  await page.goto(`${project.base}/inbox`);
  holds(await page.isVisible("text=1 question"), "questions are not counted");
  await page.click("button.choice[value=skip]");
  await page.waitForSelector("text=Nothing else waits for you.");
  await page.click(".toast button");
  await page.waitForSelector(".question:visible");
  await page.click("button.choice[value=skip]");
  await page.goto(`${project.base}/runs`);
  await page.goto(`${project.base}/inbox`);
  await page.waitForSelector("text=Nothing waits for you", { timeout: 30_000 });
  // The run goes on by itself.
  await page.goto(`${project.base}/runs`);
  await page.click("text=Get stuck");
  await page.waitForSelector("#step-greeting .state:has-text(\"skipped\")", { timeout: 60_000 });
});

await check("an answer that does not reach the server is not lost", async () => {
  project.propose("unsent.md", "Ask while nobody listens", [{ ...GREETING, task: "Do the impossible.", contract: "test -e never.txt" }]);
  await signAndStart("unsent.md");
  await page.waitForSelector(".question", { timeout: 60_000 });
  await page.goto(`${project.base}/inbox`);
  await page.fill(".question [name=note]", "it is not needed");
  await page.clock.install();
  await page.click("button.choice[value=skip]");
  await page.route("**/inbox", (route) => route.request().method() === "POST" ? route.abort() : route.continue());
  await page.clock.runFor(11_000);
  await page.waitForSelector(".question [role=alert]:has-text(\"was not sent\")");
  holds((await page.inputValue(".question [name=note]")) === "it is not needed", "the note is lost");
  await page.unroute("**/inbox");
  // Once more, and on to somewhere else: whoever leaves has answered.
  await page.click("button.choice[value=skip]");
  await page.goto(`${project.base}/runs`);
  await page.goto(`${project.base}/inbox`);
  await page.waitForSelector("text=Nothing waits for you", { timeout: 30_000 });
  await page.clock.resume();
});

await check("the server is killed and started again: people sign in again and go on", async () => {
  const port = new URL(project.base).port;
  await page.goto(`${project.base}/`);
  await project.kill();
  await project.serve(port);
  await signIn(page, project);
  await page.waitForSelector("h1:has-text(\"Plans\")");
  project.propose("late.md", "Proposed while the page is open", [GREETING]);
  await page.waitForSelector("text=Proposed while the page is open", { timeout: 30_000 });
});

await check("no screen keeps anybody out or is wider than its window", async () => {
  const visitor = await browser.newContext();
  const there = await visitor.newPage();
  const samples = await openSamples(signoff, there);
  try {
    const found = [];
    for (const [name, viewport] of Object.entries(WINDOWS)) {
      await there.setViewportSize(viewport);
      for (const [screen, how] of Object.entries(await screens(samples, there))) {
        await visit(samples, there, how);
        found.push(...await barriers(there, `${screen} (${name})`));
        await how[2]?.();
      }
    }
    holds(found.length === 0, found.join("; "));
  } finally {
    await visitor.close();
    await closeSamples(samples);
  }
});

await keys(bench);
await signing(bench);
await forms(bench);
await live(bench);
await demo(bench);
await plain(bench);

holds(problems.length === 0 || !failed.push("scripts"), problems.join("; "));
for (const problem of problems) console.log(`✗ a script failed: ${problem}`);
if (pictures && failed.length === 0) await takePictures(signoff, browser, pictures);
await browser.close();
await project.end();
process.exit(failed.length === 0 ? 0 : 1);
