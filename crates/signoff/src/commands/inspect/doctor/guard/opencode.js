// A canary: every tool call is shown to a hook, and one that it denies is not made.
import { spawnSync } from "node:child_process";

export const Canary = async ({ directory }) => ({
  "tool.execute.before": async (call, output) => {
    const input = JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: call.sessionID,
      cwd: directory,
      tool_name: call.tool,
      tool_input: output.args,
    });
    const done = spawnSync("/bin/sh", ["-c", @HOOK@], { input, encoding: "utf8" });
    if (done.status !== 0) throw new Error(done.stderr || "denied");
  },
});
