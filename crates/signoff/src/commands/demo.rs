//! `demo`: the whole story once, in a temporary folder, with a scripted agent. The same commands, the
//! same files, the same processes as in earnest; only the agent's ideas are fixed.

use std::path::{Path, PathBuf};

use signoff_store::signatures::Proof;

use crate::args::{Approve, Demo, Format, PlanArg, Run, Verify, VerifyFormat};
use crate::commands::{approve, init, run, status, trust, verify};
use crate::failure::Failure;
use crate::report::style::{DIM, HINT, TITLE, paint};
use crate::session::Session;

const FILES: [(&str, &str); 5] = [
    ("plan.md", include_str!("demo/plan.md")),
    ("broken.md", include_str!("demo/broken.md")),
    ("tests/slugify.sh", include_str!("demo/test.sh")),
    ("README.md", "# slugify\n\nTitles become URLs.\n"),
    (".signoff/script.json", include_str!("demo/script.json")),
];

pub(crate) fn demo(session: &mut Session, args: &Demo) -> Result<u8, Failure> {
    let folder = tempfile::Builder::new()
        .prefix("signoff-demo-")
        .tempdir()
        .map_err(|why| cannot(&why))?;
    let result = tell(session, folder.path());
    if args.keep {
        let path = folder.keep();
        session
            .out
            .answer(format!("the project is in {}", path.display()));
    }
    result
}

fn tell(session: &mut Session, folder: &Path) -> Result<u8, Failure> {
    set_up(session, folder)?;

    chapter(session, 1, "A plan is a file, checked like source code");
    command(session, "signoff verify broken.md");
    expect(verify::verify(session, &verify_args("broken.md"))?, 1)?;

    chapter(session, 2, "The good plan: a person signs it off");
    command(session, "signoff verify plan.md");
    expect(verify::verify(session, &verify_args("plan.md"))?, 0)?;
    command(session, "signoff approve plan.md");
    expect(approve::approve(session, &approve_args())?, 0)?;

    chapter(
        session,
        3,
        "It runs. Agents report; only the harness judges",
    );
    command(session, "signoff run plan.md");
    expect(run::run(session, &run_args())?, 0)?;

    chapter(
        session,
        4,
        "Somebody weakens a contract after the signature",
    );
    weaken(session, folder)?;
    command(session, "signoff run plan.md");
    match run::run(session, &run_args()) {
        Err(refused) if refused.exit == 4 => {
            session.report_failure(&refused);
        }
        Err(other) => return Err(other),
        Ok(_) => {
            return Err(Failure::new(
                1,
                "demo",
                "the changed plan ran: this must not happen",
            ));
        }
    }

    chapter(session, 5, "What we know, and how");
    command(session, "signoff status");
    expect(status::status(session, None)?, 0)?;
    session.out.answer("");
    session.out.answer(format!(
        "{} `signoff init` in a project of yours, then `signoff --help`",
        paint(HINT, "next:")
    ));
    Ok(0)
}

/// Writes the project and points the session at it: nothing of the user's is read or written.
fn set_up(session: &mut Session, folder: &Path) -> Result<(), Failure> {
    let folder = folder.canonicalize().map_err(|why| cannot(&why))?;
    let project = folder.join("project");
    for (name, text) in FILES {
        let path = project.join(name);
        let parent = path.parent().unwrap_or(&project);
        std::fs::create_dir_all(parent).map_err(|why| cannot(&why))?;
        std::fs::write(&path, text).map_err(|why| cannot(&why))?;
    }
    session.around.directory.clone_from(&project);
    session.around.user_config = None;
    session.around.state_dir = Some(folder.join("state"));
    session.proof = Some(Proof::Policy);
    session.out.merged = true;
    let agent = std::env::current_exe().map_err(|why| cannot(&why))?;
    let command = serde_json::json!([
        agent.to_string_lossy(),
        "scripted-agent",
        ".signoff/script.json"
    ]);
    let role = |name: &str| format!("[agents.{name}]\ndriver = \"command\"\ncommand = {command}\n");
    let config = format!(
        "[run]\nbackoff = \"100ms\"\n\n{}\n{}",
        role("coder"),
        role("writer")
    );
    std::fs::write(project.join(".signoff/config.toml"), config).map_err(|why| cannot(&why))?;
    quietly(session, |session| {
        init::init(session)?;
        trust::trust(session)
    })
}

/// Runs commands whose talk is not part of the story.
fn quietly(
    session: &mut Session,
    commands: impl FnOnce(&mut Session) -> Result<u8, Failure>,
) -> Result<(), Failure> {
    session.out.silent = true;
    let result = commands(session);
    session.out.silent = false;
    result.map(|_| ())
}

/// What an agent with a bad conscience might do.
fn weaken(session: &mut Session, folder: &Path) -> Result<(), Failure> {
    let path = folder.join("project/plan.md");
    let text = std::fs::read_to_string(&path).map_err(|why| cannot(&why))?;
    let edited = text.replace(">&2; exit 1; }", ">&2; }");
    session.out.answer(paint(
        DIM,
        "(plan.md, step `docs`: `exit 1` is taken out of the contract)",
    ));
    std::fs::write(&path, edited).map_err(|why| cannot(&why))
}

fn chapter(session: &mut Session, number: u32, title: &str) {
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
    .hint("that is a fault of signoff, or bash, grep, tr or sh is missing on this machine"))
}

fn cannot(why: &std::io::Error) -> Failure {
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
    Run {
        plan: plan(),
        approve: false,
    }
}
