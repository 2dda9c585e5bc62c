// Without scripts: a plan is read, corrected, talked about, signed, started and rejected, and what a run asks is answered.

import { GREETING, SECOND } from "./server.mjs";

const STUCK = { ...GREETING, task: "Do the impossible.", contract: "test -e never.txt" };

export async function plain({ check, holds, at, project, plainPage }) {
  const without = (name, work) => check(`without scripts ${name}`, async () => {
    const page = await plainPage();
    try { await work(page); } finally { await page.context().close(); }
  });
  /** Nothing comes by itself: the page is loaded until it shows this. */
  const reloaded = async (page, selector) => {
    const end = Date.now() + 60_000;
    while (!(await page.locator(selector).first().isVisible())) {
      if (Date.now() > end) throw new Error(`${selector} does not appear`);
      await page.reload();
    }
  };
  const signAndStart = async (page, plan) => {
    await page.goto(at(plan));
    await page.click("button.sign");
    await page.waitForSelector("text=Signed by");
    await page.click("#decision button.primary");
    await page.waitForURL(/\/runs\//);
  };

  await without("a plan is read, signed and started", async (page) => {
    project.propose("plain.md", "Without scripts", [GREETING, SECOND]);
    await page.goto(`${project.base}/`);
    await page.click("text=Without scripts");
    for (const text of ["Somebody has to.", "Write greeting.txt.", "grep -q hello greeting.txt", "You sign as"]) holds(await page.isVisible(`text=${text}`), `${text} cannot be read`);
    holds(await page.isVisible("#graph svg"), "there is no graph");
    // What only scripts can do is not offered.
    for (const name of ["[data-grip]", "[data-copies]", "#notify", ".search-button"]) holds(!(await page.locator(name).first().isVisible()), `${name} is offered`);
    await signAndStart(page, "plain.md");
    await reloaded(page, "#run-head[data-status=completed]");
    await page.click("#step-greeting summary");
    await page.click("#step-greeting >> text=Show what was tried");
    await page.waitForSelector("#step-greeting .two-up");
    await page.click("#step-greeting .tabs >> text=Changes");
    await page.waitForSelector("#step-greeting .tabs [aria-current]:has-text(\"Changes\")");
    await page.click("text=Report");
    await page.waitForSelector("h2:has-text(\"How to verify this\")");
  });

  await without("a question is answered, and the run goes on", async (page) => {
    project.propose("plain-stuck.md", "Get stuck without scripts", [STUCK]);
    await signAndStart(page, "plain-stuck.md");
    const run = page.url();
    await reloaded(page, "#run-inbox .question");
    await page.goto(`${project.base}/inbox`);
    const card = page.locator(".question", { hasText: "Get stuck without scripts" });
    await card.locator("[name=note]").fill("it is not needed");
    await card.locator("button.choice[value=skip]").click();
    await page.waitForSelector("text=Answered.");
    holds((await page.locator(".question", { hasText: "Get stuck without scripts" }).count()) === 0, "it still asks");
    await page.goto(run);
    await reloaded(page, "#step-greeting .state:has-text(\"skipped\")");
  });

  await without("a plan is moved, commented on and rejected", async (page) => {
    project.propose("plain-order.md", "Order me", [GREETING, { ...SECOND, after: "none" }]);
    await page.goto(at("plain-order.md"));
    await page.click("#step-second summary:has-text(\"Move or skip\")");
    await page.click("#step-second button:has-text(\"Move up\")");
    await page.waitForSelector("text=Moved.");
    holds((await page.getAttribute("#steps .step", "data-step")) === "second", "it has the old order");
    await page.click("#comments summary:has-text(\"Comment\")");
    await page.fill("#plan-comment", "Who greets whom?");
    await page.click("#comments form[action$=comment] button");
    await page.waitForSelector("#comments .comment:has-text(\"Who greets whom?\")");
    await page.click("#reject summary");
    holds((await page.inputValue("#feedback")) === "Who greets whom?", "the comment is not offered");
    await page.click("#reject button.danger");
    await page.waitForSelector("text=Rejected. Your words are kept for the planner.");
  });
}
