// Written by `signoff connect pi`; `signoff connect pi --undo` removes it.
//
// /plan        plan mode: nothing is changed until it is switched off here
// /plans       the plans of this project; review one, run one, see what to type to sign one
// /plan-stats  what became of plans so far
// /plan-simulate ID   what a run of a plan would do
//
// Every tool call is shown to `signoff guard` first. What happens to plans, here or in a terminal, is told on `pi.events` as
// `plans:<state>`. That is a convenience: the files of the project say what is true.

import { spawn } from "node:child_process";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

const PROGRAM: string = "@PROGRAM@";
const SCOPE: string = "@SCOPE@";
const WIDGET = "signoff";
const POLL_MS = 1000;
const PLANS_POLL_MS = 2000;
/** The states in which a plan waits for a person's decision. */
const WAITING = ["verified", "needs_review"];

interface Answer {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface PlanRow {
  id: string | null;
  title: string;
  status: string;
  path: string;
}

interface RunState {
  run: string;
  title: string;
  status: string;
  steps: { id: string; title: string; status: string }[];
}

/** Runs our program. One that cannot be started has no exit code. */
function signoff(args: string[], directory: string, input = "", variables: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (error: unknown) => resolve({ code: null, stdout: "", stderr: `${PROGRAM} could not be started: ${String(error)}` });
    try {
      const child = spawn(PROGRAM, args, { cwd: directory, env: { ...process.env, ...variables }, timeout: 60_000 });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => (stdout += chunk));
      child.stderr.on("data", (chunk) => (stderr += chunk));
      child.stdin.on("error", () => {});
      child.on("error", failed);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
      child.stdin.end(input);
    } catch (error) {
      failed(error);
    }
  });
}

