//! The pages in docs/checks: what each check looks for, and a plan that shows it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::invocation::{Invocation, root};

pub(crate) const PAGES: &str = "docs/checks";
const EXAMPLES: &str = "docs/checks/examples";

/// Extensions of plans, and the language of their fence.
const EXTENSIONS: [(&str, &str); 3] = [("md", "markdown"), ("yaml", "yaml"), ("json", "json")];

/// Path and contents of every page.
pub(crate) fn pages(signoff: &str) -> Result<BTreeMap<PathBuf, String>, String> {
    let printed = Invocation::new(signoff, ["explain", "--format", "json"]).stdout()?;
    let checks: Value = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
    let mut pages = BTreeMap::new();
    let mut index = vec![String::from(
        "# Checks\n\nWhat `signoff verify` looks for. `signoff explain CODE` shows a page in the terminal.\n\n\
         | code | severity | what |\n|---|---|---|\n",
    )];
    for check in checks["checks"].as_array().into_iter().flatten() {
        let code = text(check, "code");
        let what = text(check, "what").replace('\n', " ");
        let severity = severity(check);
        index.push(format!(
            "| [`{code}`]({code}.md) | {severity} | {} |\n",
            what.replace('|', "\\|")
        ));
        pages.insert(page_path(code), page(check, &severity, signoff)?);
    }
    pages.insert(Path::new(PAGES).join("README.md"), index.concat());
    Ok(pages)
}

fn page_path(code: &str) -> PathBuf {
    Path::new(PAGES).join(format!("{code}.md"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().expect("`explain` gives every member")
}

/// Where it is an error, and where a warning.
fn severity(check: &Value) -> String {
    let of = |wanted: &str| {
        let all = check["severity"].as_object().into_iter().flatten();
        let names = all.filter(|(_, severity)| *severity == wanted);
        names.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    };
    match (of("error"), of("warning")) {
        (errors, warnings) if errors.is_empty() && warnings.is_empty() => "note".to_owned(),
        (_, warnings) if warnings.is_empty() => "error".to_owned(),
        (errors, _) if errors.is_empty() => "warning".to_owned(),
        (errors, _) => format!("error in {}, else warning", errors.join(" and ")),
    }
}

fn page(check: &Value, severity: &str, signoff: &str) -> Result<String, String> {
    let code = text(check, "code");
    let everywhere = if check["environmental"] == true && severity != "error" {
        "; an error everywhere when the plan is signed or run"
    } else {
        ""
    };
    let mut page = vec![format!(
        "# {code}\n\n{}\n\nSeverity: {severity}{everywhere}.\n",
        text(check, "what")
    )];
    for (heading, name) in [
        ("Why", "why"),
        ("Example", "example"),
        ("Instead", "instead"),
    ] {
        page.push(format!("\n## {heading}\n\n{}\n", text(check, name)));
    }
    if let Some(example) = Example::find(code) {
        page.push(format!("\n## Shown\n\n{}", example.render(signoff)?));
    }
    Ok(page.concat())
}

/// A plan that has the problem.
struct Example {
    /// Path in the reader's directory, language of the fence, text.
    files: Vec<(String, &'static str, String)>,
    /// Commands that make the plan, where its text cannot be shown.
    commands: String,
    /// What is verified.
    target: String,
    /// A variable that it is verified with, where the problem is one of the surroundings.
    variable: Option<String>,
}

impl Example {
    fn find(code: &str) -> Option<Self> {
        let read = |name: &str| fs::read_to_string(root().join(EXAMPLES).join(name)).ok();
        let mut example = Self {
            files: Vec::new(),
            commands: String::new(),
            target: "plan.md".to_owned(),
            variable: read(&format!("{code}.env")),
        };
        if let Some(config) = read(&format!("{code}.toml")) {
            let path = ".signoff/config.toml".to_owned();
            example.files.push((path, "toml", config));
        }
        for (ending, language) in EXTENSIONS {
            if let Some(text) = read(&format!("{code}.{ending}")) {
                example.target = format!("plan.{ending}");
                example.files.push((example.target.clone(), language, text));
                return Some(example);
            }
        }
        if let Some(commands) = read(&format!("{code}.sh")) {
            example.commands = commands;
            return Some(example);
        }
        let plan = read(&format!("{code}/plan.md"))?;
        "plan".clone_into(&mut example.target);
        example
            .files
            .push(("plan/plan.md".to_owned(), "markdown", plan));
        let tasks = root().join(EXAMPLES).join(code).join("tasks");
        let entries = fs::read_dir(tasks).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        for name in names {
            let text = read(&format!("{code}/tasks/{name}"))?;
            example
                .files
                .push((format!("plan/tasks/{name}"), "markdown", text));
        }
        Some(example)
    }

    /// The plan, and the real output of `verify`.
    fn render(&self, signoff: &str) -> Result<String, String> {
        let mut shown: Vec<String> = self
            .files
            .iter()
            .map(|(path, language, text)| format!("````{language} file={path}\n{text}````\n\n"))
            .collect();
        shown.push("```console\n".to_owned());
        if !self.commands.is_empty() {
            // As a terminal shows a command of several lines.
            let lines: Vec<&str> = self.commands.lines().collect();
            shown.push(format!("$ {}\n", lines.join(" \\\n")));
        }
        let mut command = format!("signoff verify {} --format concise", self.target);
        if let Some(variable) = &self.variable {
            command = format!("{} {command}", variable.trim());
        }
        let (output, code) = self.run(signoff, &command)?;
        shown.push(format!("$ {command}\n{output}"));
        if code != 0 {
            shown.push(format!("? {code}\n"));
        }
        shown.push("```\n".to_owned());
        Ok(shown.concat())
    }

    /// Runs the command where the plan is, as a reader would: nothing of this machine around it.
    fn run(&self, signoff: &str, command: &str) -> Result<(String, i32), String> {
        let directory = std::env::temp_dir().join(format!("xtask-checks-{}", std::process::id()));
        let fail = |error: std::io::Error| format!("{}: {error}", directory.display());
        let project = directory.join("project");
        fs::create_dir_all(directory.join("bin")).map_err(fail)?;
        for (path, _, text) in &self.files {
            let target = project.join(path);
            fs::create_dir_all(target.parent().unwrap_or(&project)).map_err(fail)?;
            fs::write(target, text).map_err(fail)?;
        }
        fs::create_dir_all(&project).map_err(fail)?;
        symlink(signoff, directory.join("bin/signoff")).map_err(fail)?;
        let output = std::process::Command::new("bash")
            .args(["--norc", "-c"])
            .arg(format!("exec 2>&1\n{}\n{command}", self.commands))
            .env_clear()
            .env(
                "PATH",
                format!(
                    "{}:/usr/local/bin:/usr/bin:/bin",
                    directory.join("bin").display()
                ),
            )
            .env("HOME", &directory)
            .env("LANG", "C.UTF-8")
            .env("NO_COLOR", "1")
            .current_dir(&project)
            .output()
            .map_err(fail)?;
        fs::remove_dir_all(&directory).map_err(fail)?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok((text, output.status.code().unwrap_or(-1)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn severities_are_summed_up() {
        let of = |workunit, thread| {
            severity(&json!({"severity": {"workunit": workunit, "thread": thread}}))
        };
        assert_eq!(of("error", "error"), "error");
        assert_eq!(of("warning", "warning"), "warning");
        assert_eq!(of("note", "note"), "note");
        assert_eq!(of("error", "warning"), "error in workunit, else warning");
    }
}
