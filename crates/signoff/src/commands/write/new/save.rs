//! Saves a text as a template of the project.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::values::{declared_params, misplaced_values, parse_pairs, required_params};
use super::{library, template};
use crate::args::New;
use crate::failure::Failure;
use crate::new_files;
use crate::session::Session;

/// Writes the template and prints its parameters.
pub(super) fn save(
    session: &mut Session,
    name: &str,
    text: &str,
    args: &New,
) -> Result<u8, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        let message = format!("`{name}` is not a name for a template");
        return Err(Failure::new(2, "usage", message).hint("letters, digits, `-` and `_`"));
    }
    let built_in = library::is_built_in(name);
    if built_in && !args.force {
        let message = format!("`{name}` is a built-in template");
        return Err(Failure::new(5, "exists", message)
            .hint("save it under another name, or replace the built-in one with `--force`"));
    }
    let text = with_placeholders(text, &args.set)?;
    let path = session.project()?.store.dir().join("templates");
    let path = path.join(format!("{name}.md"));
    let shown = PathBuf::from(format!(".signoff/templates/{name}.md"));
    new_files::write(&path, &shown, &[(String::new(), text.clone())], args.force)?;
    let params = required_params(&text);
    let needs = if params.is_empty() {
        "it has no parameters: write `{{ params.NAME }}` where plans should differ".to_owned()
    } else {
        format!("parameters: {}", params.join(", "))
    };
    let line = format!("wrote {}; {needs}", shown.display());
    session.out.say(line);
    if built_in {
        let line = format!("it now replaces the built-in template `{name}` in this project");
        session.out.say(line);
    }
    Ok(0)
}

/// With `--save`, `--set name=text` turns each such text into a placeholder of that name.
fn with_placeholders(text: &str, set: &[String]) -> Result<String, Failure> {
    let mut problems = Vec::new();
    let declared = declared_params(text);
    let known = template::placeholders(text);
    let mut values = BTreeMap::new();
    for (name, value) in parse_pairs(set, &mut problems) {
        let taken = |why: &str| format!("`--set {name}=…`: {why}; give it another name");
        if !template::is_name(name) {
            problems.push(format!("`{name}` is not a name: letters, digits and `_`"));
        } else if declared.iter().any(|other| other == name) {
            problems.push(taken("the plan itself declares a parameter of that name"));
        } else if known.iter().any(|other| other == name) {
            problems.push(taken("the plan already has a placeholder of that name"));
        } else if !text.contains(value) {
            problems.push(format!(
                "`--set {name}={value}`: the plan does not contain this text"
            ));
        } else {
            values.insert(name.to_owned(), value.to_owned());
        }
    }
    let made = template::insert_placeholders(text, &values);
    if problems.is_empty() {
        // Each placeholder must stand where a value may stand.
        problems = misplaced_values(&made, &values);
        let missing = values
            .keys()
            .filter(|name| !template::placeholders(&made).contains(name));
        problems.extend(missing.map(|name| {
            format!("`{name}`: its text occurs only inside the text of another parameter")
        }));
    }
    if problems.is_empty() {
        return Ok(made);
    }
    let mut failure = Failure::new(2, "params", "cannot make every parameter");
    failure.details = problems;
    Err(failure.hint("with `--save`, `--set NAME=TEXT` turns a text of the plan into a parameter"))
}
