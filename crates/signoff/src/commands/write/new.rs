//! `new`: begins a plan from a template or from another plan.

mod draft_difference;
mod from_plan;
mod library;
mod save;
mod template;
mod values;

use std::path::{Path, PathBuf};

use signoff_api::plan_ref::{PlanRef, SCHEMA};
use signoff_api::templates::{SCHEMA as TEMPLATES, Templates};
use signoff_plan::dialect::Dialect;
use signoff_plan::digest::Digest;
use signoff_plan::model::Plan;
use signoff_plan::source::Source;
use signoff_plan::write::write;
use signoff_runtime::plan_file::PlanFile;

use crate::args::New;
use crate::commands::write::convert;
use crate::failure::Failure;
use crate::new_files;
use crate::plan_paths::{is_stdin, workspace};
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{DIM, TITLE, paint};

pub(crate) fn new(session: &mut Session, args: &New) -> Result<u8, Failure> {
    if args.list {
        return list_templates(session);
    }
    let (label, text) = match (&args.template, &args.from) {
        (Some(name), _) => (
            format!("template `{name}`"),
            library::find(session, name)?.text,
        ),
        (None, Some(path)) => (
            path.display().to_string(),
            from_plan::native_text(session, path)?,
        ),
        (None, None) => {
            let message = "a plan begins from a template or from another plan";
            return Err(Failure::new(2, "usage", message)
                .hint("`signoff new --list` shows the templates; then `--template NAME`")
                .hint("`--from PLAN` takes an existing plan"));
        }
    };
    if let Some(name) = &args.save {
        return save::save(session, name, &text, args);
    }
    let text = values::fill_template(&label, &text, args)?;
    let files = match args.dialect {
        None | Some(Dialect::Workunit) => vec![(String::new(), text)],
        Some(dialect) => in_dialect(session, &text, dialect, args.lossy)?,
    };
    match target_path(args) {
        Some(shown) => begin(session, &shown, &files, args),
        None => {
            for (_, text) in &files {
                session.out.write_unredacted(text.as_bytes());
            }
            Ok(0)
        }
    }
}

/// Writes the plan and prints the next command.
fn begin(
    session: &mut Session,
    shown: &Path,
    files: &[(String, String)],
    args: &New,
) -> Result<u8, Failure> {
    let target = session.process.directory.join(shown);
    new_files::write(&target, shown, files, args.force)?;
    let name = shown.display().to_string();
    let plan = PlanFile::read(&target, &name, &workspace(session)?)?;
    if session.is_json() {
        let shape = PlanRef {
            schema: SCHEMA.to_owned(),
            id: plan.checked.plan.id.clone().unwrap_or_else(|| name.clone()),
            status: "draft".to_owned(),
            version: plan.checked.plan.version,
            digest: plan.digest().to_string(),
            path: name,
            approval: None,
        };
        session.json(&shape);
        return Ok(0);
    }
    let steps = plan.checked.plan.steps.len();
    session.out.answer(format!("wrote {name}: {steps} steps"));
    let word = shell_word(&name);
    let next = if plan.checked.errors() > 0 {
        format!("next: `signoff verify {word}` shows what is missing")
    } else {
        format!("next: read and adapt it, then `signoff verify {word}`")
    };
    session.out.say(paint(DIM, next));
    Ok(0)
}

/// Where the plan goes; `None` is stdout.
fn target_path(args: &New) -> Option<PathBuf> {
    match (&args.output, &args.name) {
        (Some(path), _) => (!is_stdin(path)).then(|| path.clone()),
        (None, Some(name)) => {
            let ending = match args.dialect {
                Some(Dialect::Thread) => "",
                Some(Dialect::Record) => ".yaml",
                Some(Dialect::Toolplan) => ".json",
                Some(Dialect::Workunit | Dialect::Proposal) | None => ".md",
            };
            Some(PathBuf::from(format!("{}{ending}", plan_name(name))))
        }
        (None, None) => None,
    }
}

/// The plan's name; accepts the file's name too.
fn plan_name(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

/// The plan in another dialect, which must hold everything that a signature covers, unless `lossy`.
fn in_dialect(
    session: &mut Session,
    text: &str,
    dialect: Dialect,
    lossy: bool,
) -> Result<Vec<(String, String)>, Failure> {
    let source = Source::new("<template>", text.as_bytes().to_vec());
    let workspace = workspace(session)?;
    let template = PlanFile::from_source(Path::new(""), source, None, &workspace);
    let mut plan = Plan::clone(&template.checked.plan);
    // Agents of a new plan are told what its own dialect tells them.
    plan.briefing = None;
    let mut written = convert::format_written(write(&plan, dialect), dialect);
    let again = convert::source(&written);
    let again = PlanFile::from_source(Path::new(""), again, Some(dialect), &workspace);
    plan.briefing.clone_from(&again.checked.plan.briefing);
    // The owner and the status of a new plan are not a loss.
    (written.losses).retain(|loss| loss.is_relevant() && loss.field != "briefing");
    if again.digest() != Digest::of_plan(&plan) && !lossy {
        let message = format!("`{dialect}` cannot hold everything in the template");
        let mut failure = Failure::new(1, "lossy", message);
        failure
            .details
            .extend(written.losses.iter().map(convert::loss_text));
        return Err(failure.hint("`--lossy` leaves it out"));
    }
    for loss in &written.losses {
        convert::say_loss(session, loss);
    }
    Ok(written.files)
}

fn list_templates(session: &mut Session) -> Result<u8, Failure> {
    let templates: Vec<_> = library::all_templates(session)?
        .iter()
        .map(library::Template::to_api)
        .collect();
    if session.is_json() {
        let schema = TEMPLATES.to_owned();
        session.json(&Templates { schema, templates });
        return Ok(0);
    }
    for template in &templates {
        session.out.answer(format!(
            "{}  {}",
            paint(TITLE, &template.name),
            template.about
        ));
        let params: Vec<String> = template
            .params
            .iter()
            .map(|param| match &param.default {
                Some(default) => format!("{} (default: {default})", param.name),
                None => param.name.clone(),
            })
            .collect();
        session
            .out
            .answer(paint(DIM, format!("  {}", params.join(", "))));
    }
    session
        .out
        .say("`signoff new NAME --template TEMPLATE --set PARAM=VALUE …` begins a plan");
    Ok(0)
}
