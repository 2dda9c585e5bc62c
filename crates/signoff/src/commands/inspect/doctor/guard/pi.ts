// A canary: every tool call is shown to a hook, and one that it denies is not made.
import { spawnSync } from "node:child_process";

export default function (pi: any) {
  pi.on("tool_call", async (event: any) => {
    const input = JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "canary",
      cwd: process.cwd(),
      tool_name: event.toolName,
      tool_input: event.input,
    });
    const done = spawnSync("/bin/sh", ["-c", @HOOK@], { input, encoding: "utf8" });
    if (done.status !== 0) return { block: true, reason: done.stderr || "denied" };
  });
}
