//! `new`: begins a plan from a template, or from a plan there is.

mod library;
mod origin;
mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use signoff_api::plan_ref::{PlanRef, SCHEMA};
use signoff_api::templates::{SCHEMA as TEMPLATES, Templates};
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::source::Source;
use signoff_plan::write::write;
use signoff_runtime::plan_file::PlanFile;

use super::convert;
use crate::args::New;
use crate::failure::Failure;
use crate::new_files;
use crate::plan_paths::{is_stdin, workspace};
use crate::report::style::{DIM, TITLE, paint};
use crate::session::Session;

pub(crate) fn new(session: &mut Session, args: &New) -> Result<u8, Failure> {
    if args.list {
        return list(session);
    }
    let (label, text) = match (&args.template, &args.from) {
        (Some(name), _) => (
            format!("template `{name}`"),
            library::find(session, name)?.text,
        ),
        (None, Some(path)) => (path.display().to_string(), origin::text(session, path)?),
        (None, None) => {
            let message = "a plan is begun from a template or from another plan";
            return Err(Failure::new(2, "usage", message)
                .hint("`signoff new --list` shows the templates; then `--template NAME`")
                .hint("`--from PLAN` takes a plan that is there"));
        }
    };
    if let Some(name) = &args.save {
        return save(session, name, &text, args);
    }
    let text = filled(&label, &text, args)?;
    let files = match args.dialect {
        None | Some(Dialect::Workunit) => vec![(String::new(), text)],
        Some(dialect) => in_dialect(session, &text, dialect)?,
    };
    match target(args) {
        Some(shown) => begin(session, &shown, &files, args),
        None => {
            for (_, text) in &files {
                session.out.raw(text.as_bytes());
            }
            Ok(0)
        }
    }
}

/// Writes the plan and says what comes next.
fn begin(
    session: &mut Session,
    shown: &Path,
    files: &[(String, String)],
    args: &New,
) -> Result<u8, Failure> {
    let target = session.around.directory.join(shown);
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
        };
        session.json(&shape);
        return Ok(0);
    }
    let steps = plan.checked.plan.steps.len();
    session.out.answer(format!("wrote {name}: {steps} steps"));
    let next = if plan.checked.errors() > 0 {
        format!("next: `signoff verify {name}` shows what is missing here")
    } else {
        format!("next: read it, make it yours, then `signoff verify {name}`")
    };
    session.out.say(paint(DIM, next));
    Ok(0)
}

/// Where the plan goes; `None` is stdout.
fn target(args: &New) -> Option<PathBuf> {
    match (&args.output, &args.name) {
        (Some(path), _) => (!is_stdin(path)).then(|| path.clone()),
        (None, Some(name)) => {
            let ending = match args.dialect {
                Some(Dialect::Thread) => "",
                Some(Dialect::Record) => ".yaml",
                Some(Dialect::Toolplan) => ".json",
                Some(Dialect::Workunit | Dialect::Proposal) | None => ".md",
            };
            Some(PathBuf::from(format!("{}{ending}", stem(name))))
        }
        (None, None) => None,
    }
}

/// A name, also if somebody typed the file's.
fn stem(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

/// The text with every place filled; everything that is missing or means nothing is said at once.
fn filled(label: &str, text: &str, args: &New) -> Result<String, Failure> {
    let name = args.name.as_deref().map(stem);
    let mut problems = Vec::new();
    if let Some(name) = name.filter(|name| name.is_empty() || name.contains(['/', '\0', '\n'])) {
        problems.push(format!("`{name}` is no name; `-o` takes a path"));
    }
    let places = template::places(text);
    let declared = origin::params(text);
    let mut values = BTreeMap::new();
    for pair in &args.set {
        match pair.split_once('=') {
            Some((param, value)) if places.iter().any(|place| place == param) => {
                values.insert(param.to_owned(), value.to_owned());
            }
            Some((param, _)) => problems.push(unknown(label, param, &places)),
            None => problems.push(format!("`--set {pair}` has no `=`")),
        }
    }
    for place in places.iter().filter(|place| !declared.contains(place)) {
        if values.contains_key(place) {
            continue;
        }
        match name.and_then(|name| library::default(place, name)) {
            Some(value) => {
                values.insert(place.clone(), value);
            }
            None => problems.push(format!("`{place}` is not given: `--set {place}=…`")),
        }
    }
    if !problems.is_empty() {
        let mut failure = Failure::new(2, "params", format!("{label} cannot be filled"));
        failure.details = problems;
        return Err(failure.hint("`signoff new --list` shows what each template needs"));
    }
    same_shape(text, template::fill(text, &values))
}

fn unknown(label: &str, param: &str, places: &[String]) -> String {
    let near = places
        .iter()
        .map(|place| (strsim::damerau_levenshtein(place, param), place))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, near)) => format!("{label} has no `{param}`; did you mean `{near}`?"),
        None => format!("{label} has no `{param}`; it has {}", places.join(", ")),
    }
}

