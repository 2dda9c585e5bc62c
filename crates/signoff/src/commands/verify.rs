//! `verify`: every problem of every plan, at once.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use signoff_api::diagnostics::{Diagnostic, Diagnostics};
use signoff_plan::diagnostic::Severity;
use signoff_plan::dialect;
use signoff_plan::source::Source;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::load_config;
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::root::discover;

use crate::args::{Verify, VerifyFormat};
use crate::diagnostics::{concise, render};
use crate::failure::Failure;
use crate::report::style::{CARE, ERROR, GOOD, paint};
use crate::session::Session;

/// Directories that hold no plans of ours.
const PASSED_OVER: [&str; 3] = ["node_modules", "target", "vendor"];

pub(crate) fn verify(session: &mut Session, args: &Verify) -> Result<u8, Failure> {
    let plans = read_all(session, &args.paths)?;
    let errors: usize = plans.iter().map(|plan| plan.checked.errors()).sum();
    let warnings: usize = plans.iter().map(|plan| plan.checked.warnings()).sum();
    match args.format {
        VerifyFormat::Json => {
            let shapes = plans.iter().flat_map(|plan| {
                plan.checked
                    .diagnostics
                    .iter()
                    .map(|one| Diagnostic::new(one, &plan.source))
            });
            let shape = Diagnostics::new(shapes.collect());
            session.json(&shape);
        }
        VerifyFormat::Human | VerifyFormat::Concise => tell(session, args, &plans),
    }
    let failed = errors > 0 || (args.deny_warnings && warnings > 0);
    Ok(u8::from(failed))
}

fn tell(session: &mut Session, args: &Verify, plans: &[PlanFile]) {
    for plan in plans {
        for diagnostic in &plan.checked.diagnostics {
            if args.format == VerifyFormat::Concise {
                session.out.answer(concise(diagnostic, &plan.source));
            } else {
                session.out.answer(render(diagnostic, &plan.source));
                session.out.answer("");
            }
        }
        session.out.say(summary(plan));
    }
}

fn summary(plan: &PlanFile) -> String {
    let count = |wanted: Severity| {
        plan.checked
            .diagnostics
            .iter()
            .filter(|one| one.severity == wanted)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let some =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let name = plan.source.name();
    let steps = some(plan.checked.plan.steps.len(), "step");
    if errors > 0 {
        format!(
            "{}: {name}: {}, {}",
            paint(ERROR, "invalid"),
            some(errors, "error"),
            some(warnings, "warning")
        )
    } else if warnings > 0 {
        format!(
            "{}: {name}: {steps}, {}",
            paint(CARE, "verified"),
            some(warnings, "warning")
        )
    } else {
        format!("{}: {name}: {steps}, no problems", paint(GOOD, "verified"))
    }
}

fn read_all(session: &Session, paths: &[PathBuf]) -> Result<Vec<PlanFile>, Failure> {
    let around = &session.around;
    let store = discover(&around.directory);
    let config = load_config(around, store.as_ref())?;
    let root = store
        .as_ref()
        .map_or(around.directory.as_path(), |store| store.workspace());
    let workspace = DiskWorkspace::new(root, &around.path(), &config);
    let mut plans = Vec::new();
    for path in paths {
        let full = around.directory.join(path);
        let name = path.display().to_string();
        if name == "-" {
            let mut bytes = Vec::new();
            std::io::stdin()
                .read_to_end(&mut bytes)
                .map_err(|why| Failure::new(6, "unreadable", format!("stdin: {why}")))?;
            plans.push(PlanFile::from_bytes(&full, "<stdin>", bytes, &workspace));
        } else if full.is_dir() {
            plans.extend(read_directory(&full, path, &workspace)?);
        } else {
            plans.push(PlanFile::read(&full, &name, &workspace)?);
        }
    }
    Ok(plans)
}

fn read_directory(
    full: &Path,
    shown: &Path,
    workspace: &DiskWorkspace,
) -> Result<Vec<PlanFile>, Failure> {
    let mut files = BTreeSet::new();
    collect(full, &mut files)
        .map_err(|why| Failure::new(6, "unreadable", format!("{}: {why}", shown.display())))?;
    let mut plans = Vec::new();
    for file in files {
        let name = shown
            .join(file.strip_prefix(full).unwrap_or(&file))
            .display()
            .to_string();
        let bytes = std::fs::read(&file)
            .map_err(|why| Failure::new(6, "unreadable", format!("{name}: {why}")))?;
        if dialect::recognise(&Source::new(name.as_str(), bytes.clone())).is_some() {
            plans.push(PlanFile::from_bytes(&file, &name, bytes, workspace));
        }
    }
    if plans.is_empty() {
        return Err(Failure::new(
            2,
            "no-plans",
            format!("there is no plan in {}", shown.display()),
        )
        .hint("a plan is a markdown file whose frontmatter says `type: plan`"));
    }
    Ok(plans)
}

fn collect(directory: &Path, files: &mut BTreeSet<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.starts_with('.') && !PASSED_OVER.contains(&name.as_str()) {
            collect(&entry.path(), files)?;
        } else if kind.is_file()
            && entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "md")
        {
            files.insert(entry.path());
        }
    }
    Ok(())
}
