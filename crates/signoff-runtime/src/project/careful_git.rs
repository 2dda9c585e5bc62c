//! Runs git in a person's checkout, outside of any sandbox, so that it starts no program that the repository's
//! configuration names.
//!
//! Whoever can write that configuration can name programs in it: monitors, hooks, filters. Each filter has a name of its
//! own, so they are listed first, which runs nothing, and then each is switched off.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, StartError, Stdin};
use signoff_work::environment::path_outside;
pub use signoff_work::git::NO_PROGRAMS;

use super::ProcessContext;

/// Variables with their values.
pub type Environment = Vec<(OsString, OsString)>;

const PATIENCE: Duration = Duration::from_secs(5);

/// The environment in which git reads this directory and starts no program; `None` if git does not say what it would
/// start.
pub fn careful_environment(
    sandbox: &Sandbox,
    process: &ProcessContext,
    directory: &Path,
) -> Result<Option<Environment>, StartError> {
    let mut env = base_environment(process, directory);
    let words = ["git", "config", "--list", "--null", "--name-only"];
    let ended = sandbox.run(git_command(&words, directory, env.clone()))?;
    let names = ended.stdout.bytes();
    let names = names.filter(|_| matches!(ended.status, ExitStatus::Exited(0)));
    Ok(names.map(|names| {
        env.extend(variables(&settings(&names)));
        env
    }))
}

/// Asks git something about this directory.
pub(crate) fn git_command(words: &[&str], directory: &Path, env: Environment) -> Command {
    Command {
        argv: words.iter().map(OsString::from).collect(),
        cwd: directory.to_owned(),
        env,
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(PATIENCE),
            output: 4 << 20,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    }
}

/// The person's own, without what points git elsewhere.
fn base_environment(process: &ProcessContext, directory: &Path) -> Environment {
    let kept = ["HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME"];
    let own = process.variables.iter();
    let own = own.filter(|(name, _)| kept.map(OsStr::new).contains(&name.as_os_str()));
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    // A `git` in the tree that agents write to must not be run.
    let path = path_outside(&process.path(), directory);
    let fixed = [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        // An object that is missing is not fetched: that would start programs.
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", ""),
    ];
    let fixed = fixed.map(|(name, value)| (name.into(), value.into()));
    own.chain(fixed).chain([("PATH".into(), path)]).collect()
}

