//! `import`: makes a draft from another tool's plan, and lists what could not be carried over.

mod contracts;
mod report;

use signoff_api::diagnostics::Diagnostic;
use signoff_api::import::{
    ContractProposal, ImportLoss as LossShape, Imported as ImportedShape, SCHEMA,
};
use signoff_plan::dialect::{Dialect, recognise};
use signoff_plan::import::{ImportError, ImportLoss, Imported, import as make_draft};
use signoff_plan::source::Source;
use signoff_plan::write::{Loss, write};
use signoff_runtime::plan_file::{ForeignSource, PlanFile, read_foreign, read_stream};

use self::contracts::ContractQuestion;
use super::convert::{format_written, loss_text};
use crate::args::Import;
use crate::failure::Failure;
use crate::new_files;
use crate::plan_paths::{is_stdin, workspace};
use crate::session::Session;
use crate::shell_words::{STDIN, shell_word};

pub(crate) fn import(session: &mut Session, args: &Import) -> Result<u8, Failure> {
    let ForeignSource { source, unread } = read(session, args)?;
    if args.from.is_none() {
        refuse_own_plan(&source)?;
    }
    let mut imported = make_draft(&source, args.from).map_err(|error| unusable(&error))?;
    let unread = unread.into_iter().map(|name| unread_file(&source, name));
    imported.losses.extend(unread);
    let output = args.output.as_deref().filter(|path| !is_stdin(path));
    let name = output.map_or_else(
        || "<imported>".to_owned(),
        |path| path.display().to_string(),
    );
    let target = session.process.directory.join(output.unwrap_or(&args.path));
    let workspace = workspace(session)?;
    let read_draft = |text: &str, dialect: Dialect| {
        let draft = Source::new(name.clone(), text.to_owned().into_bytes());
        PlanFile::from_source(&target, draft, Some(dialect), &workspace)
    };
    let mut plan = read_draft(&imported.text, Dialect::Workunit);
    let mut proposal = None;
    if args.plan {
        if let Some(shown) = output.filter(|_| !args.force && target.symlink_metadata().is_ok()) {
            return Err(new_files::exists(shown));
        }
        let found = contracts::ask_for_contracts(session, args, &plan)?;
        if let Some(found) = &found {
            found.report.source.text().clone_into(&mut imported.text);
            plan = read_draft(&imported.text, Dialect::Workunit);
        }
        proposal = found;
    }
    if args.dialect != Dialect::Workunit {
        let written = format_written(write(&plan.checked.plan, args.dialect), args.dialect);
        for loss in &written.losses {
            if loss.filled_in {
                imported
                    .notes
                    .push(format!("filled in: {}", loss_text(loss)));
            } else {
                imported.losses.push(of_dialect(&source, loss));
            }
        }
        let text = written.files.into_iter().next().map(|(_, text)| text);
        imported.text = text.expect("such a dialect has one file");
        plan = read_draft(&imported.text, args.dialect);
    }
    if let Some(shown) = output {
        let files = [(String::new(), imported.text.clone())];
        new_files::write(&target, shown, &files, args.force)?;
        if let Some(asked) = &proposal {
            asked.record(session, &plan)?;
        }
    }
    if session.is_json() {
        let path = output.map(|path| path.display().to_string());
        let proposal = proposal.as_ref().map(ContractQuestion::to_api);
        session.json(&to_api(imported, &plan, path, proposal));
        return Ok(0);
    }
    report::report(session, &source, &imported, &plan, output);
    if output.is_none() {
        session.out.write_unredacted(imported.text.as_bytes());
    }
    Ok(0)
}

/// What the wanted dialect has no place for.
fn of_dialect(source: &Source, loss: &Loss) -> ImportLoss {
    ImportLoss {
        file: source.name().to_owned(),
        line: None,
        field: loss.field.clone(),
        value: (loss.step.clone()).unwrap_or_else(|| "the plan".to_owned()),
        why: loss.why.clone(),
    }
}

fn read(session: &Session, args: &Import) -> Result<ForeignSource, Failure> {
    if !is_stdin(&args.path) {
        let full = session.process.directory.join(&args.path);
        return Ok(read_foreign(&full, &args.path.display().to_string())?);
    }
    let bytes = read_stream(std::io::stdin().lock())
        .map_err(|why| Failure::new(6, "unreadable", format!("{STDIN}: {why}")))?;
    Ok(ForeignSource {
        source: Source::new(STDIN, bytes),
        unread: Vec::new(),
    })
}

/// What is a plan already needs no import.
fn refuse_own_plan(source: &Source) -> Result<(), Failure> {
    // Many directories have a `plan.md` and tasks; only a file says of itself that it is a plan.
    if !source.parts().is_empty() || recognise(source) != Some(Dialect::Workunit) {
        return Ok(());
    }
    let name = source.name();
    let message = format!("{name} is a plan of Signoff already");
    Err(Failure::new(2, "usage", message)
        .hint(format!("`signoff verify {}` checks it", shell_word(name)))
        .hint("`--from FORMAT` reads it as another tool's plan"))
}

fn unusable(error: &ImportError) -> Failure {
    let place = match error.line {
        Some(line) => format!("{}:{line}", error.file),
        None => error.file.clone(),
    };
    let message = format!("{place}: {}", error.message);
    Failure::new(1, "not-importable", message).hint(
        "nothing was written; `--from FORMAT` names the format if it was taken for another one",
    )
}

fn unread_file(source: &Source, name: String) -> ImportLoss {
    ImportLoss {
        file: format!("{}/{name}", source.name().trim_end_matches('/')),
        line: None,
        field: "file".to_owned(),
        value: name,
        why: "only markdown is read".to_owned(),
    }
}

fn to_api(
    imported: Imported,
    plan: &PlanFile,
    path: Option<String>,
    proposal: Option<ContractProposal>,
) -> ImportedShape {
    let problems = plan.checked.diagnostics.iter();
    ImportedShape {
        schema: SCHEMA.to_owned(),
        from: imported.format.as_str().to_owned(),
        sign: imported.sign,
        steps: imported.steps,
        text: path.is_none().then_some(imported.text),
        path,
        losses: imported.losses.iter().map(LossShape::from).collect(),
        notes: imported.notes,
        diagnostics: problems
            .map(|one| Diagnostic::new(one, &plan.source))
            .collect(),
        proposal,
    }
}
