//! `cargo xtask gen`: files in the repository that are made from the code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::invocation::{Invocation, root};
use crate::{Command, checks, picture, security};

pub(crate) const COMMAND: Command = Command {
    name: "gen",
    summary: "Write the generated files: docs/schemas/*.json, docs/checks/*.md, docs/demo.svg and the tables of docs/security.md",
    flag: Some(("--check", "change nothing, and fail if a file would change")),
    details: "\
The schemas are those of signoff-api. The pages of the checks are their modules' documentation, each
with a plan of docs/checks/examples and what `signoff verify` says about it. The picture is what
`signoff demo` prints, rendered as SVG. The tables of attacks are those that the tests perform.",
    run: |check_only| if check_only { check() } else { write() },
};

const SCHEMAS: &str = "docs/schemas";
const PICTURE: &str = "docs/demo.svg";

/// Fails, naming every generated file that is not what the code makes.
pub(crate) fn check() -> Result<(), String> {
    let differences = compare(&root(), &generated_files()?)?;
    if differences.is_empty() {
        return Ok(());
    }
    let list = differences.join("\n  ");
    Err(format!(
        "generated files are out of date:\n  {list}\n  = help: cargo xtask gen"
    ))
}

fn write() -> Result<(), String> {
    let (root, files) = (root(), generated_files()?);
    let differences = compare(&root, &files)?;
    for path in stray_files(&root, &files)? {
        fs::remove_file(root.join(&path)).map_err(|error| at(&path, &error))?;
    }
    for (path, text) in &files {
        let target = root.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| at(parent, &error))?;
        }
        fs::write(&target, text).map_err(|error| at(path, &error))?;
    }
    for line in &differences {
        println!("{line}");
    }
    println!("{} files, {} changed", files.len(), differences.len());
    Ok(())
}

/// Path and contents of every generated file.
fn generated_files() -> Result<BTreeMap<PathBuf, String>, String> {
    let programs = build()?;
    let program = |name: &str| {
        programs
            .get(name)
            .ok_or_else(|| format!("cargo built no program called `{name}`"))
    };
    let schemas = Invocation::new(program("schemas")?.as_str(), []).stdout()?;
    let mut files = schema_files(&schemas)?;
    files.extend(checks::pages(program("signoff")?)?);
    files.insert(security::PAGE.into(), security::page()?);
    files.insert(PICTURE.into(), picture::render(program("signoff")?)?);
    Ok(files)
}

/// Where a program of the workspace is, after it was built as the generated files and the tests have it.
pub(crate) fn build_program(name: &str) -> Result<String, String> {
    let program = build()?.remove(name);
    program.ok_or_else(|| format!("cargo built no program called `{name}`"))
}

/// Builds the programs that are asked for the contents; returns where they are, by name.
// Examples are among the targets, and the whole workspace is built, so that cargo resolves features
// as it does for the tests and can use what they built.
fn build() -> Result<BTreeMap<String, String>, String> {
    let messages = Invocation::cargo([
        "build",
        "--locked",
        "--workspace",
        "--all-features",
        "--bins",
        "--examples",
        "--message-format=json-render-diagnostics",
    ])
    .stdout()?;
    Ok(messages.lines().filter_map(executable).collect())
}

/// Name and path of the program that this line of cargo's messages announces.
pub(crate) fn executable(line: &str) -> Option<(String, String)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let path = message["executable"].as_str()?;
    let name = message["target"]["name"].as_str()?;
    Some((name.to_owned(), path.to_owned()))
}

fn schema_files(printed: &str) -> Result<BTreeMap<PathBuf, String>, String> {
    let schemas: Map<String, Value> =
        serde_json::from_str(printed).map_err(|error| format!("schemas: {error}"))?;
    Ok(schemas
        .iter()
        .map(|(name, schema)| {
            let path = format!("{SCHEMAS}/{}.json", name.replace('/', "."));
            (path.into(), format!("{schema:#}\n"))
        })
        .collect())
}

/// One line for every file that is missing, different or no longer generated.
fn compare(root: &Path, files: &BTreeMap<PathBuf, String>) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for (path, text) in files {
        match fs::read_to_string(root.join(path)) {
            Ok(found) if found == *text => {}
            Ok(found) => lines.push(format!(
                "{} differs from line {}",
                path.display(),
                first_difference(&found, text)
            )),
            Err(_) => lines.push(format!("{} is missing", path.display())),
        }
    }
    for path in stray_files(root, files)? {
        lines.push(format!("{} is no longer generated", path.display()));
    }
    Ok(lines)
}

/// Files among the generated ones that nothing is behind any more.
fn stray_files(root: &Path, files: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for (folder, wanted) in [(SCHEMAS, "json"), (checks::PAGES, "md")] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else {
            continue;
        };
        for entry in entries {
            let name = entry.map_err(|error| error.to_string())?.file_name();
            let path = Path::new(folder).join(name);
            let ours = path.extension().is_some_and(|ending| ending == wanted);
            if ours && !files.contains_key(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn first_difference(found: &str, wanted: &str) -> usize {
    let same = found
        .lines()
        .zip(wanted.lines())
        .take_while(|(a, b)| a == b);
    same.count() + 1
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_named_after_its_shape() {
        let files = schema_files(r#"{"signoff.plan/1": {"type": "object"}}"#).unwrap();
        let text = &files[Path::new("docs/schemas/signoff.plan.1.json")];
        assert_eq!(text, "{\n  \"type\": \"object\"\n}\n");
    }

    #[test]
    fn finds_programs_in_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","target":{"name":"signoff"},"executable":"/t/signoff"}"#;
        assert_eq!(
            executable(line),
            Some(("signoff".to_owned(), "/t/signoff".to_owned()))
        );
        assert_eq!(executable(r#"{"reason":"build-finished"}"#), None);
    }

    #[test]
    fn reports_missing_different_and_stray_files() {
        let root = std::env::temp_dir().join(format!("xtask-gen-{}", std::process::id()));
        fs::create_dir_all(root.join(SCHEMAS)).unwrap();
        fs::write(root.join("docs/schemas/a.json"), "1\n2\n").unwrap();
        fs::write(root.join("docs/schemas/old.json"), "").unwrap();
        let files = [("a", "1\n3\n"), ("b", "")]
            .map(|(name, text)| (format!("{SCHEMAS}/{name}.json").into(), text.to_owned()));
        let lines = compare(&root, &BTreeMap::from(files)).unwrap();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(
            lines,
            [
                "docs/schemas/a.json differs from line 2",
                "docs/schemas/b.json is missing",
                "docs/schemas/old.json is no longer generated",
            ]
        );
    }
}
