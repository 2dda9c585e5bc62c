// Asks the guard before every tool call of pi, and offers the tools of the servers in the step's scope.
import { spawn, spawnSync } from "node:child_process";

const HOOK = "@HOOK@";
const SERVERS = "@SERVERS@";

const HELLO = [
  {
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "pi", version: "1" } },
  },
  { method: "notifications/initialized" },
];

// The messages of one short conversation, each a line.
function lines(method, params) {
  const messages = [...HELLO, { id: 1, method, params }];
  return messages.map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n").join("");
}

// The result of the request in what a server said.
function result(output) {
  for (const line of output.split("\n")) {
    if (line.trim() === "") continue;
    const message = JSON.parse(line);
    if (message.id !== 1) continue;
    if (message.error) throw new Error(message.error.message);
    return message.result;
  }
  throw new Error("the server did not answer");
}

function call([program, ...args], params) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.on("error", reject);
    child.on("close", () => {
      try {
        resolve(result(output));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.end(lines("tools/call", params));
  });
}

function offer(pi, server) {
  const [program, ...args] = server.command;
  const listed = spawnSync(program, args, { input: lines("tools/list", {}), encoding: "utf8", maxBuffer: 1 << 26 });
  for (const tool of result(listed.stdout || "").tools) {
    pi.registerTool({
      name: `${server.name}_${tool.name}`,
      label: `${server.name}: ${tool.name}`,
      description: tool.description,
      parameters: tool.inputSchema,
      async execute(_id, params) {
        const answer = await call(server.command, { name: tool.name, arguments: params });
        if (answer.isError) throw new Error(answer.content.map((part) => part.text ?? "").join("\n"));
        return { content: answer.content, details: answer.structuredContent ?? {} };
      },
    });
  }
}

export default function (pi) {
  pi.on("tool_call", (event) => {
    const payload = {
      hook_event_name: "PreToolUse",
      cwd: process.cwd(),
      tool_name: event.toolName,
      tool_input: event.input,
    };
    const asked = spawnSync("/bin/sh", ["-c", HOOK], { input: JSON.stringify(payload), encoding: "utf8" });
    if (asked.status === 0) return undefined;
    const reason = (asked.stderr || "").trim() || "signoff guard did not answer, so this call is denied";
    return { block: true, reason };
  });
  for (const server of SERVERS) {
    try {
      offer(pi, server);
    } catch (error) {
      console.error(`tools of server ${server.name} are missing: ${error.message}`);
    }
  }
}
