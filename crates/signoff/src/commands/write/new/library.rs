//! The templates: built in, and saved in the project.

use std::path::PathBuf;

use signoff_api::templates::{Param, Template as Shape};
use signoff_runtime::Error;
use signoff_store::root::discover;

use super::values::required_params;
use crate::failure::Failure;
use crate::session::Session;

/// A template.
pub(super) struct Template {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) path: Option<PathBuf>,
    pub(super) text: String,
}

/// Name, what it is for, text.
const BUILT_IN: [(&str, &str, &str); 5] = [
    (
        "bugfix",
        "a test that shows the bug, the fix, and a search for similar bugs",
        include_str!("../templates/bugfix.md"),
    ),
    (
        "feature",
        "notes, failing tests, the implementation, documentation",
        include_str!("../templates/feature.md"),
    ),
    (
        "refactor",
        "tests that pin the behaviour, the new structure, removal of the old one",
        include_str!("../templates/refactor.md"),
    ),
    (
        "migration",
        "an inventory, both versions side by side, the move, removal of the old one",
        include_str!("../templates/migration.md"),
    ),
    (
        "release",
        "a full test, the changelog, the version number",
        include_str!("../templates/release.md"),
    ),
];

/// Is a template of this name built in?
pub(super) fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(other, _, _)| *other == name)
}

/// The default value of a placeholder, made from the plan's name.
pub(super) fn default(param: &str, name: &str) -> Option<String> {
    match param {
        "name" => Some(name.to_owned()),
        "title" => Some(title(name)),
        "notes" => Some(format!("docs/{name}.md")),
        "path" => Some("src".to_owned()),
        "changelog" => Some("CHANGELOG.md".to_owned()),
        _ => None,
    }
}

/// `fix-the-login` as a title: `Fix the login`.
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// Every template, built-in ones first; a saved template replaces the built-in one of the same name.
pub(super) fn all_templates(session: &Session) -> Result<Vec<Template>, Failure> {
    let saved = saved_templates(session)?;
    let built_in = BUILT_IN
        .into_iter()
        .filter(|(name, _, _)| !saved.iter().any(|other| other.name == *name))
        .map(|(name, about, text)| Template {
            name: name.to_owned(),
            about: about.to_owned(),
            path: None,
            text: text.to_owned(),
        });
    let mut templates: Vec<Template> = built_in.collect();
    templates.extend(saved);
    Ok(templates)
}

/// Where a project keeps its templates.
pub(super) fn directory(session: &Session) -> Result<Option<PathBuf>, Failure> {
    let store = discover(&session.process.directory).map_err(Error::from)?;
    Ok(store.map(|store| store.dir().join("templates")))
}

fn saved_templates(session: &Session) -> Result<Vec<Template>, Failure> {
    let Some(directory) = directory(session)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&directory)
        .into_iter()
        .flatten()
        .flatten()
    {
        let path = entry.path();
        let (Some(name), true) = (
            path.file_stem().and_then(|name| name.to_str()),
            path.extension().is_some_and(|ending| ending == "md"),
        ) else {
            continue;
        };
        let text = std::fs::read_to_string(&path)
            .map_err(|why| Failure::new(6, "unreadable", format!("{}: {why}", path.display())))?;
        let heading = text.lines().find_map(|line| line.strip_prefix("# "));
        found.push(Template {
            name: name.to_owned(),
            about: heading.unwrap_or_default().trim().to_owned(),
            text,
            path: Some(path),
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The template of this name.
pub(super) fn find(session: &Session, name: &str) -> Result<Template, Failure> {
    let mut templates = all_templates(session)?;
    if let Some(at) = templates.iter().position(|one| one.name == name) {
        return Ok(templates.swap_remove(at));
    }
    let failure = Failure::new(
        2,
        "no-such-template",
        format!("there is no template `{name}`"),
    );
    let near = templates
        .iter()
        .map(|one| (strsim::damerau_levenshtein(&one.name, name), &one.name))
        .min()
        .filter(|(distance, near)| *distance <= near.len() / 2);
    Err(match near {
        Some((_, near)) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`signoff new --list` shows them"),
    })
}

impl Template {
    pub(super) fn to_api(&self) -> Shape {
        let params = required_params(&self.text).into_iter().map(|name| Param {
            default: default(&name, "NAME"),
            name,
        });
        Shape {
            name: self.name.clone(),
            about: self.about.clone(),
            path: self.path.as_ref().map(|path| path.display().to_string()),
            params: params.collect(),
        }
    }
}
