//! `demo`: shows everything once, in a temporary folder, with a scripted agent. The commands, files and processes are
//! real; only the agent's actions are fixed.

mod page;
mod planned;
mod side_by_side;

use std::path::{Path, PathBuf};

use signoff_store::signatures::Proof;

use crate::args::{
    Approve, Demo, Format, PlanArg, PlanName, Propose, Reject, Revise, Run, RunLimits, Verify,
    VerifyFormat,
};
use crate::commands::check::verify;
use crate::commands::running::{run, status};
use crate::commands::sign::{self, approve};
use crate::commands::start::{init, trust};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{DIM, HINT, TITLE, paint};

const FILES: [(&str, &str); 6] = [
    ("plan.md", include_str!("demo/plan.md")),
    ("broken.md", include_str!("demo/broken.md")),
    ("tests/slugify.sh", include_str!("demo/test.sh")),
    ("parallel.md", include_str!("demo/parallel.md")),
    ("CHANGELOG.md", "# Changes\n\n"),
    ("README.md", "# slugify\n\nTitles become URLs.\n"),
];

/// What the agent does.
const SCRIPT: &str = ".signoff/script.json";

pub(crate) fn demo(session: &mut Session, args: &Demo) -> Result<u8, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("signoff-demo-")
        .tempdir()
        .map_err(|why| cannot_set_up(&why))?;
    let result = if args.plan {
        planned::tell_story(session, folder.path())
    } else if args.page {
        page::open(session, folder.path())
    } else {
        tell_story(session, folder.path())
    };
    if args.keep {
        let path = folder.keep();
        session
            .out
            .answer(format!("the project is in {}", path.display()));
    }
    result
}

fn tell_story(session: &mut Session, folder: &Path) -> Result<u8, Failure> {
    set_up(session, folder)?;

    print_chapter(session, 1, "A plan is a file, checked like source code");
    command(session, "signoff verify broken.md");
    expect(verify::verify(session, &verify_args("broken.md"))?, 1)?;

    print_chapter(session, 2, "A good plan is submitted; a person reads it");
    negotiate(session, folder)?;

    print_chapter(
        session,
        3,
        "Somebody weakens a contract after the signature",
    );
    let signed = edit(
        session,
        folder,
        (">&2; exit 1; }", ">&2; }"),
        "(plan.md, step `docs`: `exit 1` is removed from the contract)",
    )?;
    command(session, "signoff run plan.md");
    run_changed_plan(session)?;
    session.out.answer(paint(DIM, "(plan.md is restored)"));
    write(folder, &signed)?;

    print_chapter(
        session,
        4,
        "It runs. Agents report; only the harness judges",
    );
    command(session, "signoff run plan.md");
    expect(run::run(session, &run_args())?, 0)?;

    print_chapter(
        session,
        5,
        "Agents side by side; what passes alone must pass merged",
    );
    side_by_side::tell_story(session)?;

    print_chapter(session, 6, "What we know, and how");
    command(session, "signoff status");
    expect(status::status(session, None)?, 0)?;
    session.out.answer("");
    session.out.answer(format!(
        "{} `signoff init` in a project of yours, then `signoff --help`",
        paint(HINT, "next:")
    ));
    Ok(0)
}

fn set_up(session: &mut Session, folder: &Path) -> Result<(), Failure> {
    set_up_with(session, folder, include_str!("demo/script.json"))
}

/// The same with another script for the agent.
fn set_up_with(session: &mut Session, folder: &Path, script: &str) -> Result<(), Failure> {
    let files: Vec<(&str, &str)> = FILES.into_iter().chain([(SCRIPT, script)]).collect();
    point_at(session, folder, &files)?;
    let scripts = [("coder", SCRIPT), ("writer", SCRIPT)];
    let config = session.process.directory.join(".signoff/config.toml");
    std::fs::write(config, roles(&scripts)?).map_err(|why| cannot_set_up(&why))?;
    without_output(session, |session| {
        init::init(session)?;
        trust::trust(session)
    })?;
    side_by_side::make_repository(session);
    Ok(())
}

/// A configuration in which each of these roles follows its script in the store.
fn roles(scripts: &[(&str, &str)]) -> Result<String, Failure> {
    let agent = std::env::current_exe().map_err(|why| cannot_set_up(&why))?;
    let role = |(name, script): &(&str, &str)| {
        let command = serde_json::json!([agent.to_string_lossy(), "scripted-agent", script]);
        format!("\n[agents.{name}]\ndriver = \"command\"\ncommand = {command}\n")
    };
    let roles: Vec<String> = scripts.iter().map(role).collect();
    Ok(format!("[run]\nbackoff = \"100ms\"\n{}", roles.concat()))
}

/// Writes the project and points the session at it. Reads and writes nothing that belongs to the user.
fn point_at(session: &mut Session, folder: &Path, files: &[(&str, &str)]) -> Result<(), Failure> {
    let folder = folder.canonicalize().map_err(|why| cannot_set_up(&why))?;
    let project = folder.join("project");
    for (name, text) in files {
        let path = project.join(name);
        let parent = path.parent().unwrap_or(&project);
        std::fs::create_dir_all(parent).map_err(|why| cannot_set_up(&why))?;
        std::fs::write(&path, text).map_err(|why| cannot_set_up(&why))?;
    }
    session.process.directory.clone_from(&project);
    session.process.user_config = None;
    session.process.state_dir = Some(folder.join("state/signoff"));
    let variables = &mut session.process.variables;
    // A run that the page starts is a process of its own, and finds the same places.
    for (name, place) in [
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
    ] {
        variables.insert(name.into(), folder.join(place).into_os_string());
    }
    session.proof = Some(Proof::Policy);
    session.out.merged = true;
    Ok(())
}

