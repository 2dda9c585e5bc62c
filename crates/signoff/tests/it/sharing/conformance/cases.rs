//! The plans: the example of each dialect's specification, every other plan of the fixtures that can run, and small ones
//! for what a step can meet on its way.

use signoff_testkit::{Reply, Script};

use crate::running::seeds_run::{proposal, record, thread, toolplan, workunit};
use crate::support::{agent, makes_out, plan};

/// A plan with everything that it needs, and what a person says when asked.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// How commands name the plan.
    pub(super) plan: &'static str,
    pub(super) files: Vec<(String, String)>,
    pub(super) programs: Vec<(&'static str, &'static str)>,
    pub(super) script: Script,
    /// What is said to questions of a kind, one after another; the last one again and again. A question of another kind
    /// gets the answer that lets the run go on.
    pub(super) answers: Vec<(&'static str, &'static str, Option<&'static str>)>,
    /// The long form only.
    pub(super) long: bool,
}

impl Case {
    fn new(name: &'static str, plan: &'static str, files: &[(&str, &str)]) -> Self {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self {
            name,
            plan,
            files: files.iter().map(owned).collect(),
            programs: Vec::new(),
            script: Script::new(),
            answers: Vec::new(),
            long: false,
        }
    }

    /// A plan of these steps.
    fn of_steps(name: &'static str, script: Script, steps: &[&str]) -> Self {
        Self::new(name, "plan.md", &[("plan.md", &plan(steps))]).script(script)
    }

    fn script(self, script: Script) -> Self {
        Self { script, ..self }
    }

    fn programs(self, programs: &[(&'static str, &'static str)]) -> Self {
        Self {
            programs: programs.to_vec(),
            ..self
        }
    }

    fn answer(
        mut self,
        kind: &'static str,
        word: &'static str,
        note: Option<&'static str>,
    ) -> Self {
        self.answers.push((kind, word, note));
        self
    }

    fn long(self) -> Self {
        Self { long: true, ..self }
    }

    /// What is said to the question of this kind, of which so many were answered before.
    pub(super) fn reply(&self, kind: &str, before: usize) -> (&'static str, Option<&'static str>) {
        let mut said: Vec<_> = self.answers.iter().filter(|(of, ..)| *of == kind).collect();
        said.truncate(before + 1);
        match (said.pop(), kind) {
            (Some((_, word, note)), _) => (word, *note),
            (None, "approval") => ("approve", None),
            (None, "acceptance") => ("accept", None),
            (None, "budget") => ("allow", None),
            (None, "question") => ("yes", None),
            (None, "unknown_call") => ("retry", None),
            (None, _) => ("skip", None),
        }
    }
}

const CHECK: &str = "**contract:**\n```shell\ntest -d .\n```\n";

fn idle() -> Script {
    Script::new().reply(Reply::always().say("done"))
}

/// An agent step whose contract does not hold by itself, and what follows then.
fn stubborn(policy: &str) -> String {
    format!("{}**on_fail:** {policy}\n", agent("Make it.", "out"))
}

fn command(command: &str) -> String {
    let args = serde_json::json!({"command": command});
    format!("**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{args}\n```\n")
}

/// One step, two beside each other, one of them approved by a person, and one after both.
pub(super) fn diamond() -> Case {
    let part = |task: &str, file: &str, before: &str| {
        format!("**depends_on:** {before}\n{}", agent(task, file))
    };
    let approved = format!(
        "{}**approval:** required\n",
        part("Make left.", "left", "1")
    );
    let steps = [
        part("Make top.", "top", "none"),
        approved,
        part("Make right.", "right", "1"),
        part("Make bottom.", "bottom", "2, 3"),
        format!("**depends_on:** 4\n{}", command("test -s bottom")),
        "**depends_on:** 4\n**contract:**\n```shell\ntest -s left && test -s right\n```\n"
            .to_owned(),
    ];
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let make = |name: &str| {
        Reply::when([format!("Make {name}.")])
            .write(name, "x\n")
            .say("done")
    };
    let script = ["top", "left", "right", "bottom"]
        .into_iter()
        .fold(Script::new(), |script, name| script.reply(make(name)));
    Case::of_steps("diamond with approval", script, &steps)
}

/// Every plan, the quickest first.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![diamond()];
    cases.extend(of_dialects());
    cases.extend(of_steps());
    cases
}

/// The example of each dialect, and of some a second.
fn of_dialects() -> Vec<Case> {
    let again =
        Some("{\"path\": \"config.json\", \"content\": \"{\\\"version\\\": \\\"2.0.1\\\"}\\n\"}");
    let proposal_text = proposal::TEXT.replace("2026-02-11", "2099-02-11");
    vec![
        Case::new("workunit", "plan.md", &workunit::TIMEOUT_FILES)
            .script(workunit::script())
            .programs(&workunit::PROGRAMS),
        Case::new("thread", "auth", &thread::FILES).script(thread::script()),
        Case::new(
            "proposal",
            proposal::ID,
            &[
                (proposal::FILE, &proposal_text),
                (proposal::ARTIFACT, "pdf\n"),
            ],
        )
        .script(proposal::script()),
        Case::new("record", "auth.yaml", &[("auth.yaml", record::TEXT)]).script(record::script()),
        Case::new(
            "toolplan",
            "plan.json",
            &[
                ("plan.json", toolplan::REFERENCES),
                ("data.json", "{\"a\": 1}\n"),
            ],
        ),
        Case::new(
            "toolplan, approved with changes",
            "plan.json",
            &toolplan::REVIEW_FILES,
        )
        .answer("approval", "approve", again)
        .long(),
        Case::new("toolplan, denied", "plan.json", &toolplan::REVIEW_FILES)
            .answer("approval", "deny", None)
            .long(),
        Case::new("workunit, a review", "plan.md", &workunit::EXTRACT_FILES)
            .script(workunit::extract_script())
            .programs(&workunit::PROGRAMS)
            .long(),
        Case::new("thread without contracts", "flow", &ACYCLIC)
            .script(idle())
            .long(),
    ]
}