/// Refuses values that would make other steps or fields of the plan.
fn same_shape(before: &str, after: String) -> Result<String, Failure> {
    let shape = |text: &str| {
        let draft = parse(&Source::new("<template>", text.as_bytes().to_vec()));
        let steps: Vec<_> = draft
            .steps
            .iter()
            .map(|step| {
                let id = step.id.as_ref().map(|id| id.value.clone());
                (
                    id,
                    step.target.is_some(),
                    step.contract.is_some(),
                    step.on_fail.is_some(),
                )
            })
            .collect();
        (draft.dialect, steps)
    };
    if shape(before) == shape(&after) {
        return Ok(after);
    }
    let message = "a value would change which steps and fields the plan has";
    Err(Failure::new(2, "params", message).hint(
        "a value may have several lines, but none that is a heading, a label or a fence of a plan",
    ))
}

/// The plan in another dialect, which must be able to hold all that a signature covers.
fn in_dialect(
    session: &Session,
    text: &str,
    dialect: Dialect,
) -> Result<Vec<(String, String)>, Failure> {
    let source = Source::new("<template>", text.as_bytes().to_vec());
    let workspace = workspace(session)?;
    let plan = PlanFile::from_source(Path::new(""), source, None, &workspace);
    let written = write(&plan.checked.plan, dialect);
    let again = convert::source(&written);
    let again = PlanFile::from_source(Path::new(""), again, Some(dialect), &workspace);
    // Who owns a plan that nobody has begun yet, and its status, are no loss.
    if again.digest() == plan.digest() {
        return Ok(written.files);
    }
    let message = format!("the template holds what `{dialect}` cannot hold");
    let mut failure = Failure::new(1, "lossy", message);
    failure
        .details
        .extend(written.losses.iter().map(convert::said));
    Err(failure.hint("begin it without `--dialect`, then `signoff convert --lossy`"))
}

/// Keeps a text as a template of the project.
fn save(session: &mut Session, name: &str, text: &str, args: &New) -> Result<u8, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        let message = format!("`{name}` is no name for a template");
        return Err(Failure::new(2, "usage", message).hint("letters, digits, `-` and `_`"));
    }
    let project = session.project()?;
    let path = project
        .store
        .dir()
        .join("templates")
        .join(format!("{name}.md"));
    let text = if args.set.is_empty() {
        text.to_owned()
    } else {
        filled_partly(text, &args.set)?
    };
    let shown = PathBuf::from(format!(".signoff/templates/{name}.md"));
    new_files::write(&path, &shown, &[(String::new(), text.clone())], args.force)?;
    let params = template::places(&text);
    let needs = if params.is_empty() {
        "it has no parameters: write `{{ params.NAME }}` where plans differ".to_owned()
    } else {
        format!("parameters: {}", params.join(", "))
    };
    session
        .out
        .say(format!("wrote {}; {needs}", shown.display()));
    Ok(0)
}

/// With `--save`, `--set name=text` turns a text into a place of that name.
fn filled_partly(text: &str, set: &[String]) -> Result<String, Failure> {
    let mut text = text.to_owned();
    let mut failure = Failure::new(2, "params", "not every parameter can be made");
    for pair in set {
        match pair.split_once('=') {
            Some((name, value)) if !value.is_empty() && text.contains(value) => {
                text = text.replace(value, &format!("{{{{ params.{name} }}}}"));
            }
            _ => failure
                .details
                .push(format!("`--set {pair}`: the plan has no such text")),
        }
    }
    if failure.details.is_empty() {
        return Ok(text);
    }
    Err(failure.hint("with `--save`, `--set NAME=TEXT` makes a parameter of a text of the plan"))
}

fn list(session: &mut Session) -> Result<u8, Failure> {
    let templates: Vec<_> = library::all(session)?
        .iter()
        .map(library::Template::shape)
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
                Some(default) => format!("{} (else {default})", param.name),
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
