// Talks to `pi --mode rpc` as somebody at its screen would. Usage: node pi_client.mjs SCENARIO.json
//
// A scenario is a list of steps, each with one member:
//   {"type": TEXT}              types a line; ID is the plan that was chosen last
//   {"shown": [METHOD, TEXT]}   waits until pi shows this: notify, setStatus or setWidget
//   {"choose": TEXT}            waits for a choice and takes the first option with TEXT in it
//   {"answer": TEXT}            waits for a question and answers it
//   {"ended": N}                waits for the end of the agent's N-th turn with the model
//   {"run": [PROGRAM, …]}       what somebody types in a terminal meanwhile
// Everything that pi said is printed, one message a line. Exit code 1: something did not come.

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const PATIENCE_MS = 120_000;
const scenario = JSON.parse(readFileSync(process.argv[2], "utf8"));
const pi = spawn("pi", ["--mode", "rpc", "--no-session"], { stdio: ["pipe", "pipe", "inherit"] });
const messages = [];
let plan = "";
let next = 0; // The first message that no step has waited for.
let wake = () => {};

let rest = "";
pi.stdout.on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split("\n");
  rest = lines.pop();
  for (const line of lines) {
    process.stdout.write(`${line}\n`);
    messages.push(JSON.parse(line));
  }
  wake();
});
pi.on("close", () => {
  pi.isClosed = true;
  wake();
});

const send = (message) => pi.stdin.write(`${JSON.stringify(message)}\n`);
const named = (text) => text.replaceAll("ID", plan);

async function message(what, fits, from = next) {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const at = messages.findIndex((one, at) => at >= from && fits(one));
    if (at >= 0) {
      next = Math.max(next, at + 1);
      return messages[at];
    }
    if (pi.isClosed || Date.now() > deadline) throw new Error(`this did not come: ${what}`);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, deadline - Date.now());
      wake = () => (clearTimeout(timer), resolve());
    });
  }
}

const asked = (method) => (one) => one.type === "extension_ui_request" && one.method === method;
const text = (one) => [one.message ?? "", one.statusText ?? "", ...(one.widgetLines ?? [])].join("\n");

async function perform(step) {
  if (step.type !== undefined) {
    send({ type: "prompt", message: named(step.type) });
  } else if (step.shown !== undefined) {
    const [method, words] = step.shown;
    await message(`${method} ${words}`, (one) => asked(method)(one) && text(one).includes(named(words)));
  } else if (step.choose !== undefined) {
    const question = await message(`a choice with ${step.choose}`, asked("select"));
    const value = question.options.find((option) => option.includes(step.choose));
    if (value === undefined) throw new Error(`there is no ${step.choose} in ${question.options}`);
    plan = value.match(/PLAN-[0-9a-f]+/)?.[0] ?? plan;
    send({ type: "extension_ui_response", id: question.id, value });
  } else if (step.answer !== undefined) {
    const question = await message("a question", asked("input"));
    send({ type: "extension_ui_response", id: question.id, value: step.answer });
  } else if (step.ended !== undefined) {
    const ends = () => messages.filter((one) => one.type === "agent_end").length;
    await message(`end ${step.ended}`, () => ends() >= step.ended, 0);
  } else {
    const [program, ...words] = step.run.map(named);
    const done = spawnSync(program, words, { encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${program} ${words}: ${done.stdout}${done.stderr}`);
  }
}

let code = 0;
try {
  for (const step of scenario) await perform(step);
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  code = 1;
}
pi.kill();
process.exit(code);