/// `thread/acyclic` of the conformance cases.
const ACYCLIC: [(&str, &str); 3] = [
    (
        "flow/plan.md",
        include_str!("../../../../../signoff-plan/tests/fixtures/thread/acyclic/plan.md"),
    ),
    (
        "flow/tasks/01-a.md",
        include_str!("../../../../../signoff-plan/tests/fixtures/thread/acyclic/tasks/01-a.md"),
    ),
    (
        "flow/tasks/02-b.md",
        include_str!("../../../../../signoff-plan/tests/fixtures/thread/acyclic/tasks/02-b.md"),
    ),
];

/// What a step can meet.
fn of_steps() -> Vec<Case> {
    let make = agent("Make it.", "out");
    let gated = format!("{make}**approval:** required\n");
    let bare = "**target:** coder\n**task:**\nMake it.\n";
    let each = format!("**for_each:** [1, 2]\n{CHECK}");
    let when = format!("**when:** 1 == 1\n{CHECK}");
    let never = format!("**when:** 1 == 2\n{CHECK}");
    let endless = "**contract:**\n```shell\nsleep 50\n```\n**contract_timeout:** 50ms\n";
    let minor = format!("**critical:** no\n{}", stubborn("abort"));
    let free = format!("**depends_on:** none\n{CHECK}");
    let asks = "**id:** go\n**ask:** Ship it?\n**choices:** yes, no\n";
    let hinted = Script::new()
        .reply(Reply::when(["Make it", "look twice"]).write("out", "x\n"))
        .reply(Reply::when(["Make it"]).say("done"));
    let escalate = stubborn("retry(1), then escalate");
    vec![
        Case::of_steps(
            "loops and conditions",
            makes_out(),
            &[&make, CHECK, &each, &when, &never, &command("true")],
        ),
        conflict(),
        replanned(),
        Case::of_steps("a failure and a hint", hinted, &[&escalate, CHECK]).answer(
            "escalation",
            "retry",
            Some("look twice"),
        ),
        Case::of_steps("skipped after a failure", idle(), &[&escalate, CHECK]).long(),
        Case::of_steps("given up after a failure", idle(), &[&escalate, CHECK])
            .answer("escalation", "abort", None)
            .long(),
        Case::of_steps("what is not critical fails", idle(), &[&minor, &free]),
        Case::of_steps("an acceptance", makes_out(), &[bare]).long(),
        Case::of_steps("an acceptance that is refused", makes_out(), &[bare])
            .answer("acceptance", "refuse", None)
            .long(),
        Case::of_steps("an approval that is denied", makes_out(), &[&gated, CHECK])
            .answer("approval", "deny", None)
            .long(),
        Case::of_steps("a question", makes_out(), &[asks, CHECK]).long(),
        Case::of_steps(
            "a contract without an answer",
            makes_out(),
            &[endless, &free],
        )
        .answer("escalation", "abort", None)
        .long(),
        over_budget().long(),
    ]
}

/// Two agents write the same file; the second does it again on top of the first.
fn conflict() -> Case {
    let step = |word: &str| {
        format!(
            "**depends_on:** none\n**target:** coder\n**task:**\nWrite {word}.\n\n**contract:**\n```shell\ngrep -q {word} list\n```\n"
        )
    };
    // The second begins with the first, and ends after it.
    let script = Script::new()
        .reply(
            Reply::when(["Write one"])
                .wait_for("OUTSIDE/second")
                .write("list", "one\n"),
        )
        .reply(Reply::when(["Write two", "others changed"]).append("list", "two\n"))
        .reply(
            Reply::when(["Write two"])
                .write("OUTSIDE/second", "")
                .wait_for("OUTSIDE/merged")
                .write("list", "two\n"),
        )
        .reply(Reply::when(["Say so"]).write("OUTSIDE/merged", ""));
    let third = "**depends_on:** 1\n**target:** coder\n**baseline:** no\n**task:**\nSay so.\n\n**contract:**\n```shell\ntrue\n```\n";
    Case::of_steps("a conflict", script, &[&step("one"), &step("two"), third])
}

/// The second step fails, and a planner writes a version in which it does not.
fn replanned() -> Case {
    let text = |task: &str| {
        plan(&[
            &agent("Make one.", "one"),
            &format!("{}**on_fail:** replan\n", agent(task, "two")),
            CHECK,
        ])
    };
    let next = format!("````markdown\n{}````", text("Make two."));
    // Whoever reads of both steps is the planner.
    let script = Script::new()
        .reply(Reply::when(["Make one.", "Make it wrong."]).say(&next))
        .reply(Reply::when(["Make one."]).write("one", "x\n"))
        .reply(Reply::when(["Make two."]).write("two", "x\n"))
        .reply(Reply::always().say("done"));
    let before = text("Make it wrong.");
    Case::new("a replan", "plan.md", &[("plan.md", &before)]).script(script)
}

/// The plan allows one agent, and two are needed.
fn over_budget() -> Case {
    let text = plan(&[&agent("Make it.", "out"), &agent("Make it again.", "again")]);
    let text = text.replace("**Budget:** 1h", "**Budget:** 1h, 1 agents");
    let script = Script::new()
        .reply(Reply::when(["Make it again"]).write("again", "x\n"))
        .reply(Reply::always().write("out", "x\n"));
    Case::new("over its budget", "plan.md", &[("plan.md", &text)]).script(script)
}
