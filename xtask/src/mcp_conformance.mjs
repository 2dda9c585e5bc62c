// Runs the protocol's own conformance suite against `signoff serve`, whose `/mcp` is the server of `signoff mcp`.
//
// Usage: node mcp_conformance.mjs SIGNOFF SUITE EXPECTED-FAILURES
//
// The suite can send no token, so that it speaks to a proxy here, which adds one and passes everything else on as it is.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [signoff, suite, expected] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), "signoff-conformance-"));
const project = join(place, "project");
mkdirSync(join(project, ".signoff"), { recursive: true });
writeFileSync(join(project, ".signoff/config.toml"), "");
const token = join(place, "token");

const variables = { PATH: process.env.PATH, HOME: place };
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

/** Passes requests on with the token. Only the proxy's own name becomes that of the server. */
function proxy(port) {
  const bearer = `Bearer ${readFileSync(token, "utf8").trim()}`;
  const passing = createServer((asked, answer) => {
    const own = `127.0.0.1:${passing.address().port}`;
    const renamed = (value) => value?.replace(own, `127.0.0.1:${port}`).replace(own.replace("127.0.0.1", "localhost"), `127.0.0.1:${port}`);
    const headers = { ...asked.headers, authorization: bearer, host: renamed(asked.headers.host) };
    if (headers.origin !== undefined) headers.origin = renamed(headers.origin);
    const passed = request({ port, host: "127.0.0.1", method: asked.method, path: asked.url, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
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
