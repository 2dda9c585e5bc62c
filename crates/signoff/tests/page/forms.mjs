// A plan is corrected: in the form of a step, by the planner, with words; and what is refused is not lost.

import { GREETING, SECOND, plan } from "./server.mjs";

export async function forms({ check, holds, page, at, project, plainPage }) {
  project.propose("form.md", "Correct me", [GREETING, SECOND]);
  const problems = (step, field) => `#step-${step} [data-problems-of="${field}"] p`;

  await check("problems appear under the field while it is typed", async () => {
    await page.goto(at("form.md"));
    await page.click("#step-second .step-edit summary");
    await page.fill("#step-second [name=contract]", "true");
    await page.waitForSelector(`${problems("second", "contract")}:has-text("cannot fail")`);
    await page.fill("#step-second [name=contract]", "test -s greeting.txt && (");
    await page.waitForSelector(`${problems("second", "contract")}.tone-failed`);
    holds((await page.getAttribute("#step-second [name=contract]", "aria-invalid")) === "true", "the field does not say that it is invalid");
    await page.fill("#step-second [name=contract]", "test -s greeting.txt");
    await page.waitForSelector(problems("second", "contract"), { state: "detached" });
    await page.fill("#step-second [name=depends_on]", "greting");
    await page.waitForSelector(`${problems("second", "depends_on")}:has-text("greting")`);
    await page.fill("#step-second [name=on_fail]", "retri 3");
    await page.waitForSelector(`${problems("second", "on_fail")}:has-text("retri 3")`);
    await page.fill("#step-second [name=on_fail]", "retry(1), then skip");
    await page.waitForSelector(problems("second", "on_fail"), { state: "detached" });
    holds(!project.read("form.md").includes("greting"), "typing has changed the file");
  });

  await check("steps to wait for are suggested", async () => {
    await page.fill("#step-second [name=depends_on]", "gre");
    await page.click("#step-second .suggestions button:has-text(\"greeting\")");
    holds((await page.inputValue("#step-second [name=depends_on]")) === "greeting", "it was not taken");
    await page.fill("#step-second [name=tools]", "none");
    await page.click("#step-second .step-edit button.primary");
    await page.waitForSelector("text=Saved.");
    const text = project.read("form.md");
    holds(text.includes("retry(1), then skip") && text.includes("**tools:**"), text);
  });

  await check("a step is added and skipped", async () => {
    await page.goto(at("form.md"));
    await page.click(".add-step summary");
    await page.fill("#title-new", "Look once more");
    await page.fill("#task-new", "Look at greeting.txt.");
    await page.fill("#contract-new", "true");
    await page.waitForSelector(".add-step [data-problems-of=contract] p:has-text(\"cannot fail\")");
    await page.fill("#contract-new", "grep -q hello greeting.txt");
    await page.click(".add-step button.primary");
    await page.waitForSelector(".step-title:has-text(\"Look once more\")");
    const added = await page.getAttribute(".step:last-of-type", "data-step");
    await page.click(`#step-${added} summary:has-text("Move or skip")`);
    await page.click(`#step-${added} button.danger`);
    await page.waitForSelector(`#step-${added}.is-skipped, #step-${added} dd:has-text("false")`);
  });

  await check("a comment is the text of a rejection, and can be resolved", async () => {
    await page.goto(at("form.md"));
    await page.click("#step-greeting .step-actions summary:has-text(\"Comment\")");
    await page.fill("#step-greeting [name=text]", "Whom do we greet?");
    await page.click("#step-greeting form[action$=comment] button");
    await page.waitForSelector("#step-greeting .comment:has-text(\"Whom do we greet?\")");
    await page.click("#reject summary");
    const offered = await page.inputValue("#feedback");
    holds(offered === "`greeting`: Whom do we greet?", `offered: ${offered}`);
    await page.click("#step-greeting .comment button");
    await page.waitForSelector("#step-greeting .comment", { state: "detached" });
    await page.click("#reject summary");
    holds((await page.inputValue("#feedback")) === "", "a resolved comment is still offered");
  });

  await check("the planner writes a step anew, with a comment", async () => {
    project.propose("anew.md", "Write me anew", [GREETING, SECOND]);
    project.answer(plan("Write me anew", [{ ...GREETING, task: "Write greeting.txt for Ada." }, SECOND]));
    await page.goto(at("anew.md"));
    await page.click("#step-greeting .step-actions summary:has-text(\"Rewrite\")");
    await page.fill("#step-greeting [name=comment]", "Greet Ada.");
    await page.click("#step-greeting form[action$=regenerate] button");
    await page.waitForSelector("#step-greeting .prose:has-text(\"for Ada\")", { timeout: 60_000 });
    await page.waitForSelector("#planner", { state: "detached" });
  });

  await check("a planner that fails is told of, with the reason", async () => {
    project.answer("I would rather not.\n");
    await page.click("#step-second .step-actions summary:has-text(\"Rewrite\")");
    await page.fill("#step-second [name=comment]", "Shorter.");
    await page.click("#step-second form[action$=regenerate] button");
    await page.waitForSelector("#planner .tone-failed:has-text(\"as it was\")", { timeout: 60_000 });
  });

  await check("without scripts: a text that is refused is there to be sent again", async () => {
    const old = await plainPage();
    project.propose("kept.md", "Keep my words", [GREETING]);
    await old.goto(`${at("kept.md")}/text`);
    const text = await old.inputValue("textarea[name=text]");
    await old.fill("textarea[name=text]", text.replace("**depends_on:**", "").replace("type: plan", "type: plan\ntype: poem"));
    await old.click("button.primary");
    await old.waitForSelector("#kept-title");
    holds((await old.inputValue("textarea[name=text]")).includes("type: poem"), "the text is lost");
    holds((await old.textContent(".problem-screen")).length > 40, "no reason is given");
    await old.fill("textarea[name=text]", text.replace("Somebody has to.", "It is polite."));
    await old.click("button.primary");
    await old.waitForSelector("text=It is polite.");
    await old.context().close();
  });

  await check("without scripts: the form of a step shows problems once it is sent", async () => {
    const old = await plainPage();
    await old.goto(at("kept.md"));
    await old.click("#step-greeting .step-edit summary");
    await old.fill("#step-greeting [name=contract]", "test -s (");
    await old.fill("#step-greeting [name=task]", "Write a long and careful text.");
    await old.click("#step-greeting .step-edit button.primary");
    await old.waitForSelector("#kept-title");
    holds((await old.inputValue("[name=task]")) === "Write a long and careful text.", "the task is lost");
    await old.fill("[name=contract]", "test -s greeting.txt");
    await old.click("button.primary");
    await old.waitForSelector("text=Write a long and careful text.");
    await old.context().close();
  });
}
