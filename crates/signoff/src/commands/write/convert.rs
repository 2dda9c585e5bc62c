//! `convert`: writes a plan in another dialect, and names what that dialect cannot hold.

use std::path::Path;

use signoff_api::convert::{Converted, File, Loss as LossShape, SCHEMA};
use signoff_plan::diagnostic::{Code, Diagnostic, Severity};
use signoff_plan::dialect::Dialect;
use signoff_plan::diff::compare;
use signoff_plan::format::format_as;
use signoff_plan::source::Source;
use signoff_plan::write::{Loss, WrittenPlan, write};
use signoff_runtime::plan_file::PlanFile;
use signoff_store::disk_workspace::DiskWorkspace;

use crate::args::Convert;
use crate::failure::Failure;
use crate::new_files;
use crate::plan_paths::{read, workspace};
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, paint, sanitize};

pub(crate) fn convert(session: &mut Session, args: &Convert) -> Result<u8, Failure> {
    let plan = read(session, &args.path, args.dialect)?;
    require_understood(&plan, args.to)?;
    let mut written = format_written(write(&plan.checked.plan, args.to), args.to);
    written.losses.splice(0..0, unread_fields(&plan));
    written.losses.splice(0..0, left_files(&plan));
    if written.losses.iter().any(Loss::is_relevant) && !args.lossy {
        return Err(refusal(&plan, args.to, &written.losses));
    }
    let again = read_back(&plan, &written, args.to, &workspace(session)?)?;
    let errors = new_errors(&plan, &again);
    if !errors.is_empty() && !args.lossy {
        return Err(invalid(&plan, args.to, &errors));
    }
    let output = args.output.as_deref();
    if args.to == Dialect::Thread && output.is_none() && !session.is_json() {
        let message = "a thread is a directory and cannot be printed";
        return Err(Failure::new(2, "usage", message).hint("name a directory: `-o DIRECTORY`"));
    }
    let paths = match output {
        Some(shown) => {
            let target = session.process.directory.join(shown);
            new_files::write(&target, shown, &written.files, args.force)?
        }
        None => Vec::new(),
    };
    if session.is_json() {
        let shape = to_api(&plan, &again, &written, &paths, args.to);
        session.json(&shape);
        return Ok(0);
    }
    for loss in &written.losses {
        say_loss(session, loss);
    }
    match output {
        Some(shown) => {
            let validity = Validity {
                same_digest: plan.digest() == again.digest(),
                is_valid: !(again.checked.diagnostics.iter()).any(is_of_plan),
            };
            say_written(session, shown, args.to, &validity);
        }
        None => {
            for (_, text) in &written.files {
                session.out.write_unredacted(text.as_bytes());
            }
        }
    }
    Ok(0)
}

/// What a signature of the old plan is worth for the new one.
struct Validity {
    same_digest: bool,
    is_valid: bool,
}

fn say_written(session: &mut Session, shown: &Path, to: Dialect, validity: &Validity) {
    let path = shown.display();
    let digest = match validity {
        Validity {
            is_valid: false, ..
        } => format!(
            "nobody can sign it before its errors are corrected: `signoff verify {}` shows them",
            shell_word(&path.to_string())
        ),
        Validity {
            same_digest: true, ..
        } => "its digest is the same, so a signature also holds for it".to_owned(),
        Validity { .. } => "its digest differs, so it must be signed again".to_owned(),
    };
    session.out.say(format!("wrote {path} ({to}); {digest}"));
}

/// Is it an error, and one of the plan itself?
fn is_of_plan(problem: &Diagnostic) -> bool {
    problem.severity == Severity::Error && !problem.code.is_environmental()
}

/// Errors of the new plan of a kind that the old one does not have. What is missing around it is no
/// fault of the conversion.
fn new_errors<'a>(plan: &PlanFile, again: &'a PlanFile) -> Vec<&'a Diagnostic> {
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let old: Vec<Code> = (plan.checked.diagnostics.iter())
        .filter(is_error)
        .map(|one| one.code)
        .collect();
    (again.checked.diagnostics.iter())
        .filter(|one| is_of_plan(one) && !old.contains(&one.code))
        .collect()
}

fn invalid(plan: &PlanFile, to: Dialect, errors: &[&Diagnostic]) -> Failure {
    let name = plan.source.name();
    let message = format!("written as `{to}`, {name} would not be a valid plan");
    let mut failure = Failure::new(1, "invalid", message);
    failure
        .details
        .extend(errors.iter().map(|one| sanitize(&one.message)));
    failure.hint(
        "nothing was written; correct the plan first, or write it all the same with `--lossy`",
    )
}

