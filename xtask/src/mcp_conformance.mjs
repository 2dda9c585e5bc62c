// Runs the protocol's own conformance suite against `signoff serve`, whose `/mcp` is the server of `signoff mcp`.
//
// Usage: node mcp_conformance.mjs SIGNOFF SUITE EXPECTED-FAILURES
//
// The suite can send no token, so that it speaks to a proxy here, which adds one. It calls tools, prompts and resources of a server
// that is made for it: where ours has one of the same kind, the proxy puts that in its place. Everything else passes as it is.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [signoff, suite, expected] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), "signoff-conformance-"));
const project = join(place, "project");
mkdirSync(join(project, ".signoff"), { recursive: true });
writeFileSync(join(project, ".signoff/config.toml"), '[agents.clerk]\ndriver = "command"\ncommand = ["sleep", "0.5"]\n');
const step = (number) => `### ${number}. Wait\n\n**target:** clerk\n**task:** Wait.\n**contract:**\n\`\`\`bash\ntrue\n\`\`\`\n`;
const steps = [1, 2, 3, 4].map(step).join("\n");
writeFileSync(join(project, "123.md"), `---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# Plan 123\n\n**Budget:** 5 minutes\n\n## Steps\n\n${steps}`);
const token = join(place, "token");

const variables = { PATH: process.env.PATH, HOME: place };
spawnSync(signoff, ["trust"], { cwd: project, env: variables, stdio: "ignore" });
const server = spawn(signoff, ["serve", "--addr", "127.0.0.1:0", "--agent-token", token], { cwd: project, env: variables });

/** The address that the server says it listens at. */
function address() {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk) => {
      said += chunk;
      const found = said.match(/http:\/\/127\.0\.0\.1:(\d+)/);
      if (found) resolve(Number(found[1]));
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("exit", () => reject(new Error(`the server ended: ${said}`)));
  });
}

/** What of ours stands for what of the suite's. */
const tools = {
  test_simple_text: { name: "plan_list", arguments: {} },
  test_error_handling: { name: "plan_get", arguments: { plan: "nothing-of-this-name" } },
  test_tool_with_progress: { name: "plan_status", arguments: { plan: "123.md", wait: true } },
};
const resources = {
  "test://static-text": "signoff://plans/123.md/text",
  "test://template/123/data": "signoff://plans/123.md",
};
const prompts = {
  test_simple_prompt: () => ({ name: "plan_this", arguments: { task: "Wait" } }),
  test_prompt_with_arguments: (given) => ({ name: "plan_threads", arguments: { task: given.arg1, session: given.arg2 } }),
};

/** Starts a run of the plan, so that there is progress to tell of. */
function begun() {
  const run = spawn(signoff, ["run", "123.md", "--approve", "--format", "json"], { cwd: project, env: variables });
  return new Promise((resolve) => {
    run.stdout.once("data", resolve);
    run.on("exit", resolve);
  });
}

/** A request of the suite as one that our server understands. */
async function translated(body) {
  let asked;
  try {
    asked = JSON.parse(body);
  } catch {
    return body;
  }
  const { method, params } = asked;
  if (method === "tools/call" && params.name in tools) {
    if (params.name === "test_tool_with_progress") await begun();
    Object.assign(params, tools[params.name]);
  } else if (method === "resources/read" && params.uri in resources) {
    params.uri = resources[params.uri];
  } else if (method === "prompts/get" && params.name in prompts) {
    Object.assign(params, prompts[params.name](params.arguments ?? {}));
  } else {
    return body;
  }
  return Buffer.from(JSON.stringify(asked));
}

async function bodyOf(asked) {
  const parts = [];
  for await (const part of asked) parts.push(part);
  return Buffer.concat(parts);
}

/** Passes requests on with the token. The proxy's own name becomes that of the server. */
function proxy(port) {
  const bearer = `Bearer ${readFileSync(token, "utf8").trim()}`;
  const passing = createServer(async (asked, answer) => {
    const own = `127.0.0.1:${passing.address().port}`;
    const renamed = (value) => value?.replace(own, `127.0.0.1:${port}`).replace(own.replace("127.0.0.1", "localhost"), `127.0.0.1:${port}`);
    const headers = { ...asked.headers, authorization: bearer, host: renamed(asked.headers.host) };
    if (headers.origin !== undefined) headers.origin = renamed(headers.origin);
    const body = await translated(await bodyOf(asked));
    if (headers["content-length"] !== undefined) headers["content-length"] = body.length;
    const passed = request({ port, host: "127.0.0.1", method: asked.method, path: asked.url, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    passed.end(body);
  });
  return new Promise((resolve) => passing.listen(0, "127.0.0.1", () => resolve(passing)));
}

let code = 1;
try {
  const passing = await proxy(await address());
  const url = `http://127.0.0.1:${passing.address().port}/mcp`;
  const words = [suite, "server", "--url", url, "--suite", "active", "--expected-failures", expected];
  const ran = spawn(process.execPath, words, { cwd: place, stdio: "inherit" });
  code = await new Promise((resolve) => ran.on("close", resolve));
} catch (error) {
  console.error(error.message);
}
server.removeAllListeners("exit");
server.kill();
rmSync(place, { recursive: true, force: true });
process.exit(code ?? 1);
