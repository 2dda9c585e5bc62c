//! `demo --plan`: from a sentence to a plan, and from a failure to a new version of it. The model follows a script; the
//! checks, the signatures, the run and its contracts are real.

use std::path::Path;

use serde_json::{Value, json};

use super::{cannot_set_up, command, expect, plan, print_chapter, without_output};
use crate::args::{Approve, Format, PlanArg, PlanTask, Run};
use crate::commands::running::{resume, run, status};
use crate::commands::sign::approve;
use crate::commands::start::{init, trust};
use crate::commands::write::plan as planner;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{DIM, HINT, paint};

const FILES: [(&str, &str); 3] = [
    ("calc.sh", include_str!("planned/calc.sh")),
    ("tests/add.sh", include_str!("planned/add.sh")),
    ("tests/twice.sh", include_str!("planned/twice.sh")),
];

const BAD: &str = include_str!("planned/bad.md");
const GOOD: &str = include_str!("planned/good.md");
const NEXT: &str = include_str!("planned/next.md");

/// `calc.sh` with the first function mended, and with both.
const ADDS: &str = "add() { echo $(($1 + $2)); }\ntwice() { echo \"$1\"; }\n";
const DOUBLES: &str = "add() { echo $(($1 + $2)); }\ntwice() { echo $(($1 * 2)); }\n";

/// The new version, which is a plan of its own.
const SECOND: &str = "plan-v2";

pub(super) fn tell_story(session: &mut Session, folder: &Path) -> Result<u8, Failure> {
    set_up(session, folder)?;

    print_chapter(
        session,
        1,
        "A sentence; a model drafts, checks send it back",
    );
    print_note(
        session,
        "(the model is a script here; with yours it is the same)",
    );
    command(session, "signoff plan \"make the tests pass\" -o plan.md");
    expect(planner::plan(session, &task())?, 0)?;

    print_chapter(
        session,
        2,
        "Nothing that a model says runs before a person signs it",
    );
    command(session, "signoff approve plan.md");
    expect(approve::approve(session, &approval_of("plan.md"))?, 0)?;

    print_chapter(
        session,
        3,
        "It runs; a step fails, and the plan says: replan",
    );
    command(session, "signoff run plan.md");
    expect(
        run::run(
            session,
            &Run {
                path: Some("plan.md".into()),
                ..super::run_args()
            },
        )?,
        3,
    )?;

    print_chapter(
        session,
        4,
        "The new version is a proposal; its difference is signed",
    );
    command(session, &format!("signoff approve {SECOND}"));
    expect(approve::approve(session, &approval_of(SECOND))?, 0)?;

    print_chapter(session, 5, "The run goes on; what was proved stays proved");
    command(session, "signoff resume");
    expect(
        resume::resume(session, None, &signoff_runtime::live::RunOptions::default())?,
        0,
    )?;

    print_chapter(session, 6, "What we know, and how");
    command(session, "signoff status");
    expect(status::status(session, None)?, 0)?;
    session.out.answer("");
    session.out.answer(format!(
        "{} `signoff init` in a project of yours, then `signoff plan \"…\"`",
        paint(HINT, "next:")
    ));
    Ok(0)
}

fn print_note(session: &mut Session, text: &str) {
    session.out.answer(paint(DIM, text));
}

/// Writes the project, and who plans and who works in it.
fn set_up(session: &mut Session, folder: &Path) -> Result<(), Failure> {
    super::point_at(session, folder, &FILES)?;
    let store = session.process.directory.join(".signoff");
    std::fs::create_dir_all(&store).map_err(|why| cannot_set_up(&why))?;
    for (name, script) in [
        ("planner.json", planner_script()),
        ("coder.json", coder_script()),
    ] {
        std::fs::write(store.join(name), script.to_string()).map_err(|why| cannot_set_up(&why))?;
    }
    let roles = [
        ("planner", ".signoff/planner.json"),
        ("coder", ".signoff/coder.json"),
    ];
    let roles = super::roles(&roles)?;
    std::fs::write(store.join("config.toml"), roles).map_err(|why| cannot_set_up(&why))?;
    without_output(session, |session| {
        init::init(session)?;
        trust::trust(session)
    })?;
    super::side_by_side::make_repository(session);
    Ok(())
}

/// What the planner says: first nonsense, then a plan, and another one once a step has failed.
fn planner_script() -> Value {
    let says = |words: &str, text: &str| json!({"when": [words], "do": [{"say": text}]});
    json!({"replies": [
        says("# A plan under way", NEXT),
        says("# Your last answer", GOOD),
        says("You are a planner", BAD),
    ]})
}

fn coder_script() -> Value {
    let writes = |words: &str, text: &str, said: &str| json!({"when": [words], "do": [{"write": {"path": "calc.sh", "text": text}}, {"say": said}]});
    json!({"replies": [
        writes("add its two numbers", ADDS, "`add` adds now."),
        writes("nothing but the shell", DOUBLES, "`twice` doubles now."),
        {"when": ["the program `bc`"], "do": [{"say": "I could not find `bc`, but it should work."}]},
    ]})
}

fn task() -> PlanTask {
    PlanTask {
        task: Some("make the tests pass".to_owned()),
        agent: None,
        dialect: signoff_plan::dialect::Dialect::Workunit,
        memory: Vec::new(),
        code: Vec::new(),
        constraint: Vec::new(),
        output: Some("plan.md".into()),
        force: false,
        try_contracts: false,
        interview: false,
        resume: None,
        expand: None,
        dry_run: false,
        format: Format::Human,
    }
}

fn approval_of(name: &str) -> Approve {
    Approve {
        plan: PlanArg {
            path: name.into(),
            ..plan()
        },
        ..super::approve_args()
    }
}