/// Runs commands without their output.
fn without_output(
    session: &mut Session,
    commands: impl FnOnce(&mut Session) -> Result<u8, Failure>,
) -> Result<(), Failure> {
    session.out.silent = true;
    let result = commands(session);
    session.out.silent = false;
    result.map(|_| ())
}

/// Submits the plan, rejects it with a reason, revises it and signs it.
fn negotiate(session: &mut Session, folder: &Path) -> Result<(), Failure> {
    let feedback = "README.md is there already: that contract proves nothing";
    command(session, "signoff propose plan.md");
    expect(sign::propose(session, &propose_args())?, 0)?;
    command(
        session,
        &format!("signoff reject plan.md --feedback \"{feedback}\""),
    );
    expect(sign::reject(session, &reject_args(feedback))?, 0)?;
    edit(
        session,
        folder,
        (LAX, STRICT),
        "(plan.md, step `docs`: the contract now looks for the section)",
    )?;
    command(session, "signoff revise plan.md");
    expect(sign::revise(session, &revise_args())?, 0)?;
    command(session, "signoff approve plan.md");
    expect(approve::approve(session, &approve_args())?, 0)
}

/// The first contract of step `docs`, and the one that the person writes.
const LAX: &str = "test -s README.md";
const STRICT: &str = "grep -q '^## Usage' README.md || { echo \"README.md has no section '## Usage'\" >&2; exit 1; }";

/// Runs a plan that has changed since it was signed.
fn run_changed_plan(session: &mut Session) -> Result<(), Failure> {
    match run::run(session, &run_args()) {
        Err(run_changed_plan) if run_changed_plan.exit == 4 => {
            session.report_failure(&run_changed_plan);
            Ok(())
        }
        Err(other) => Err(other),
        Ok(_) => {
            let message = "the changed plan ran: this must not happen";
            Err(Failure::new(1, "demo", message))
        }
    }
}

/// Edits the plan; returns the old text.
fn edit(
    session: &mut Session,
    folder: &Path,
    (old, new): (&str, &str),
    what: &str,
) -> Result<String, Failure> {
    let path = folder.join("project/plan.md");
    let text = std::fs::read_to_string(path).map_err(|why| cannot_set_up(&why))?;
    session.out.answer(paint(DIM, what));
    write(folder, &text.replace(old, new))?;
    Ok(text)
}

fn write(folder: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(folder.join("project/plan.md"), text).map_err(|why| cannot_set_up(&why))
}

fn print_chapter(session: &mut Session, number: u32, title: &str) {
    session.out.answer("");
    session
        .out
        .answer(paint(TITLE, format!("{number}. {title}")));
}

fn command(session: &mut Session, text: &str) {
    session.out.answer(format!("{} {text}", paint(HINT, "$")));
}

fn expect(found: u8, expected: u8) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(Failure::new(
        1,
        "demo",
        format!("the demo expected exit code {expected} and got {found}"),
    )
    .hint("this is a bug in signoff, or bash, grep, tr or sh is missing on this machine"))
}

fn cannot_set_up(why: &std::io::Error) -> Failure {
    Failure::new(
        6,
        "demo",
        format!("the demo's project cannot be set up: {why}"),
    )
}

fn plan() -> PlanArg {
    PlanArg {
        path: PathBuf::from("plan.md"),
        format: Format::Human,
    }
}

fn verify_args(path: &str) -> Verify {
    Verify {
        paths: vec![PathBuf::from(path)],
        format: VerifyFormat::Human,
        deny: Vec::new(),
        deny_warnings: false,
        dialect: None,
    }
}

fn propose_args() -> Propose {
    Propose {
        path: PathBuf::from("plan.md"),
        format: Format::Human,
    }
}

fn plan_name() -> PlanName {
    PlanName {
        plan: "plan.md".to_owned(),
        format: Format::Human,
    }
}

fn reject_args(feedback: &str) -> Reject {
    Reject {
        plan: plan_name(),
        feedback: Some(feedback.to_owned()),
        expect_version: None,
        expect_digest: None,
    }
}

fn revise_args() -> Revise {
    Revise {
        plan: plan_name(),
        with: None,
        expect_version: None,
        expect_digest: None,
        by_planner: false,
        step: None,
        feedback: None,
        agent: None,
    }
}

fn approve_args() -> Approve {
    Approve {
        plan: plan(),
        note: None,
        expect_digest: None,
        expect_version: None,
        run: false,
        proof: None,
    }
}

fn run_args() -> Run {
    let PlanArg { path, format } = plan();
    Run {
        detach: false,
        from: None,
        path: Some(path),
        approve: false,
        preview: false,
        again: false,
        all: false,
        limits: RunLimits::default(),
        isolation: None,
        task: None,
        agent: None,
        contract: None,
        format,
    }
}