export default function (pi: ExtensionAPI): void {
  let planMode = false;
  let context: string | undefined;
  let unwatch = () => {};
  let unwatchPlans = () => {};
  let looking: Promise<void> = Promise.resolve();
  let noted = "";
  /** The state of each plan that was told last, by its id. */
  const told = new Map<string, string>();

  const session = (ctx: ExtensionContext) => ctx.sessionManager.getSessionId();

  function ask(event: string, more: object, ctx: ExtensionContext): Promise<Answer> {
    const payload = {
      hook_event_name: event,
      session_id: session(ctx),
      cwd: ctx.cwd,
      permission_mode: planMode ? "plan" : "default",
      ...more,
    };
    const args = ["guard", "--agent", "pi", ...(SCOPE === "project" ? ["--project"] : [])];
    return signoff(args, ctx.cwd, JSON.stringify(payload));
  }

  /** Tells a state once. A subscriber that throws harms nobody. */
  function tell(state: string, plan: Pick<PlanRow, "title" | "path"> & { id: string }): void {
    if (told.get(plan.id) === state) return;
    told.set(plan.id, state);
    // A plan that was handed in and can be signed is called `verified` in lists, and `proposed` by those who listen here.
    const name = state === "verified" ? "proposed" : state;
    try {
      pi.events.emit(`plans:${name}`, plan);
    } catch {
      // What it does is its own affair.
    }
  }

  /** Tells what became of plans since the last look, whoever did it. The first look only learns how they stand. */
  function look(ctx: ExtensionContext, isFirst = false): Promise<void> {
    // One after the other: an older answer must not be told after a newer one.
    looking = looking.then(async () => {
      const { plans, notes } = await plansOf(ctx);
      // Such as that a plan has expired, which is said once.
      if (notes !== "" && notes !== noted && ctx.hasUI) ctx.ui.notify(notes, "warning");
      noted = notes;
      for (const { id, title, status, path } of plans) {
        if (id === null) continue;
        if (!isFirst) tell(status, { id, title, path });
        else if (!told.has(id)) told.set(id, status);
      }
    });
    return looking;
  }

  async function plansOf(ctx: ExtensionContext): Promise<{ plans: PlanRow[]; problem: string; notes: string }> {
    const listed = await signoff(["list", "--format", "json"], ctx.cwd);
    const plans = (parsed(listed.stdout) as { plans?: PlanRow[] } | undefined)?.plans ?? [];
    const said = listed.stderr.trim();
    return listed.code === 0 ? { plans, problem: "", notes: said } : { plans, problem: said, notes: "" };
  }

  /** The answer of a command for the model; what went wrong is an error that it can act on. */
  async function answer(args: string[], ctx: ExtensionContext, input = "") {
    const done = await signoff([...args, "--format", "json"], ctx.cwd, input, { AGENTCTL_SESSION_ID: session(ctx) });
    if (done.code !== 0) throw new Error((done.stderr + done.stdout).trim() || `signoff ended with ${done.code}`);
    return { content: [{ type: "text" as const, text: done.stdout.trim() }], details: parsed(done.stdout) };
  }

  /** The same for a command that is given a plan: what is wrong with its text comes with places, codes and help. */
  async function handIn(args: string[], ctx: ExtensionContext, text: string) {
    try {
      return await answer(args, ctx, text);
    } catch (error) {
      const checked = await signoff(["verify", "-", "--format", "json"], ctx.cwd, text);
      throw checked.code === 1 ? new Error(checked.stdout.trim()) : error;
    }
  }

  /** What only a person may do: they are told what to type, and the model that it cannot. */
  function leaveToPerson(command: string, ctx: ExtensionContext): never {
    if (ctx.hasUI) ctx.ui.notify(`The agent asks you to type, in a terminal of your own:\n  ${command}`, "info");
    throw new Error(`Only a person can do that, in a terminal of their own, where they type: ${command}`);
  }

  // The guard: whatever is not plainly allowed is denied.
  pi.on("tool_call", async (event, ctx) => {
    const done = await ask("PreToolUse", { tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId }, ctx);
    if (done.code === 0) return;
    const reason = done.code === 2 ? done.stderr.trim() : "";
    return { block: true, reason: reason || `signoff guard did not answer (${done.code ?? done.stderr}), so this call is denied` };
  });

  // What a session is told when it begins.
  async function begin(source: string, ctx: ExtensionContext): Promise<void> {
    const done = await ask("SessionStart", { source }, ctx);
    const told = parsed(done.stdout) as { systemMessage?: string; hookSpecificOutput?: { additionalContext?: string } } | undefined;
    context = told?.hookSpecificOutput?.additionalContext;
    if (told?.systemMessage !== undefined && ctx.hasUI) ctx.ui.notify(told.systemMessage, "warning");
    process.env["AGENTCTL_SESSION_ID"] = session(ctx);
  }

  pi.on("session_start", async (event, ctx) => {
    await begin(event.reason, ctx);
    status(ctx);
    await look(ctx, true);
    unwatchPlans();
    unwatchPlans = repeat(PLANS_POLL_MS, () => look(ctx));
  });
  pi.on("session_shutdown", async () => {
    unwatch();
    unwatchPlans();
  });
  pi.on("before_agent_start", async (event) => {
    if (context === undefined) return;
    return { systemPrompt: `${event.systemPrompt}\n\n${context}` };
  });

  // The tools of the MCP server, which pi does not have.
  pi.registerTool({
    name: "plan_propose",
    label: "Propose a plan",
    description: "Submit a plan for a person to sign: either `text`, a whole plan as the skill `signoff` shows it, or `title` and `steps` of tool calls. Diagnostics come back if it cannot be signed.",
    parameters: Type.Object({
      text: Type.Optional(Type.String({ description: "The plan in markdown, YAML or JSON" })),
      title: Type.Optional(Type.String()),
      steps: Type.Optional(
        Type.Array(
          Type.Object({
            description: Type.String(),
            tool: Type.String(),
            operation: Type.String(),
            target: Type.Optional(Type.String()),
          }),
        ),
      ),
      context: Type.Optional(Type.String({ description: "Tool outputs and notes that the steps need" })),
    }),
    async execute(_id, params, _signal, _update, ctx) {
      const { text, ...proposal } = params;
      const done = text === undefined ? await answer(["propose", "-"], ctx, JSON.stringify(proposal)) : await handIn(["propose", "-"], ctx, text);
      await look(ctx);
      return done;
    },
  });
  pi.registerTool({
    name: "plan_revise",
    label: "Revise a plan",
    description: "Submit a new text of a plan that was rejected or has problems.",
    parameters: Type.Object({ plan: Type.String({ description: "Its id or path" }), text: Type.String({ description: "The whole plan" }) }),
    execute: async (_id, params, _signal, _update, ctx) => handIn(["revise", params.plan, "--with", "-"], ctx, params.text),
  });
  pi.registerTool({
    name: "plan_list",
    label: "List plans",
    description: "The plans of this project and their states.",
    parameters: Type.Object({}),
    execute: async (_id, _params, _signal, _update, ctx) => answer(["list"], ctx),
  });
  pi.registerTool({
    name: "plan_get",
    label: "Read a plan",
    description: "One plan as Signoff understands it: steps, contracts, state.",
    parameters: Type.Object({ plan: Type.String({ description: "Its id or path" }) }),
    execute: async (_id, params, _signal, _update, ctx) => answer(["show", params.plan], ctx),
  });
  pi.registerTool({
    name: "plan_verify",
    label: "Check a plan",
    description: "Check a plan of the project, or a text without handing it in. Every problem comes back with its place and help.",
    parameters: Type.Object({
      plan: Type.Optional(Type.String({ description: "Its id or path; or text" })),
      text: Type.Optional(Type.String({ description: "The text of a plan, which is checked and not kept" })),
    }),
    async execute(_id, params, _signal, _update, ctx) {
      const { plan, text } = params;
      if ((plan === undefined) === (text === undefined)) throw new Error("give either `plan` or `text`");
      return answer(["verify", plan ?? "-"], ctx, text);
    },
  });
  pi.registerTool({
    name: "plan_approve",
    label: "Ask for a signature",
    description: "Ask the person to sign a plan. They read it and type the command in a terminal; you cannot sign.",
    parameters: Type.Object({ plan: Type.String({ description: "Its id or path" }) }),
    execute: async (_id, params, _signal, _update, ctx) => leaveToPerson(`signoff approve ${quoted(params.plan)}`, ctx),
  });
  pi.registerTool({
    name: "plan_reject",
    label: "Ask for a rejection",
    description: "Ask the person to reject a plan, for instance because you found it to be wrong. They decide.",
    parameters: Type.Object({
      plan: Type.String({ description: "Its id or path" }),
      feedback: Type.Optional(Type.String({ description: "What is wrong with it, as a suggestion" })),
    }),
    async execute(_id, params, _signal, _update, ctx) {
      const feedback = params.feedback === undefined ? "" : ` --feedback ${quoted(params.feedback)}`;
      return leaveToPerson(`signoff reject ${quoted(params.plan)}${feedback}`, ctx);
    },
  });
  pi.registerTool({
    name: "plan_status",
    label: "State of a run",
    description: "How far the run of a plan is, with the evidence for each step.",
    parameters: Type.Object({ plan: Type.Optional(Type.String({ description: "A plan or a run; the newest run if absent" })) }),
    execute: async (_id, params, _signal, _update, ctx) => answer(["status", ...(params.plan === undefined ? [] : [params.plan])], ctx),
  });
  pi.registerTool({
    name: "plan_run",
    label: "Run a signed plan",
    description: "Start a plan that a person has signed, and return at once. Ask plan_status how far it is.",
    parameters: Type.Object({ plan: Type.String({ description: "Its id or path" }) }),
    async execute(_id, params, _signal, _update, ctx) {
      const problem = await start(params.plan, ctx);
      if (problem !== undefined) throw new Error(problem);
      return { content: [{ type: "text" as const, text: `started ${params.plan}; plan_status says how far it is` }], details: {} };
    },
  });

  /** Starts a run that outlives pi, and returns once it has begun. What refuses it is said. */
  async function start(plan: string, ctx: ExtensionContext): Promise<string | undefined> {
    const rehearsed = await signoff(["run", plan, "--dry-run"], ctx.cwd);
    if (rehearsed.code !== 0) return (rehearsed.stderr + rehearsed.stdout).trim();
    const shown = parsed((await signoff(["show", plan, "--format", "json"], ctx.cwd)).stdout) as { status?: string } | undefined;
    if (shown?.status !== undefined && !["approved", "executing", "stalled"].includes(shown.status)) {
      return `${plan} is ${shown.status}, not signed. A person types: signoff approve ${plan}`;
    }
    const before = (await runOf(plan, ctx))?.run;
    let isOver = false;
    const child = spawn(PROGRAM, ["run", plan], { cwd: ctx.cwd, detached: true, stdio: "ignore" });
    child.on("error", () => (isOver = true));
    child.on("exit", () => (isOver = true));
    child.unref();
    for (;;) {
      // Asked after it: a run that is over at once has begun, too.
      const wasOver = isOver;
      const run = (await runOf(plan, ctx))?.run;
      if (run !== undefined && run !== before) break;
      if (wasOver) return `the run of ${plan} did not begin; \`signoff run ${quoted(plan)}\` in a terminal says why`;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS / 10));
    }
    follow(plan, ctx);
    return undefined;
  }

  /** The newest run of a plan, if there is one. */
  async function runOf(plan: string, ctx: ExtensionContext): Promise<RunState | undefined> {
    const told = await signoff(["status", plan, "--format", "json"], ctx.cwd);
    return told.code === 0 ? (parsed(told.stdout) as RunState | undefined) : undefined;
  }

  /** Shows how far a run is until it ends. */
  function follow(plan: string, ctx: ExtensionContext): void {
    unwatch();
    let last = "";
    unwatch = repeat(POLL_MS, async () => {
      const run = await runOf(plan, ctx);
      if (run === undefined) return;
      if (run.status !== last) {
        last = run.status;
        await look(ctx);
      }
      if (ctx.hasUI) ctx.ui.setWidget(WIDGET, progress(run));
      if (["completed", "failed", "cancelled"].includes(run.status)) {
        unwatch();
        if (ctx.hasUI) ctx.ui.notify(`${run.title}: ${run.status}`, run.status === "completed" ? "info" : "warning");
      }
    });
  }

  function status(ctx: ExtensionContext): void {
    if (ctx.hasUI) ctx.ui.setStatus(WIDGET, planMode ? "plan mode" : undefined);
  }

  pi.registerCommand("plan", {
    description: "Plan mode: nothing is changed until you switch it off here",
    handler: async (args, ctx) => {
      const word = args.trim();
      // Only `/plan` alone switches: whoever says what to plan wants nothing to be changed meanwhile.
      planMode = word === "" ? !planMode : word !== "off";
      await begin("startup", ctx);
      status(ctx);
      const text = planMode ? "Plan mode is on: only reading and planning pass." : "Plan mode is off.";
      ctx.ui.notify(text, "info");
      if (word !== "" && word !== "on" && word !== "off") pi.sendUserMessage(`Plan this with Signoff, and change nothing yet: ${word}`);
    },
  });

  pi.registerCommand("plans", {
    description: "The plans of this project: review, sign, run",
    handler: async (_args, ctx) => {
      const { plans, problem } = await plansOf(ctx);
      if (plans.length === 0) {
        ctx.ui.notify(problem || "No plans yet. /plan begins one.", "info");
        return;
      }
      const name = (plan: PlanRow) => plan.id ?? plan.path;
      const rows = plans.map((plan) => `${name(plan)}  ${plan.status}  ${plan.title}`);
      const waiting = plans.filter((plan) => WAITING.includes(plan.status)).length;
      const chosen = await ctx.ui.select(`Plans (${waiting} pending)`, rows);
      const plan = chosen === undefined ? undefined : plans[rows.indexOf(chosen)];
      if (plan !== undefined) await review(name(plan), ctx);
    },
  });

  /** What can be done with one plan. Signing is typed in a terminal: what pi can start, its agent could start too. */
  async function review(plan: string, ctx: ExtensionContext): Promise<void> {
    const shown = await signoff(["show", plan], ctx.cwd);
    ctx.ui.notify((shown.stdout + shown.stderr).trim(), "info");
    const choices = ["Approve", "Reject", "Run", "Resume", "Cancel", "Nothing"];
    const choice = await ctx.ui.select(plan, choices);
    const typed = (command: string) => ctx.ui.notify(`In a terminal of your own, type:\n  ${command}`, "info");
    if (choice === "Approve") typed(`signoff approve ${quoted(plan)}`);
    if (choice === "Reject") {
      const feedback = await ctx.ui.input("What should be different?", "feedback for the planner");
      typed(`signoff reject ${quoted(plan)} --feedback ${quoted(feedback ?? "")}`);
    }
    if (choice === "Resume") typed(`signoff resume ${quoted(plan)}`);
    if (choice === "Cancel") typed(`signoff cancel ${quoted(plan)}`);
    if (choice === "Run") {
      const problem = await start(plan, ctx);
      if (problem !== undefined) ctx.ui.notify(problem, "warning");
    }
  }

  pi.registerCommand("plan-stats", {
    description: "What became of plans so far",
    handler: async (_args, ctx) => show(["stats"], ctx),
  });
  pi.registerCommand("plan-simulate", {
    description: "What a run of a plan would do: /plan-simulate ID",
    handler: async (args, ctx) => show(["run", args.trim(), "--dry-run"], ctx),
  });

  async function show(args: string[], ctx: ExtensionContext): Promise<void> {
    const done = await signoff(args, ctx.cwd);
    ctx.ui.notify((done.stdout + done.stderr).trim(), done.code === 0 ? "info" : "warning");
  }
}

/** Does this again and again, one time after the other, until the function that it returns is called. */
function repeat(pauseMs: number, work: () => Promise<void>): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout>;
  const next = () => {
    timer = setTimeout(async () => {
      await work();
      if (!isOver) next();
    }, pauseMs);
    timer.unref();
  };
  next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** A text as one word of a shell: a person is to type it as it is shown. */
function quoted(text: string): string {
  const plain = text.replaceAll(/\p{Cc}/gu, " ");
  return /^[\w./][\w./-]*$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}

function progress(run: RunState): string[] {
  const done = run.steps.filter((step) => step.status === "completed").length;
  const mark = (state: string) => (state === "completed" ? "✓" : state === "failed" ? "✗" : state === "pending" ? "·" : "▸");
  return [`${run.title}: ${run.status}, ${done} of ${run.steps.length} steps`, ...run.steps.map((step) => `  ${mark(step.status)} ${step.title || step.id}`)];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
