//! What a person types after `init`.

use std::path::Path;

use signoff_runtime::doctor::agents::LocalAgent;
use signoff_runtime::project::Project;
use signoff_runtime::trust::Trust;
use signoff_store::config::DriverName;

use super::agents::is_logged_in;
use crate::session::Session;
use crate::shell_words::shell_word;

/// The command that runs a project's tests, by a file that the project has.
const TESTS: [(&str, &str); 8] = [
    ("Cargo.toml", "cargo test"),
    ("package.json", "npm test"),
    ("go.mod", "go test ./..."),
    ("pyproject.toml", "pytest"),
    ("setup.py", "pytest"),
    ("Gemfile", "bundle exec rake test"),
    ("pom.xml", "mvn -q test"),
    ("Makefile", "make test"),
];

/// What a person types next: what is in the way of a plan, or a command that begins one.
pub(super) fn next_step(session: &Session, installed: &[LocalAgent]) -> String {
    let Ok(project) = Project::open(&session.process) else {
        return "`signoff config` shows what is wrong with the settings".to_owned();
    };
    match project.trust() {
        Trust::Changed(_) => {
            return "read the files that `signoff doctor` names, then type `signoff trust`"
                .to_owned();
        }
        Trust::Missing(_) => {
            return "read .signoff/config.toml, then type `signoff trust`".to_owned();
        }
        Trust::NotNeeded | Trust::Given => {}
    }
    let Some((_, agent)) = project.config.agent_for_role(None) else {
        let [preferred, ..] = DriverName::ALL;
        let advice = signoff_work::confine::agent_advice(preferred.name());
        let install = advice.map_or(String::new(), |advice| {
            format!(", for example by `{}`", advice.install)
        });
        return format!("install an agent{install}; then `signoff init` writes roles for it");
    };
    let used = installed.iter().find(|one| one.driver == agent.driver);
    let log_in = used.filter(|agent| !is_logged_in(agent)).map(|agent| {
        let name = agent.driver.name();
        format!("log in to {name} ({}); then ", agent.advice.log_in)
    });
    format!(
        "{}`{}` writes a plan; `signoff run fix.md --approve` runs it",
        log_in.unwrap_or_default(),
        first_plan(&session.process.directory)
    )
}

/// A command that writes a first plan for the project in this directory.
fn first_plan(directory: &Path) -> String {
    let mut tests = TESTS.iter();
    let test = tests.find(|(file, _)| directory.join(file).is_file());
    let test = test.map_or("make test", |(_, command)| command);
    format!(
        "signoff new fix.md --template bugfix --set problem='what is wrong' --set test={}",
        shell_word(test)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_plan_runs_the_projects_tests() {
        let dir = tempfile::tempdir().unwrap();
        let begins =
            "signoff new fix.md --template bugfix --set problem='what is wrong' --set test=";
        assert_eq!(first_plan(dir.path()), format!("{begins}'make test'"));
        std::fs::write(dir.path().join("package.json"), "{}").unwrap();
        assert_eq!(first_plan(dir.path()), format!("{begins}'npm test'"));
    }
}
