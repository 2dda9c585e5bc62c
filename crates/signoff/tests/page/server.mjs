// A project with plans and agents of its own, and the server that shows it.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const AGENT = `prompt=$(cat)
case $prompt in
  *impossible*) echo 'All tests pass.' ;;
  *slowly*) while [ ! -e "$GATE" ]; do sleep 0.1; done; echo yes > slow.txt; echo 'Done at last.' ;;
  *) echo hello > greeting.txt; echo 'I wrote the greeting.' ;;
esac
`;

const step = ({ number, id, title, task, contract, after }) => `### ${number}. ${title}

**id:** ${id}
**target:** coder
${after === undefined ? "" : `**depends_on:** ${after}\n`}**task:**
${task}

**contract:**
\`\`\`shell
${contract}
\`\`\`
exit_code == 0
**on_fail:** retry(0), then escalate
`;

/** The text of a plan. */
export const plan = (title, steps) => `---
type: plan
status: draft
owner: claude
---

# ${title}

**Context:** Somebody has to.
**Budget:** 6 agents, 5 minutes wall clock

## Steps

${steps.map((one, at) => step({ number: at + 1, ...one })).join("\n")}`;

export const GREETING = { id: "greeting", title: "Write the greeting", task: "Write greeting.txt.", contract: "grep -q hello greeting.txt" };
export const SECOND = { id: "second", title: "Read it again", task: "Write greeting.txt once more.", contract: "test -s greeting.txt", after: "greeting" };

export class Project {
  constructor(signoff) {
    this.signoff = signoff;
    this.root = mkdtempSync(join(tmpdir(), "signoff-page-"));
    this.directory = join(this.root, "project");
    this.gate = join(this.root, "gate");
    mkdirSync(join(this.directory, ".signoff"), { recursive: true });
    mkdirSync(join(this.root, "home"));
    // The agent is no part of the checkout, so that no step can change it.
    const agent = join(this.root, "agent.sh");
    writeFileSync(agent, AGENT.replaceAll("$GATE", join(this.directory, "gate")));
    this.write("agent.sh", AGENT.replaceAll("\"$GATE\"", "gate.txt"));
    this.env = { PATH: process.env.PATH, HOME: join(this.root, "home"), USER: "ada", LANG: "C.UTF-8" };
    this.run("git", "init", "-q", ".");
    this.run("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--allow-empty", "-m", "start");
    this.cli("init");
    this.write(".signoff/config.toml", "[agents.coder]\ndriver = \"command\"\ncommand = [\"bash\", \"agent.sh\"]\n");
    this.cli("trust");
  }

  write(name, text) { writeFileSync(join(this.directory, name), text); }

  run(...argv) { return execFileSync(argv[0], argv.slice(1), { cwd: this.directory, env: this.env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }); }

  cli(...args) { return this.run(this.signoff, ...args); }

  propose(name, title, steps) {
    this.write(name, plan(title, steps));
    this.cli("propose", name);
  }

  /** Starts the server; `port` after it was killed. */
  async serve(port = 0) {
    const server = spawn(this.signoff, ["serve", "--addr", `127.0.0.1:${port}`], { cwd: this.directory, env: this.env });
    this.said = "";
    server.stderr.on("data", (text) => { this.said += text; });
    server.stdout.on("data", (text) => { this.said += text; });
    this.server = server;
    this.base = await this.wait(/serving (http:\/\/[^/]+)\//);
    return this.base;
  }

  /** What the server said that this expression finds. */
  async wait(expression) {
    const end = Date.now() + 30_000;
    while (Date.now() < end) {
      const found = expression.exec(this.said);
      if (found) return found[1];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the server did not say ${expression}: ${this.said}`);
  }

  async kill() {
    const ended = new Promise((resolve) => this.server.on("exit", resolve));
    this.server.kill("SIGKILL");
    await ended;
  }
}

/** Signs in with the code that the server shows. */
export async function signIn(page, project) {
  project.said = "";
  await page.goto(`${project.base}/sign-in`);
  const code = await project.wait(/with the code (\S+)/);
  await page.fill("[name=code]", code);
  await page.click("button");
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}
