// The pictures of the docs: a plan under review, and a run.

import { join } from "node:path";
import { Project, signIn } from "./server.mjs";

const STEPS = [
  { id: "retry", title: "Write the retry", task: "Add a retry with backoff to `fetch` in `client.py`: three tries, then raise what the last one raised.", contract: "grep -q 'for attempt in range(3)' client.py" },
  { id: "docs", title: "Document it", task: "Say in `CLIENT.md` how often it tries and how long it waits.", contract: "grep -q tries CLIENT.md", after: "retry" },
  { id: "callers", title: "Use it in the callers", task: "Remove the loops around `fetch` in `payments.py`.", contract: "! grep -n 'for attempt' payments.py", after: "retry" },
  { id: "all", title: "Everything holds together", task: "Repair what is left, slowly.", contract: "grep -q retry payments.py", after: "docs, callers" },
];

const AGENT = `prompt=$(cat)
case $prompt in
  *slowly*) echo 'I look for callers that are left.'; while [ ! -e "$GATE" ]; do sleep 0.1; done ;;
  *backoff*) printf 'def fetch(url):\\n    for attempt in range(3):\\n        ...\\n' > client.py; echo 'fetch retries three times now.' ;;
  *CLIENT.md*) echo 'It tries three times, and waits 1, 2 and 4 seconds.' > CLIENT.md ;;
  *) printf 'from client import fetch\\n' > payments.py ;;
esac
`;

export async function pictures(signoff, browser, folder) {
  const project = new Project(signoff);
  project.write("agent.sh", AGENT.replaceAll("$GATE", project.gate));
  project.write("payments.py", "for attempt in range(5):\n    fetch(url)\n");
  project.propose("retry.md", "Add a retry to the HTTP client", STEPS);
  project.cli("comment", "retry.md", "retry", "Does this cover timeouts as well?");
  await project.serve();
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  await signIn(page, project);
  await page.goto(`${project.base}/plans/retry.md`);
  await page.screenshot({ path: join(folder, "page.png") });
  await page.click("button.sign");
  await page.click("#decision button.primary");
  await page.waitForSelector("#step-all[data-state=running]", { timeout: 60_000 });
  // Without the word that it was started.
  await page.reload();
  await page.click("#step-retry summary");
  await page.waitForSelector("#step-retry .two-up");
  await page.screenshot({ path: join(folder, "page-run.png") });
  project.open();
  await page.waitForSelector("#run-head[data-status=waiting], #run-head .state:has-text(\"waits for you\")", { timeout: 60_000 });
  await context.close();
  await project.end();
}
