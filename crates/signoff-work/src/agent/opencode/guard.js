// Asks the guard before every tool call of opencode. Throwing is what blocks a call there.
import { spawnSync } from "node:child_process";

const HOOK = "@HOOK@";

export const SignoffGuard = async () => ({
  "tool.execute.before": async (input, output) => {
    const payload = {
      hook_event_name: "PreToolUse",
      session_id: input.sessionID,
      cwd: process.cwd(),
      tool_name: input.tool,
      tool_input: output.args,
    };
    const asked = spawnSync("/bin/sh", ["-c", HOOK], { input: JSON.stringify(payload), encoding: "utf8" });
    if (asked.status !== 0) {
      throw new Error((asked.stderr || "").trim() || "signoff guard did not answer, so this call is denied");
    }
  },
});
