"""Asks `signoff serve` everything that its OpenAPI document describes, as a person who signed in, and everything that it does not.

    python fuzz.py SIGNOFF VENV [EXAMPLES]

`VENV` has schemathesis. No answer may be a fault of the server, and every answer must be what the document says. A failure
prints the request as a `curl` command.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PLAN = """---
type: plan
status: draft
owner: fuzz
---

# Nothing is left behind

**Budget:** 1m

## Steps

### 1. No temporary files

**contract:**
```shell
test ! -e left
```
"""

ASK = """
### 2. A question

**ask:** Ship it?
"""

# So that requests reach more than the answer for a name that nothing has.
KNOWN = """
[parameters]
"path.plan" = "plan.md"
"path.run" = "{run}"
"path.step" = "{step}"
"path.item" = "{item}"

[[operations]]
include-name = "DELETE /api/plans/{{plan}}"
parameters = {{ "path.plan" = "gone.md" }}
"""

CHECKS = "not_a_server_error,response_schema_conformance,content_type_conformance,status_code_conformance"


def main():
    signoff, venv = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    examples = sys.argv[3] if len(sys.argv) > 3 else "8"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="signoff-fuzz-"))
    try:
        return fuzz(signoff, venv, examples, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fuzz(signoff, venv, examples, folder):
    home, project = folder / "home", folder / "project"
    settings = home / ".config" / "signoff"
    settings.mkdir(parents=True)
    project.mkdir()
    environment = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "USER": "fuzz",
        "TMPDIR": str(folder),
        # An agent may run the tests; the person that they play is nobody's but the test's.
        "SIGNOFF_TEST_SHELL": str(os.getpid()),
    }

    def command(*words, expected=0):
        done = subprocess.run([signoff, *words], cwd=project, env=environment, capture_output=True, text=True)
        if done.returncode != expected:
            sys.exit(f"signoff {' '.join(words)}: {done.returncode}\n{done.stderr}")
        return done.stdout

    command("init")
    command("trust")
    for name in ("plan.md", "asks.md", "gone.md"):
        (project / name).write_text(PLAN + (ASK if name == "asks.md" else ""))
        command("propose", name)
    command("approve", "asks.md")
    # It waits for an answer.
    command("run", "asks.md", expected=3)
    item = json.loads(command("inbox", "--format", "json"))["items"][0]
    token, _, section = command("serve", "--add-person", "Fuzz").partition("\n")
    (settings / "config.toml").write_text(section)
    server = subprocess.Popen(
        [signoff, "serve", "--addr", "127.0.0.1:0"],
        cwd=project,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = re.search(r"http://\S+/", server.stderr.readline()).group(0)
        (folder / "schemathesis.toml").write_text(KNOWN.format(run=item["run"], step=item["step"], item=item["id"]))
        return schemathesis(venv, address, token.removeprefix("token: "), examples, folder)
    finally:
        server.terminate()
        server.wait(timeout=20)


def schemathesis(venv, address, token, examples, folder):
    words = [
        str(venv / "bin" / "schemathesis"),
        "run",
        f"{address}api/openapi.json",
        "--header",
        f"Authorization: Bearer {token}",
        "--checks",
        CHECKS,
        "--max-examples",
        examples,
        "--phases",
        "examples,coverage,fuzzing",
        # A stream does not end by itself: the tests of streams read them.
        "--exclude-path-regex",
        "/events$",
        "--request-timeout",
        "30",
        "--no-color",
    ]
    return subprocess.run(words, cwd=folder).returncode


sys.exit(main())
