// Projects in which something of everything has happened, for whoever looks at all screens.

import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GREETING, Project, SECOND, plan, signIn } from "./server.mjs";

const RETRY = [
  { id: "retry", title: "Write the retry", task: "Add a retry with backoff to `fetch` in `client.py`: three tries, then raise what the last one raised.", contract: "grep -q 'for attempt in range(3)' client.py" },
  { id: "docs", title: "Document it", task: "Say in `CLIENT.md` how often it tries and how long it waits.", contract: "grep -q tries CLIENT.md", after: "retry" },
  { id: "callers", title: "Use it in the callers", task: "Remove the loops around `fetch` in `payments.py`, `invoices.py` and wherever else somebody wrote one by hand.", contract: "! grep -n 'for attempt' payments.py", after: "retry" },
  { id: "all", title: "Everything holds together", task: "Read it all once more and repair what is left.", contract: "true", after: "docs, callers" },
];
const STUCK = { ...GREETING, id: "migrate", title: "Migrate the callers", task: "Do the impossible.", contract: "test -e never.txt || { echo 'FAILED tests/test_http.py::test_gives_up - AssertionError: 4 != 3' >&2; exit 1; }" };
const SLOW = { ...GREETING, id: "slow", title: "Work slowly", task: "Work slowly.", contract: "test -s slow.txt" };
/** Names that are too long for a line, with and without a place to break them. */
const LONG = [
  { id: "extract-the-connection-pool-into-a-module-of-its-own", title: "Extract the connection pool into a module of its own, with the tests that belong to it and nothing else", task: "See https://example.org/a/path/that/has/no/place/at/which/it/could/be/broken/into/two/lines/whatever/one/tries and do what it says.", contract: "cargo test --package connection-pool --no-default-features --features rustls,postgres -- --nocapture connection_pool::tests::every_connection_is_given_back_however_its_borrower_ended && test -s AVeryLongFileNameWithoutAnySpacesThatNobodyWouldChoose.txt" },
  ...Array.from({ length: 9 }, (_, at) => ({ id: `shard-${at + 1}`, title: `Move shard ${at + 1}`, task: `Move shard ${at + 1} to the new pool.`, contract: `test -s shard-${at + 1}.txt`, after: "extract-the-connection-pool-into-a-module-of-its-own" })),
  { id: "all", title: "Remove the old pool", task: "Remove what nobody uses any more.", contract: "! test -e pool.py", after: Array.from({ length: 9 }, (_, at) => `shard-${at + 1}`).join(", ") },
];
/** Tools with arguments, one that a person has to approve, and a question. */
const TOOLS = {
  title: "Archive last year's invoices",
  context: "The auditor needs them in one place.",
  steps: [
    { id: "list", description: "List the invoices of last year", tool: "run_command", args: { command: "ls invoices/2025", timeout_seconds: 20 } },
    { id: "write", description: "Write the archive's index", tool: "write_file", args: { path: "archive/index.txt", content: "$list.stdout" }, approval: "required" },
    { id: "sure", description: "Ask whether the originals go", ask: { question: "Delete the originals?", choices: ["keep", "delete"] }, dependsOn: ["write"] },
  ],
};

/** The project that most screens are of. */
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
  project.propose("long.md", "Replace the connection pool of every service with one that gives connections back, and move all nine shards to it", LONG);
  project.write("tools.json", JSON.stringify(TOOLS));
  project.cli("propose", "tools.json");
  project.propose("stuck.md", "Move to the new HTTP client", [STUCK, { ...SECOND, after: "migrate" }]);
  project.cli("approve", "stuck.md");
  fails(() => project.cli("run", "stuck.md"));
  project.propose("failed.md", "Drop support for Python 2", [STUCK]);
  project.cli("approve", "failed.md");
  fails(() => project.cli("run", "failed.md"));
  project.cli("abort", newestRun(project));
  await holdFiles(project);
  project.propose("ready.md", "Publish the handbook", [GREETING]);
  project.cli("approve", "ready.md");
  project.propose("slow.md", "Write the release notes", [GREETING, { ...SLOW, after: "greeting" }, { ...SECOND, after: "slow" }]);
  project.cli("approve", "slow.md");
  project.threads("Add user authentication", ["Middleware that checks tokens", "The form to sign in"]);
  return project;
}

/** What ends with another code because a person has to do something. */
function fails(work) {
  try { work(); } catch (error) { if (error.status === undefined) throw error; }
}

function newestRun(project) {
  return JSON.parse(project.cli("runs", "--format", "json")).runs.at(-1).run;
}

/** A run that changed a file while a person changed it too, when its contract ran: the file is held back. */
async function holdFiles(project) {
  const [began, go] = ["began", "go"].map((name) => join(project.outside, name));
  project.write("settings.txt", "one\n");
  project.propose("held.md", "Tidy the settings", [{ ...GREETING, id: "tidy", title: "Tidy the settings", task: "Tidy settings.txt.", contract: `grep -q run settings.txt && { touch ${began}; until test -e ${go}; do sleep 0.05; done; }` }]);
  project.cli("approve", "held.md");
  const run = spawn(project.signoff, ["run", "held.md"], { cwd: project.directory, env: project.env, stdio: "ignore" });
  const ended = new Promise((resolve) => run.on("exit", resolve));
  const end = Date.now() + 60_000;
  while (!existsSync(began) && run.exitCode === null && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  project.write("settings.txt", "mine\n");
  writeFileSync(go, "");
  await ended;
}

/** A project in which only keys sign, with a key for Ada. */
export function keyedProject(signoff) {
  const project = new Project(signoff);
  const line = "mkdir -p ~/.ssh && ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519 && echo \"ada@example.org $(cat ~/.ssh/id_ed25519.pub)\" > ~/.ssh/allowed_signers && git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers";
  project.run("bash", "--norc", "-c", line);
  project.setting("approval.minimum = \"key\"");
  project.propose("keyed.md", "Only a key", [{ ...GREETING, title: "It's Ada's" }]);
  return project;
}

/** All of them, served, and a page on which Ada is signed in everywhere she can be. */
export async function openSamples(signoff, page) {
  const samples = { main: await sampleProject(signoff), empty: new Project(signoff), keyed: keyedProject(signoff), named: new Project(signoff) };
  samples.named.setting("[serve.people]\n\"Ada Lovelace\" = \"sha256:" + "0".repeat(64) + "\"");
  for (const project of Object.values(samples)) await project.serve();
  for (const project of [samples.main, samples.empty, samples.keyed]) await signIn(page, project);
  await startSlow(samples.main, page);
  return samples;
}

/** Starts the run that goes on while people look. */
async function startSlow(project, page) {
  await page.goto(`${project.base}/plans/slow.md`);
  await page.click("#decision button.primary");
  await page.waitForSelector("#step-slow[data-state=running]", { timeout: 60_000 });
}

export async function closeSamples(samples) {
  for (const gate of ["", ".end"]) samples.main.open(gate);
  for (const project of Object.values(samples)) await project.end();
}
