// Every screen of the page, each in a state in which there is something on it; and pictures of them all, light and dark, on a
// phone and on a desk: node screens.mjs SIGNOFF PACKAGES FOLDER [NAME ...]

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "./chromium.mjs";
import { closeSamples, openSamples } from "./sample.mjs";

/** What the windows are called, with their sizes. */
export const WINDOWS = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } };

/** The screens, by name: where they are, what is done there first, and what is done when they have been looked at. */
export async function screens({ main, empty, keyed, named }, page) {
  const { runs } = await (await page.request.get(`${main.base}/api/runs`)).json();
  const of = (title) => runs.find((run) => run.title === title).run;
  const [done, stuck, slow, failed, held] = ["Greet the world", "Move to the new HTTP client", "Write the release notes", "Drop support for Python 2", "Tidy the settings"].map(of);
  const press = (key) => async () => { await page.keyboard.press(key); };
  const opens = (selector) => async () => { await page.click(selector); };
  const fills = (field, text, then) => async () => { await page.fill(field, text); await page.click("button.primary"); await page.waitForSelector(then); };
  const edits = async () => { await page.click("#step-docs .step-edit summary"); await page.fill("#step-docs [name=contract]", "true"); await page.waitForSelector("#step-docs .problems p"); };
  const overtaken = async () => { await edits(); await page.$eval("#step-docs .step-edit [name=digest]", (field) => { field.value = "0".repeat(64); }); await page.click("#step-docs .step-edit button.primary"); await page.waitForSelector("#kept-title"); };
  const asksPlanner = async () => { main.answer("I would rather not.\n"); await page.click("#step-second summary:has-text(\"Rewrite\")"); await page.fill("#step-second [name=comment]", "Shorter."); await page.click("#step-second form[action$=regenerate] button"); await page.waitForSelector("#planner .tone-failed", { timeout: 60_000 }); };
  const answers = async () => { await page.click("button.choice[value=skip]"); await page.waitForSelector(".toast"); };
  return {
    "sign-in": [`${empty.base}/sign-in`],
    "sign-in-refused": [`${empty.base}/sign-in`, fills("#code", "AAAA-AAAA", "[role=alert]")],
    "sign-in-token": [`${named.base}/sign-in`],
    "key": [`${keyed.base}/plans/keyed.md/key`],
    "key-command": [`${keyed.base}/plans/keyed.md/key?principal=ada@example.org`],
    "review-keyed": [`${keyed.base}/plans/keyed.md`],
    "empty-plans": [`${empty.base}/`],
    "empty-runs": [`${empty.base}/runs`],
    "empty-inbox": [`${empty.base}/inbox`],
    "plans": ["/"],
    "plans-none": ["/?text=nothing+has+this"],
    "palette": ["/", async () => { await page.keyboard.press("Control+k"); await page.waitForSelector("#palette li"); }],
    "keys": ["/", press("?")],
    "review": ["/plans/retry.md"],
    "review-edit": ["/plans/retry.md#step-docs", edits],
    "review-overtaken": ["/plans/retry.md", overtaken],
    "review-comment": ["/plans/retry.md", opens("#step-docs .step-actions summary:has-text(\"Comment\")")],
    "review-move": ["/plans/retry.md", opens("#step-docs summary:has-text(\"Move or skip\")")],
    "review-add": ["/plans/retry.md", opens(".add-step summary")],
    "review-reject": ["/plans/retry.md", opens("#reject summary")],
    "review-graph": ["/plans/long.md", press("g")],
    "review-long": ["/plans/long.md"],
    "review-tools": ["/plans/tools.json"],
    "review-differs": ["/plans/changed.md"],
    "review-planner": ["/plans/changed.md", asksPlanner],
    "review-wrong": ["/plans/wrong.md"],
    "review-rejected": ["/plans/rejected.md"],
    "review-ready": ["/plans/ready.md"],
    "review-running": ["/plans/slow.md"],
    "review-done": ["/plans/done.md"],
    "text": ["/plans/wrong.md/text", async () => { await page.waitForSelector(".editor-problems button"); }],
    "runs": ["/runs"],
    "run-live": [`/runs/${slow}`],
    "run-abort": [`/runs/${slow}`, opens("#confirm-abort summary")],
    "run-done": [`/runs/${done}`],
    "run-failed": [`/runs/${failed}/steps/migrate`],
    "run-held": [`/runs/${held}`],
    "run-transcript": [`/runs/${slow}/steps/slow?attempt=1&tab=transcript`],
    "run-contract": [`/runs/${done}/steps/greeting?attempt=1&tab=contract`],
    "run-changes": [`/runs/${done}/steps/greeting?attempt=1&tab=changes`],
    "run-prompt": [`/runs/${done}/steps/greeting?attempt=1&tab=prompt`],
    "run-waiting": [`/runs/${stuck}`],
    "run-decide": [`/runs/${stuck}/steps/migrate`],
    "inbox": ["/inbox"],
    "inbox-answered": ["/inbox", answers, opens(".toast button")],
    "report": [`/runs/${done}/report`],
    "problem": ["/plans/nothing"],
  };
}

/** Opens a screen. */
export async function visit({ main }, page, [address, prepare]) {
  await page.goto("about:blank");
  await page.goto(address.startsWith("/") ? main.base + address : address);
  await prepare?.();
  await page.evaluate(() => scrollTo(0, 0));
}

async function main() {
  const [signoff, packages, folder, ...wanted] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  const browser = await chromium(packages);
  const first = await browser.newContext();
  const samples = await openSamples(resolve(signoff), await first.newPage());
  const storageState = await first.storageState();
  for (const [name, viewport] of Object.entries(WINDOWS)) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", storageState });
      const page = await context.newPage();
      for (const [screen, how] of Object.entries(await screens(samples, page))) {
        if (wanted.length > 0 && !wanted.includes(screen)) continue;
        await visit(samples, page, how);
        await page.screenshot({ path: join(folder, `${screen}-${name}-${colorScheme}.png`), fullPage: true });
        await how[2]?.();
      }
      await context.close();
    }
  }
  await browser.close();
  await closeSamples(samples);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
