// A project with plans and agents of its own, and the server that shows it.

import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const AGENT = `prompt=$(cat)
case $prompt in
  *impossible*) echo 'All tests pass.' ;;
  *slowly*) for line in $(seq 1 60); do echo "line $line"; done
    while [ ! -e "$GATE" ]; do sleep 0.1; done; echo 'line 61'
    while [ ! -e "$GATE.end" ]; do sleep 0.1; done; echo yes > slow.txt; echo 'Done at last.' ;;
  *settings.txt*) echo run > settings.txt ;;
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
    mkdirSync(join(this.directory, ".signoff"), { recursive: true });
    // Where agents wait until the test lets them go on.
    this.outside = join(this.root, "outside");
    this.gate = join(this.outside, "gate");
    mkdirSync(this.outside);
    mkdirSync(join(this.root, "home/.config/signoff"), { recursive: true });
    writeFileSync(join(this.root, "home/.config/signoff/config.toml"), `sandbox.writable = [${JSON.stringify(this.outside)}]\n`);
    this.write("agent.sh", AGENT.replaceAll("$GATE", this.gate));
    this.write("planner.sh", `cat > /dev/null\ncat ${join(this.outside, "answer.txt")}\n`);
    this.env = { PATH: process.env.PATH, HOME: join(this.root, "home"), USER: "ada", LANG: "C.UTF-8" };
    this.run("git", "init", "-q", ".");
    this.run("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--allow-empty", "-m", "start");
    this.cli("init");
    this.write(".signoff/config.toml", "[agents.coder]\ndriver = \"command\"\ncommand = [\"bash\", \"agent.sh\"]\n\n[agents.planner]\ndriver = \"command\"\ncommand = [\"sh\", \"planner.sh\"]\n");
    this.cli("trust");
  }

  /** Adds a setting of the person's own. */
  setting(line) { appendFileSync(join(this.root, "home/.config/signoff/config.toml"), `${line}\n`); }

  write(name, text) { writeFileSync(join(this.directory, name), text); }

  read(name) { return readFileSync(join(this.directory, name), "utf8"); }

  run(...argv) { return execFileSync(argv[0], argv.slice(1), { cwd: this.directory, env: this.env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }); }

  cli(...args) { return this.run(this.signoff, ...args); }

  propose(name, title, steps) {
    this.write(name, plan(title, steps));
    this.cli("propose", name);
  }

  /** Commits the plans of an agent's session, one for each of these titles. */
  threads(topic, titles) {
    const AGENTCTL_SESSION_ID = "session-1";
    const ctl = (...args) => execFileSync(this.signoff, ["agentctl", ...args], { cwd: this.directory, env: { ...this.env, AGENTCTL_SESSION_ID }, encoding: "utf8" }).trim();
    ctl("set-topic", topic);
    for (const [at, title] of titles.entries()) {
      const folder = at === 0 ? ctl("plan", "dir") : JSON.parse(ctl("plan", "request-thread-dir")).plan_dir;
      mkdirSync(join(folder, "tasks"), { recursive: true });
      writeFileSync(join(folder, "plan.md"), `---\ntitle: "${title}"\n---\n\nEverything that it needs.\n`);
      writeFileSync(join(folder, "tasks/01-write.md"), "---\nid: write\nagent: coder\n---\n\nWrite it.\n");
    }
    ctl("plan", "commit");
  }

  /** Lets agents that work slowly go on: to line 61, then (`.end`) to their end. */
  open(gate = "") { writeFileSync(this.gate + gate, ""); }

  /** Agents that work slowly wait again. */
  close() { for (const gate of ["", ".end"]) rmSync(this.gate + gate, { force: true }); }

  /** What the planner answers when it is asked. */
  answer(text) { writeFileSync(join(this.outside, "answer.txt"), `\`\`\`\`markdown\n${text}\`\`\`\`\n`); }

  /** Starts the server; `port` after it was killed. */
  async serve(port = 0) {
    return this.start("serve", "--addr", `127.0.0.1:${port}`);
  }

  /** Starts a command that serves the page. */
  async start(...args) {
    const server = spawn(this.signoff, args, { cwd: this.directory, env: this.env });
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

  /** Ends the server and removes everything. */
  async end() {
    if (this.server.exitCode === null && this.server.signalCode === null) await this.kill("SIGTERM");
    // A run that was started last may still be writing: what it makes in an emptied directory, Node's own retries do not remove.
    const end = Date.now() + 30_000;
    for (;;) {
      try {
        return rmSync(this.root, { recursive: true, force: true });
      } catch (error) {
        if (error.code !== "ENOTEMPTY" || Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Ends the server; returns its exit code. */
  async kill(signal = "SIGKILL") {
    const ended = new Promise((resolve) => this.server.on("exit", resolve));
    this.server.kill(signal);
    return ended;
  }
}

/** Signs in with the code that the server shows. */
export async function signIn(page, project) {
  await page.goto(`${project.base}/sign-in`);
  const code = await project.wait(/with the code ([A-Z0-9]+-[A-Z0-9]+)/);
  await page.fill("[name=code]", code);
  await page.click("button.primary");
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}
