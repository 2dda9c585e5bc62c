// Signing with a key that the server never sees; and a report that is sent on.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyedProject } from "./sample.mjs";
import { signIn } from "./server.mjs";

export async function signing({ check, holds, browser, page, project, signoff }) {
  await check("where keys count, the command of the page is typed and what it prints is pasted", async () => {
    const home = keyedProject(signoff);
    const context = await browser.newContext();
    try { await withKey(home, await context.newPage()); } finally { await context.close(); await home.end(); }
  });

  async function withKey(home, page) {
    const shell = (line) => execFileSync("bash", ["--norc", "-c", line], { cwd: home.directory, env: home.env, encoding: "utf8" });
    await home.serve();
    await signIn(page, home);
    await page.goto(`${home.base}/plans/keyed.md`);
    await page.click("#decision a.sign");
    await page.fill("#principal", "ada@example.org");
    await page.click("button.primary");
    await page.fill("#signature", shell(await page.textContent("#key-command")));
    await page.click("button.sign");
    await page.waitForSelector("text=Signed by");
    const { plans } = await (await page.request.get(`${home.base}/api/plans`)).json();
    holds(plans[0].proof === "key", `the proof is ${plans[0].proof}`);
  }

  await check("the report is one file that loads nothing and prints all of it", async () => {
    const { runs } = await (await page.request.get(`${project.base}/api/runs`)).json();
    const run = runs.find((one) => one.title === "Greet the world").run;
    await page.goto(`${project.base}/runs/${run}/report`);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as one file")]);
    const file = join(project.outside, "report.html");
    writeFileSync(file, readFileSync(await saved.path()));
    // Nobody is signed in there, and no server is asked.
    const reader = await (await browser.newContext({ viewport: { width: 794, height: 1123 } })).newPage();
    const asked = [];
    reader.on("request", (request) => asked.push(request.url()));
    await reader.goto(`file://${file}`);
    holds(asked.length === 1, `it asks for ${asked}`);
    await reader.emulateMedia({ media: "print" });
    for (const text of ["Evidence", "Timeline", "Contracts", "Signatures", "grep -q hello greeting.txt", "signoff log"]) {
      holds(await reader.isVisible(`text=${text}`), `${text} is not printed`);
    }
    const cut = await reader.$$eval("#report *", (all) => all.filter((one) => one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY !== "visible").length);
    holds(cut === 0, `${cut} parts are cut off on paper`);
    const over = await reader.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    holds(over <= 0, `${over} pixels do not fit on paper`);
    holds((await reader.pdf()).length > 5000, "it prints nothing");
    await reader.context().close();
  });
}
