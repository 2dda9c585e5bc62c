//! A plan with everything in it: agents, tools whose calls must not be repeated, a question, a loop,
//! checks, steps side by side.

use std::fmt::Write as _;

use signoff_testkit::{Reply, Script};

/// How large the plan is and how long its agents take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// Sections of ten steps each.
    pub(crate) sections: usize,
    /// Milliseconds that the agents pause, one after the other.
    pub(crate) pauses: &'static [u64],
}

pub(crate) const SMALL: Size = Size {
    sections: 1,
    pauses: &[3],
};

pub(crate) const LARGE: Size = Size {
    sections: 5,
    pauses: &[100, 250, 3000, 150, 600, 100, 1200, 200, 400, 100],
};

impl Size {
    pub(crate) fn steps(self) -> usize {
        self.sections * 10
    }

    /// Files that the steps make, with what must be in them.
    pub(crate) fn files(self) -> Vec<(String, String)> {
        let of_section = |k: usize| {
            [
                (format!("work-{k}"), "whole\n".to_owned()),
                (format!("said-{k}"), "whole\n".to_owned()),
                (format!("file-{k}"), format!("text of {k}\n")),
                (format!("copy-{k}"), format!("text of {k}\n")),
            ]
        };
        (1..=self.sections).flat_map(of_section).collect()
    }

    /// The calls that leave a line outside, each exactly once.
    pub(crate) fn noted(self) -> Vec<String> {
        let of_section = |k: usize| {
            let items = (0..3).map(move |at| format!("each-{k}[{at}]"));
            std::iter::once(format!("note-{k}")).chain(items)
        };
        (1..=self.sections).flat_map(of_section).collect()
    }

    pub(crate) fn plan(self) -> String {
        let mut text = "---\ntype: plan\nstatus: draft\nowner: orchestrator\n---\n\n# Everything\n\n**Budget:** 10h\n\n## Steps\n".to_owned();
        let steps = (1..=self.sections).flat_map(section);
        for (at, (id, body)) in steps.enumerate() {
            write!(
                text,
                "\n### {}. The step {id}\n\n**id:** {id}\n{body}\n",
                at + 1
            )
            .expect("a string takes everything");
        }
        text
    }

    pub(crate) fn script(self) -> Script {
        let mut pauses = self.pauses.iter().copied().cycle();
        let mut script = Script::new().ledger("LEDGER");
        for k in 1..=self.sections {
            let mut next = || pauses.next().unwrap_or(1);
            let (work, said) = (format!("work-{k}"), format!("said-{k}"));
            let part = format!("{work}.part");
            let task = |id: &str| format!("Make {id}.");
            script = script
                .reply(
                    Reply::when([task(&work)])
                        .write(&part, "half")
                        .pause_ms(next())
                        .append(&part, "more")
                        .write(&work, "whole\n")
                        .remove(&part)
                        .say("all tests pass"),
                )
                .reply(
                    Reply::when([task(&said), "The previous attempt failed".to_owned()])
                        .pause_ms(next())
                        .write(&said, "whole\n")
                        .say("now it is done"),
                )
                .reply(Reply::when([task(&said)]).pause_ms(2).say("done"));
        }
        script
    }
}

fn agent(id: &str, waits_for: &str) -> String {
    format!(
        "**target:** coder\n**depends_on:** {waits_for}\n**task:**\nMake {id}.\n\n**contract:**\n```shell\ntest -s {id}\n```\n**on_fail:** retry(5), then escalate\n"
    )
}

fn tool(name: &str, args: &str, waits_for: &str) -> String {
    format!(
        "**depends_on:** {waits_for}\n**tools:** {name}\n**tool:** {name}\n**args:**\n```json\n{args}\n```\n"
    )
}

fn check(command: &str, waits_for: &str) -> String {
    format!("**depends_on:** {waits_for}\n**contract:**\n```shell\n{command}\n```\n")
}

/// Ten steps; the agents wait for those of the section before, the rest goes beside them.
fn section(k: usize) -> Vec<(String, String)> {
    let before = match k {
        1 => "none".to_owned(),
        _ => format!("said-{}", k - 1),
    };
    let note = |what: &str| format!("{{\"command\": \"echo '{what}' >> EFFECTS\"}}");
    let each = format!("each-{k}[{{{{ index }}}}]");
    let last = match k {
        1 => "**depends_on:** none\n**ask:** Go on?\n**choices:** yes, no\n".to_owned(),
        _ => check(
            &format!("test -s file-{}", k - 1),
            &format!("copy-{}", k - 1),
        ),
    };
    let steps = [
        ("work", agent(&format!("work-{k}"), &before)),
        ("said", agent(&format!("said-{k}"), &format!("work-{k}"))),
        (
            "note",
            tool("run_command", &note(&format!("note-{k}")), "none"),
        ),
        (
            "file",
            tool(
                "write_file",
                &format!("{{\"path\": \"file-{k}\", \"content\": \"text of {k}\\n\"}}"),
                "none",
            ),
        ),
        (
            "read",
            tool(
                "read_file",
                &format!("{{\"path\": \"file-{k}\"}}"),
                &format!("file-{k}"),
            ),
        ),
        (
            "copy",
            tool(
                "write_file",
                &format!("{{\"path\": \"copy-{k}\", \"content\": \"$read-{k}.content\"}}"),
                &format!("read-{k}"),
            ),
        ),
        (
            "each",
            format!(
                "**for_each:** [1, 2, 3]\n{}",
                tool("run_command", &note(&each), &format!("note-{k}"))
            ),
        ),
        ("last", last),
        (
            "when",
            format!(
                "**when:** steps[\"last-1\"].output == \"yes\"\n{}",
                check(&format!("test -s work-{k}"), &format!("work-{k}, last-1"))
            ),
        ),
        (
            "end",
            check(
                &format!("test -s said-{k} && test -s copy-{k}"),
                &format!("said-{k}, copy-{k}, each-{k}, when-{k}"),
            ),
        ),
    ];
    steps
        .into_iter()
        .map(|(name, body)| (format!("{name}-{k}"), body))
        .collect()
}
