// Every screen of the page, each in a state in which there is something on it; and pictures of them all, light and dark, on a
// phone and on a desk: node screens.mjs SIGNOFF PACKAGES FOLDER

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "./chromium.mjs";
import { GREETING, Project, SECOND, plan, signIn } from "./server.mjs";

/** What the windows are called, with their sizes. */
export const WINDOWS = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } };

const RETRY = [
  { id: "retry", title: "Write the retry", task: "Add a retry with backoff to `fetch` in `client.py`: three tries, then raise what the last one raised.", contract: "grep -q 'for attempt in range(3)' client.py" },
  { id: "docs", title: "Document it", task: "Say in `CLIENT.md` how often it tries and how long it waits.", contract: "grep -q tries CLIENT.md", after: "retry" },
  { id: "callers", title: "Use it in the callers", task: "Remove the loops around `fetch` in `payments.py`, `invoices.py` and wherever else somebody wrote one by hand.", contract: "! grep -n 'for attempt' payments.py", after: "retry" },
  { id: "all", title: "Everything holds together", task: "Read it all once more and repair what is left.", contract: "true", after: "docs, callers" },
];
const STUCK = { ...GREETING, id: "migrate", title: "Migrate the callers", task: "Do the impossible.", contract: "test -e never.txt || { echo 'FAILED tests/test_http.py::test_gives_up - AssertionError: 4 != 3' >&2; exit 1; }" };
const SLOW = { ...GREETING, id: "slow", title: "Work slowly", task: "Work slowly.", contract: "test -s slow.txt" };

/** A project in which something of everything has happened. */
export async function sampleProject(signoff) {
  const project = new Project(signoff);
  project.write("payments.py", "for attempt in range(5):\n    fetch(url)\n");
  project.propose("retry.md", "Add a retry to the HTTP client", RETRY);
  project.cli("comment", "retry.md", "retry", "Does this cover timeouts as well?");
  project.cli("comment", "retry.md", "Please keep the public interface as it is.");
  project.propose("done.md", "Greet the world", [GREETING, SECOND]);
  project.cli("approve", "done.md");
  project.cli("run", "done.md");
  project.propose("changed.md", "Rename the configuration", [GREETING, SECOND]);
  project.cli("approve", "changed.md");
  project.write("changed.md", project.read("changed.md").replace("Write greeting.txt once more.", "Write greeting.txt twice, to be sure.").replace("test -s greeting.txt", "test -s greeting.txt && wc -l greeting.txt"));
  project.propose("wrong.md", "Something is wrong here", [GREETING, SECOND]);
  project.write("wrong.md", plan("Something is wrong here", [{ ...GREETING, after: "nowhere" }, { ...SECOND, contract: "true" }]));
  project.propose("rejected.md", "Drop the old tables", [GREETING]);
  project.cli("reject", "rejected.md", "--feedback", "The contract only looks for a file. Count the rows before and after.");
  project.propose("stuck.md", "Move to the new HTTP client", [STUCK, { ...SECOND, after: "migrate" }]);
  project.cli("approve", "stuck.md");
  try { project.cli("run", "stuck.md"); } catch { /* it asks a person */ }
  project.propose("slow.md", "Write the release notes", [GREETING, { ...SLOW, after: "greeting" }, { ...SECOND, after: "slow" }]);
  project.cli("approve", "slow.md");
  project.threads("Add user authentication", ["Middleware that checks tokens", "The form to sign in"]);
  return project;
}

/** The screens, by name: where they are, and what is done there first. */
export async function screens(project, page) {
  const json = async (address) => (await page.request.get(project.base + address)).json();
  const { runs } = await json("/api/runs");
  const of = (title) => runs.find((run) => run.title === title).run;
  const [done, stuck, slow] = [of("Greet the world"), of("Move to the new HTTP client"), of("Write the release notes")];
  const press = (key) => async () => { await page.keyboard.press(key); };
  return {
    "plans": ["/"],
    "plans-none": ["/?text=nothing+has+this"],
    "palette": ["/", async () => { await page.keyboard.press("Control+k"); await page.waitForSelector("#palette li"); }],
    "keys": ["/", press("?")],
    "review": ["/plans/retry.md"],
    "review-edit": ["/plans/retry.md#step-docs", async () => { await page.click("#step-docs .step-edit summary"); await page.fill("#step-docs [name=contract]", "true"); await page.waitForSelector("#step-docs .problems p"); }],
    "review-reject": ["/plans/retry.md", async () => { await page.click("#reject summary"); }],
    "review-differs": ["/plans/changed.md"],
    "review-wrong": ["/plans/wrong.md"],
    "review-rejected": ["/plans/rejected.md"],
    "review-signed": ["/plans/slow.md"],
    "review-done": ["/plans/done.md"],
    "text": ["/plans/wrong.md/text", async () => { await page.waitForSelector(".editor-problems button"); }],
    "runs": ["/runs"],
    "run-live": [`/runs/${slow}`],
    "run-done": [`/runs/${done}`],
    "run-transcript": [`/runs/${slow}/steps/slow?attempt=1&tab=transcript`],
    "run-contract": [`/runs/${done}/steps/greeting?attempt=1&tab=contract`],
    "run-changes": [`/runs/${done}/steps/greeting?attempt=1&tab=changes`],
    "run-prompt": [`/runs/${done}/steps/greeting?attempt=1&tab=prompt`],
    "run-waiting": [`/runs/${stuck}`],
    "inbox": ["/inbox"],
    "report": [`/runs/${done}/report`],
    "problem": ["/plans/nothing"],
  };
}

/** Opens a screen. */
export async function visit(project, page, [address, prepare]) {
  await page.goto("about:blank");
  await page.goto(project.base + address);
  await prepare?.();
}

/** Starts the run that goes on while people look. */
export async function startSlow(project, page) {
  await page.goto(`${project.base}/plans/slow.md`);
  await page.click("#decision button.primary");
  await page.waitForSelector("#step-slow[data-state=running]", { timeout: 60_000 });
}

async function main() {
  const [signoff, packages, folder] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  const browser = await chromium(packages);
  const project = await sampleProject(resolve(signoff));
  const empty = new Project(resolve(signoff));
  await project.serve();
  await empty.serve();
  const first = await browser.newContext();
  const visitor = await first.newPage();
  await signIn(visitor, project);
  await signIn(visitor, empty);
  await startSlow(project, visitor);
  const storageState = await first.storageState();
  for (const [name, viewport] of Object.entries(WINDOWS)) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", storageState });
      const page = await context.newPage();
      const shoot = (screen) => page.screenshot({ path: join(folder, `${screen}-${name}-${colorScheme}.png`), fullPage: true });
      await page.goto(`${project.base}/sign-in`);
      await shoot("sign-in");
      for (const [screen, how] of Object.entries(await screens(project, page))) {
        await visit(project, page, how);
        await shoot(screen);
      }
      for (const [screen, address] of [["empty-plans", "/"], ["empty-runs", "/runs"], ["empty-inbox", "/inbox"]]) {
        await page.goto(empty.base + address);
        await shoot(screen);
      }
      await context.close();
    }
  }
  project.open();
  project.open(".end");
  await browser.close();
  await project.end();
  await empty.end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
