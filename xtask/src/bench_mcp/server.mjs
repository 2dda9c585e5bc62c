// A minimal server on the TypeScript SDK with one tool that reads the list of plans, as `signoff mcp` does: the index, and
// whether each plan's file is still the one that it knows.
import { readFileSync, statSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "list", version: "1" }, { capabilities: { tools: {} } });

server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [{ name: "plan_list", inputSchema: { type: "object", properties: {} } }],
}));

server.setRequestHandler(CallToolRequestSchema, async () => {
  const index = JSON.parse(readFileSync(".signoff/index.json", "utf8"));
  const plans = [];
  const visit = (value) => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (value && typeof value === "object") {
      if (typeof value.key === "string" && typeof value.title === "string") {
        plans.push({ id: value.key, title: value.title, version: value.version ?? null });
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(index);
  for (const plan of plans) {
    statSync(`.signoff/plans/${plan.id}.md`);
  }
  const shape = { schema: "signoff.plans/1", plans };
  return { content: [{ type: "text", text: JSON.stringify(shape) }], structuredContent: shape };
});

await server.connect(new StdioServerTransport());
