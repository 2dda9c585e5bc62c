// `demo --page`: who has never seen it finds the way, with nothing but what the page says.

import { Project, signIn } from "./server.mjs";

export async function demo({ check, holds, browser, signoff }) {
  await check("the demo is reviewed, corrected, signed and watched in the page", async () => {
    const home = new Project(signoff);
    const context = await browser.newContext();
    try { await walk(home, await context.newPage()); } finally { await context.close(); await home.end(); }
  });

  async function walk(home, page) {
    await home.start("demo", "--page");
    await signIn(page, home);
    await page.click("text=Add a slugify script");
    // The comment says what is wrong, and what to write.
    const advice = await page.textContent("#step-docs .comment p:not(.by)");
    const better = /look for the section: (.*)$/.exec(advice)[1];
    await page.click("#step-docs .step-edit summary");
    await page.fill("#step-docs [name=contract]", better);
    await page.click("#step-docs .step-edit button.primary");
    await page.waitForSelector("text=Saved.");
    await page.click("button.sign");
    await page.waitForSelector("text=Signed by");
    await page.click("#decision button.primary");
    await page.waitForURL(/\/runs\//);
    await page.waitForSelector("#run-head[data-status=completed]", { timeout: 120_000 });
    holds((await page.textContent("#step-docs")).includes("2 attempts"), "the first attempt was believed");
    await page.waitForSelector("#step-docs .state:has-text(\"proved\")");
    const code = await home.kill("SIGINT");
    holds(code === 0, `it ended with ${code}: ${home.said}`);
    holds(!home.said.includes("error"), home.said);
  }
}
