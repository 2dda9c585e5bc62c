// A run that goes on while people look: its transcript, notifications, and a server that is killed in the middle.

import { GREETING, SECOND, signIn } from "./server.mjs";

const SLOW = { ...GREETING, id: "slow", title: "Work slowly", task: "Work slowly.", contract: "test -s slow.txt" };

export async function live({ check, holds, page, context, at, project, signAndStart }) {
  project.propose("slow.md", "Take your time", [SLOW, { ...SECOND, after: "slow", contract: "test -s greeting.txt" }]);

  await check("a notification is asked for with the bell, and tells what waits", async () => {
    await context.grantPermissions(["notifications"], { origin: project.base });
    await page.addInitScript(() => {
      const Real = window.Notification;
      window.told = [];
      window.Notification = class extends Real {
        constructor(title, options) { super(title, options); window.told.push(`${title}: ${options.body}`); }
      };
    });
    await page.goto(`${project.base}/runs`);
    const before = await page.evaluate(() => localStorage.getItem("signoff-notify"));
    holds(before === null, "it is on by itself");
    await page.click("#notify");
    await page.waitForSelector("#notify[aria-pressed=true]");
    // Once it follows: what happens later is told.
    await page.waitForFunction(async () => (await navigator.locks.query()).held.some((lock) => lock.name === "signoff-notify"));
    project.propose("told.md", "Tell me", [GREETING]);
    await page.waitForFunction(() => window.told.some((text) => text.startsWith("Tell me waits for your")), null, { timeout: 30_000 });
    await page.click("#notify");
    await page.waitForSelector("#notify[aria-pressed=false]");
  });

  await check("a transcript follows while the person is at its end, and only then", async () => {
    await signAndStart("slow.md");
    await page.waitForSelector("#step-slow[data-state=running]", { timeout: 60_000 });
    const name = await page.getAttribute("#node-slow g", "class");
    holds(name.includes("is-running"), `the graph shows ${name}`);
    holds((await page.textContent("#node-slow .remark")).includes("running"), "the graph has the words of before");
    await page.click("#step-slow summary");
    await page.click("#step-slow .tabs >> text=Transcript");
    await page.waitForSelector("#transcript:has-text(\"line 60\")", { timeout: 30_000 });
    const place = () => page.$eval("#transcript", (log) => log.scrollHeight - log.scrollTop - log.clientHeight);
    // The gate opens while the person reads what stands above: they stay there.
    await page.$eval("#transcript", (log) => { log.scrollTop = 0; });
    project.open();
    await page.waitForSelector("#transcript:has-text(\"line 61\")", { timeout: 30_000 });
    holds(await page.$eval("#transcript", (log) => log.scrollHeight <= log.clientHeight || log.scrollTop === 0), "what the person read moved away");
    await page.$eval("#transcript", (log) => { log.scrollTop = log.scrollHeight; });
    holds((await place()) <= 12, "it is not at its end");
  });

  await check("the server is killed in the middle of a run: the page goes on without gap or duplicate", async () => {
    const record = () => {
      const Real = window.EventSource;
      window.EventSource = class extends Real {
        addEventListener(kind, listener) {
          super.addEventListener(kind, (event) => { if (event.lastEventId && kind !== "open") note(event.lastEventId); listener(event); });
        }
      };
      const note = (id) => { const seen = JSON.parse(sessionStorage.seen ?? "[]"); seen.push(Number(id)); sessionStorage.seen = JSON.stringify(seen); };
    };
    const watcher = await context.newPage();
    await watcher.addInitScript(record);
    const run = new URL(page.url()).pathname;
    await watcher.goto(project.base + run);
    const port = new URL(project.base).port;
    await project.kill();
    await project.serve(port);
    // Nobody is signed in at the new server: the page leads to the form, and from there back to the run.
    await watcher.waitForURL(/sign-in/, { timeout: 30_000 });
    await watcher.fill("[name=code]", await project.wait(/with the code ([A-Z0-9]+-[A-Z0-9]+)/));
    await watcher.click("button.primary");
    await watcher.waitForURL(new RegExp(run));
    const first = Number(new URL(await watcher.getAttribute("body", "data-events"), project.base).searchParams.get("after"));
    project.open(".end");
    await watcher.waitForSelector("#run-head[data-status=completed]", { timeout: 60_000 });
    await watcher.waitForSelector("#step-second .state:has-text(\"proved\"), #step-second .state:has-text(\"held\")");
    const seen = await watcher.evaluate(() => JSON.parse(sessionStorage.seen));
    const after = seen.filter((id) => id > first);
    holds(after.length > 0 && after.every((id, index) => id === first + 1 + index), `after ${first} came ${after}`);
    await watcher.close();
    await page.goto(`${project.base}/`);
    await page.waitForSelector("h1:has-text(\"Plans\")");
  });

  await check("a step that was opened by its address goes on to be shown", async () => {
    project.propose("opened.md", "Open me", [SLOW]);
    await project.close();
    await signAndStart("opened.md");
    const run = new URL(page.url()).pathname;
    await page.waitForSelector("#step-slow[data-state=running]", { timeout: 60_000 });
    await page.goto(`${project.base}${run}/steps/slow?attempt=1&tab=transcript`);
    await page.waitForSelector("#transcript:has-text(\"line 60\")", { timeout: 30_000 });
    holds(await page.$eval("#transcript", (log) => log.scrollHeight - log.scrollTop - log.clientHeight <= 12), "its newest lines are not shown");
    project.open();
    await page.waitForSelector("#transcript:has-text(\"line 61\")", { timeout: 30_000 });
    project.open(".end");
    await page.waitForSelector("#run-head[data-status=completed]", { timeout: 60_000 });
    await page.waitForSelector("#transcript:has-text(\"Done at last.\")");
  });

  await check("two browsers follow one run, and both see it paused and resumed", async () => {
    const other = await context.newPage();
    project.propose("pause.md", "Pause me", [SLOW, { ...SECOND, after: "slow" }]);
    await project.close();
    await signAndStart("pause.md");
    await other.goto(page.url());
    await page.click("#run-head button:has-text(\"Stop\")");
    await other.waitForSelector("#run-head button:has-text(\"Resume\")", { timeout: 60_000 });
    project.open();
    project.open(".end");
    await other.click("#run-head button:has-text(\"Resume\")");
    await page.waitForSelector("#run-head[data-status=completed]", { timeout: 60_000 });
    await other.close();
  });

  await check("an end for good is asked for twice", async () => {
    project.propose("abort.md", "Abort me", [{ ...SLOW, task: "Work slowly and on." }]);
    await project.close();
    await signAndStart("abort.md");
    await page.waitForSelector("#step-slow[data-state=running]", { timeout: 60_000 });
    holds(!(await page.isVisible("#confirm-abort button.danger")), "one press is enough");
    await page.click("#confirm-abort summary");
    await page.click("#confirm-abort button.danger");
    await page.waitForSelector("#run-head[data-status=failed]", { timeout: 60_000 });
  });
}
