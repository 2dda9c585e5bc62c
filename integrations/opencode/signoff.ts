// Written by `signoff connect opencode`; `signoff connect opencode --undo` removes it.
// Every tool call is shown to `signoff guard` first, and one that it denies is not made.

import { spawn } from "node:child_process";

const PROGRAM: string = "@PROGRAM@";
const SCOPE: string = "@SCOPE@";

interface Answer {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface ToolCall {
  tool: string;
  sessionID: string;
  callID: string;
}

/** Asks the guard. An answer that does not come is a refusal. */
function ask(payload: unknown, directory: string): Promise<Answer> {
  const args = ["guard", "--agent", "opencode", ...(SCOPE === "project" ? ["--project"] : [])];
  return new Promise((resolve) => {
    const failed = (why: string) => resolve({ code: null, stdout: "", stderr: why });
    try {
      const child = spawn(PROGRAM, args, { cwd: directory, timeout: 60_000 });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => (stdout += chunk));
      child.stderr.on("data", (chunk) => (stderr += chunk));
      child.stdin.on("error", () => {});
      child.on("error", (error) => failed(`signoff guard could not be started (${error.message}), so this call is denied`));
      child.on("close", (code) => resolve({ code, stdout, stderr }));
      child.stdin.end(JSON.stringify(payload));
    } catch (error) {
      failed(`signoff guard could not be started (${String(error)}), so this call is denied`);
    }
  });
}

export const SignoffPlugin = async ({ directory }: { directory: string }) => {
  const told = new Set<string>();
  const payload = (event: string, session: string | undefined, more: object) => ({
    hook_event_name: event,
    session_id: session,
    cwd: directory,
    ...more,
  });
  return {
    "tool.execute.before": async (call: ToolCall, output: { args: unknown }) => {
      const answer = await ask(
        payload("PreToolUse", call.sessionID, { tool_name: call.tool, tool_input: output.args, tool_use_id: call.callID }),
        directory,
      );
      if (answer.code !== 0) {
        throw new Error(answer.stderr.trim() || `signoff guard did not answer (exit code ${answer.code}), so this call is denied`);
      }
    },
    // What a session is told at its start is put in front of its first prompts' system prompt.
    "experimental.chat.system.transform": async (input: { sessionID?: string }, output: { system: string[] }) => {
      const session = input.sessionID;
      const source = session !== undefined && told.has(session) ? "resume" : "startup";
      if (session !== undefined) told.add(session);
      const answer = await ask(payload("SessionStart", session, { source }), directory);
      const context = context_of(answer);
      if (context !== undefined) output.system.push(context);
    },
    // Commands of the shell tool know the session's threads.
    "shell.env": async (input: { sessionID?: string }, output: { env: Record<string, string> }) => {
      if (input.sessionID !== undefined) output.env["AGENTCTL_SESSION_ID"] = input.sessionID;
    },
  };
};

function context_of(answer: Answer): string | undefined {
  try {
    return JSON.parse(answer.stdout).hookSpecificOutput?.additionalContext;
  } catch {
    return undefined;
  }
}
