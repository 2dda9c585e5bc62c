//! Commands that prepare a fresh tree of the project, guessed from its lockfiles.

use std::path::Path;

use signoff_work::project::lockfiles::GROUPS;

/// A command for `[run] prepare`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PrepareCommand {
    /// The lockfile that suggests it.
    pub(super) lockfile: &'static str,
    pub(super) command: String,
}

const PLACEHOLDER: &str = "# PREPARE\n";

/// The commands that could prepare a fresh tree of the project in this directory.
pub(super) fn proposals(directory: &Path) -> Vec<PrepareCommand> {
    let is_there = |name: &str| directory.join(name).is_file();
    let found = GROUPS.iter().filter_map(|group| {
        let mut group = group.iter();
        group.find(|(lockfile, _)| is_there(lockfile))
    });
    found
        .map(|(lockfile, command)| PrepareCommand {
            lockfile,
            // Yarn has another option from version 2 on.
            command: if *lockfile == "yarn.lock" && is_there(".yarnrc.yml") {
                "yarn install --immutable".to_owned()
            } else {
                (*command).to_owned()
            },
        })
        .collect()
}

/// The configuration with the commands as a comment, because nothing may run that nobody chose.
pub(super) fn in_config(config: &str, proposals: &[PrepareCommand]) -> String {
    let line = match proposals {
        [] => String::new(),
        proposals => {
            let quoted = |one: &PrepareCommand| format!("{:?}", one.command);
            let commands: Vec<String> = proposals.iter().map(quoted).collect();
            let lockfiles: Vec<&str> = proposals.iter().map(|one| one.lockfile).collect();
            format!(
                "# prepare = [{}]   # not built in, proposed from {}: runs once for each run, and prepares its trees\n",
                commands.join(", "),
                lockfiles.join(", ")
            )
        }
    };
    config.replace(PLACEHOLDER, &line)
}

#[cfg(test)]
mod tests {
    use signoff_store::config::{Config, Layers};

    use super::*;

    fn check(files: &[&str], expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        let found = proposals(dir.path());
        let commands: Vec<&str> = found.iter().map(|one| one.command.as_str()).collect();
        assert_eq!(commands, expected, "{files:?}");
    }

    #[test]
    fn each_lockfile_has_its_command() {
        check(&["Cargo.lock", "go.sum", "package.json"], &[]);
        check(&["package-lock.json"], &["npm ci"]);
        check(&["yarn.lock"], &["yarn install --frozen-lockfile"]);
        check(&["yarn.lock", ".yarnrc.yml"], &["yarn install --immutable"]);
        check(&["uv.lock", "requirements.txt"], &["uv sync --frozen"]);
        check(
            &["pnpm-lock.yaml", "poetry.lock"],
            &["pnpm install --frozen-lockfile", "poetry install"],
        );
        check(
            &["Gemfile.lock", "composer.lock"],
            &["bundle install", "composer install"],
        );
    }

    #[test]
    fn the_comment_is_a_setting_once_it_is_taken_out() {
        let config = in_config(
            "[run]\n# PREPARE\n",
            &[PrepareCommand {
                lockfile: "package-lock.json",
                command: "npm ci".to_owned(),
            }],
        );
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, config.replace("# prepare", "prepare")).unwrap();
        let layers = Layers {
            project: Some(path),
            ..Layers::default()
        };
        assert_eq!(Config::load(&layers).unwrap().run.prepare.value, ["npm ci"]);
        assert_eq!(in_config("[run]\n# PREPARE\n", &[]), "[run]\n");
    }
}