/// Refuses a plan with errors that make its meaning uncertain, and steps that only the native dialect can leave open.
fn require_understood(plan: &PlanFile, to: Dialect) -> Result<(), Failure> {
    let is_open = |code: Code| code == Code::UnexpandedStep && to != Dialect::Workunit;
    let uncertain = plan.checked.diagnostics.iter().find(|one| {
        let is_error = one.severity == Severity::Error;
        is_open(one.code)
            || is_error
                && matches!(
                    one.code,
                    Code::BadExpect
                        | Code::BadFilename
                        | Code::BadOnFail
                        | Code::BadValue
                        | Code::BudgetInvalid
                        | Code::DuplicateId
                        | Code::DuplicateIndex
                        | Code::FrontmatterInvalid
                        | Code::FrontmatterMissing
                        | Code::NotUtf8
                        | Code::TooLarge
                        | Code::UnknownDependency
                        | Code::UnterminatedFence
                )
    });
    match uncertain {
        Some(problem) => {
            let name = plan.source.name();
            let message = format!("{name} cannot be converted: {}", problem.message);
            Err(Failure::new(1, "uncertain", message).hint(format!(
                "`signoff verify {}` shows the position",
                shell_word(name)
            )))
        }
        None => Ok(()),
    }
}

/// Fields that the plan's dialect does not have: they were not read, so they cannot be written.
fn unread_fields(plan: &PlanFile) -> Vec<Loss> {
    let unknown = plan.checked.diagnostics.iter();
    unknown
        .filter(|one| one.code == Code::UnknownField)
        .map(|one| Loss {
            step: one.step.clone(),
            field: one.span.slice(plan.source.text()).to_owned(),
            why: one.message.clone(),
            filled_in: false,
        })
        .collect()
}

/// Files beside a thread's plan, which no other dialect has a place for.
fn left_files(plan: &PlanFile) -> impl Iterator<Item = Loss> {
    plan.stray_files().into_iter().map(|name| Loss {
        step: None,
        why: format!("`{name}` lies in the plan's directory and is not part of the plan"),
        field: name,
        filled_in: false,
    })
}

fn refusal(plan: &PlanFile, to: Dialect, losses: &[Loss]) -> Failure {
    let name = plan.source.name();
    let message = format!("`{to}` cannot hold everything in {name}");
    let mut failure = Failure::new(1, "lossy", message);
    failure.details.extend(losses.iter().map(loss_text));
    failure.hint("`--lossy` leaves it out")
}

pub(super) fn say_loss(session: &mut Session, loss: &Loss) {
    let what = if loss.filled_in {
        "filled in:"
    } else {
        "left out:"
    };
    let line = format!("{} {}", paint(CARE, what), loss_text(loss));
    session.out.say(line);
}

/// A loss as one line.
pub(super) fn loss_text(loss: &Loss) -> String {
    let owner = match &loss.step {
        Some(step) => format!("step `{step}`"),
        None => "the plan".to_owned(),
    };
    sanitize(&format!("`{}` of {owner}: {}", loss.field, loss.why))
}

/// Formats what was written, as `fmt` does; a dialect that `fmt` does not support stays as it is.
pub(super) fn format_written(mut written: WrittenPlan, dialect: Dialect) -> WrittenPlan {
    if let Ok(tidy) = format_as(&source(&written), dialect) {
        for ((_, text), (_, bytes)) in written.files.iter_mut().zip(tidy.split()) {
            if let Ok(tidy) = std::str::from_utf8(bytes) {
                tidy.clone_into(text);
            }
        }
    }
    written
}

/// Reads back what would be written. Without a loss the digest must be the same.
fn read_back(
    plan: &PlanFile,
    written: &WrittenPlan,
    to: Dialect,
    workspace: &DiskWorkspace,
) -> Result<PlanFile, Failure> {
    let source = source(written);
    let again = PlanFile::from_source(&plan.path, source, Some(to), workspace);
    if written.losses.is_empty() && again.digest() != plan.digest() {
        let message = format!(
            "written as `{to}`, {} would mean something else",
            plan.source.name()
        );
        let mut failure = Failure::new(6, "unfaithful", message);
        let changes = compare(&plan.canonical(), &again.canonical());
        failure
            .details
            .extend(changes.iter().map(ToString::to_string));
        return Err(failure.hint("nothing was written; this is a bug in signoff, please report it"));
    }
    Ok(again)
}

/// The written files as a source, as if read from disk.
pub(super) fn source(written: &WrittenPlan) -> Source {
    match written.files.as_slice() {
        [(name, text)] if name.is_empty() => Source::new("<converted>", text.clone().into_bytes()),
        files => {
            let bytes = |(name, text): &(String, String)| (name.clone(), text.clone().into_bytes());
            Source::directory("<converted>", files.iter().map(bytes).collect())
        }
    }
}

fn to_api(
    plan: &PlanFile,
    again: &PlanFile,
    written: &WrittenPlan,
    paths: &[String],
    to: Dialect,
) -> Converted {
    let files = written
        .files
        .iter()
        .enumerate()
        .map(|(at, (name, text))| match paths.get(at) {
            Some(path) => File {
                path: Some(path.clone()),
                text: None,
            },
            None => File {
                path: (!name.is_empty()).then(|| name.clone()),
                text: Some(text.clone()),
            },
        });
    Converted {
        schema: SCHEMA.to_owned(),
        from: plan.checked.dialect.as_str().to_owned(),
        to: to.as_str().to_owned(),
        digest: plan.digest().to_string(),
        new_digest: again.digest().to_string(),
        losses: written.losses.iter().map(LossShape::from).collect(),
        files: files.collect(),
    }
}