/// The overriding settings for a configuration with these names, each ending in NUL.
fn settings(names: &[u8]) -> Vec<(Vec<u8>, &'static str)> {
    let mut settings: Vec<(Vec<u8>, &str)> =
        NO_PROGRAMS.map(|(name, value)| (name.into(), value)).into();
    let mut add = |section: &str, middle: &[u8], values: &[(&str, &'static str)]| {
        for (last, value) in values {
            let name = [section.as_bytes(), middle, b".", last.as_bytes()].concat();
            if !settings.iter().any(|(known, _)| *known == name) {
                settings.push((name, value));
            }
        }
    };
    for name in names.split(|byte| *byte == 0) {
        // The name of a filter may contain dots.
        let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else {
            continue;
        };
        let (start, _) = name.split_at(dot);
        if let Some(filter) = start.strip_prefix(b"filter.") {
            let off = [
                ("clean", ""),
                ("smudge", ""),
                ("process", ""),
                ("required", "false"),
            ];
            add("filter.", filter, &off);
        } else if let Some(hook) = start.strip_prefix(b"hook.") {
            add("hook.", hook, &[("enabled", "false")]);
        }
    }
    settings
}

/// In the environment rather than by `-c`: a name may hold `=`.
fn variables(settings: &[(Vec<u8>, &str)]) -> Environment {
    let count = ("GIT_CONFIG_COUNT".into(), settings.len().to_string().into());
    let each = settings.iter().enumerate().flat_map(|(at, (name, value))| {
        [
            (
                format!("GIT_CONFIG_KEY_{at}").into(),
                OsString::from_vec(name.clone()),
            ),
            (format!("GIT_CONFIG_VALUE_{at}").into(), value.into()),
        ]
    });
    [count].into_iter().chain(each).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::{fs, process};

    use super::*;
    use crate::project::Project;
    use crate::project::uncommitted::uncommitted_files;

    /// What filters may be called.
    const NAMES: [&str; 5] = ["evil", "a.b.c", "a=b", "Ä", "x.clean"];

    fn git(process: &ProcessContext, words: &[&str]) {
        let mut command = process::Command::new("git");
        command
            .args(["-c", "user.name=p", "-c", "user.email=p@x"])
            .args(words)
            .current_dir(&process.directory)
            .env("HOME", &process.variables[OsStr::new("HOME")]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    /// A checkout with a changed file for each filter, of the size that it had: git has to read it.
    fn hostile(folder: &Path, part: &str) -> ProcessContext {
        let (repo, evil) = (folder.join("repo"), folder.join("evil"));
        fs::create_dir_all(repo.join(".signoff")).unwrap();
        let canary = folder.join("canary");
        fs::write(
            &evil,
            format!("#!/bin/sh\necho >> {}\ncat\n", canary.display()),
        )
        .unwrap();
        fs::set_permissions(&evil, PermissionsExt::from_mode(0o755)).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let process = ProcessContext {
            variables: [("PATH".into(), path), ("HOME".into(), folder.into())].into(),
            directory: repo.clone(),
            user_config: None,
            state_dir: None,
            person: "p".to_owned(),
            services: crate::project::ExternalServices::default(),
        };
        git(&process, &["init", "-q"]);
        let put = |text: &str| {
            for name in NAMES {
                fs::write(repo.join(name), text).unwrap();
            }
        };
        put("1\n");
        let lines = NAMES.map(|name| format!("{name} filter={name}\n"));
        fs::write(repo.join(".gitattributes"), lines.concat()).unwrap();
        git(&process, &["add", "-A"]);
        git(&process, &["commit", "-q", "-m", "first"]);
        for name in NAMES {
            let evil = evil.to_str().unwrap();
            git(
                &process,
                &["config", &format!("filter.{name}.{part}"), evil],
            );
            git(
                &process,
                &["config", &format!("filter.{name}.required"), "true"],
            );
        }
        git(
            &process,
            &["config", "core.fsmonitor", evil.to_str().unwrap()],
        );
        put("2\n");
        process
    }

    #[test]
    fn no_program_that_the_configuration_names_is_run() {
        for part in ["clean", "process"] {
            let folder = tempfile::tempdir().unwrap();
            let process = hostile(folder.path(), part);
            let project = Project::open(&process).unwrap();
            let mut found = uncommitted_files(&project).unwrap();
            found.sort();
            assert_eq!(found, ["a.b.c", "a=b", "evil", "x.clean", "Ä"]);
            let canary = folder.path().join("canary");
            assert!(!canary.exists(), "{part}: something was run");
            // The canary does sing.
            let status = process::Command::new("git")
                .args(["-c", "core.fsmonitor=false", "status"])
                .current_dir(&process.directory)
                .output();
            assert!(canary.exists(), "{part}: {status:?}");
        }
    }

    #[test]
    fn every_filter_and_hook_is_switched_off_once() {
        let names = b"filter.a.b.clean\0filter.a.b.smudge\0hook.h.command\0core.bare\0odd\0";
        let found = settings(names).split_off(NO_PROGRAMS.len());
        let found: Vec<String> = found
            .into_iter()
            .map(|(name, value)| format!("{}={value}", name.escape_ascii()))
            .collect();
        assert_eq!(
            found,
            [
                "filter.a.b.clean=",
                "filter.a.b.smudge=",
                "filter.a.b.process=",
                "filter.a.b.required=false",
                "hook.h.enabled=false",
            ]
        );
    }
}
