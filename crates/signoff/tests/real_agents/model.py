"""A model that asks once for a shell command that makes `made.txt`, then says it is done.

Speaks as Anthropic's messages, OpenAI's responses and chat completions, and Gemini's content do. Prints its port.
"""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMAND = "echo made > made.txt"
SHELLS = {"bash": "command", "run_shell_command": "command", "shell_command": "command", "exec_command": "cmd"}


def call(names):
    """The tool to call, with its arguments."""
    for name in names:
        if name.lower() in SHELLS:
            return name, {SHELLS[name.lower()]: COMMAND, "description": "make a file"}
    return None


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(b"", "text/plain")

    def do_GET(self):
        self.answer(b'{"data": [], "models": []}', "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "/messages" in self.path:
            self.anthropic(body)
        elif "/responses" in self.path:
            self.responses_api(body)
        elif "/chat/completions" in self.path:
            self.chat(body)
        else:
            self.gemini(body)

    def answer(self, content, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def events(self, events):
        named = (f"event: {event['type']}\n" if "type" in event else "" for event in events)
        lines = [name + f"data: {json.dumps(event)}\n\n" for name, event in zip(named, events)]
        self.answer("".join(lines).encode(), "text/event-stream")

    def anthropic(self, body):
        tool = call(tool["name"] for tool in body.get("tools", []))
        if not tool or "tool_result" in json.dumps(body["messages"]):
            block, delta, stop = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}, "end_turn"
        else:
            block = {"type": "tool_use", "id": "toolu_1", "name": tool[0], "input": {}}
            delta, stop = {"type": "input_json_delta", "partial_json": json.dumps(tool[1])}, "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "content": [], "usage": usage}
        self.events([
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ])

    def responses_api(self, body):
        tool = call(tool.get("name", "") for tool in body.get("tools", []))
        if not tool or "function_call_output" in json.dumps(body["input"]):
            item = {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        else:
            item = {"type": "function_call", "call_id": "c", "name": tool[0], "arguments": json.dumps(tool[1])}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        self.events([
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        ])

    def chat(self, body):
        tool = call(tool["function"]["name"] for tool in body.get("tools", []))
        if not tool or any(message["role"] == "tool" for message in body["messages"]):
            delta, reason = {"role": "assistant", "content": "done"}, "stop"
        else:
            function = {"name": tool[0], "arguments": json.dumps(tool[1])}
            calls = [{"index": 0, "id": "c", "type": "function", "function": function}]
            delta, reason = {"role": "assistant", "tool_calls": calls}, "tool_calls"
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        self.events([
            chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        ])

    def gemini(self, body):
        declared = [one for tools in body.get("tools", []) for one in tools.get("functionDeclarations", [])]
        tool = call(one["name"] for one in declared)
        if not tool or "functionResponse" in json.dumps(body["contents"]):
            part = {"text": '{"complexity_reasoning": "", "complexity_score": 1}' if not tool else "done"}
        else:
            part = {"functionCall": {"name": tool[0], "args": tool[1]}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        content = {"candidates": [candidate], "usageMetadata": {"totalTokenCount": 2}}
        if "stream" in self.path:
            self.events([content])
        else:
            self.answer(json.dumps(content).encode(), "application/json")


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
