//! The projects that are measured.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

/// A clone of a repository with so many files, and a signed plan of independent agents.
pub(super) fn create_project(
    signoff: &str,
    directory: &Path,
    files: usize,
    agents: usize,
) -> Result<PathBuf, String> {
    let source = source(directory, files)?;
    let free = (1_u32..).map(|number| directory.join(number.to_string()).join("project"));
    let project = free.into_iter().find(|project| !project.exists());
    let project = project.ok_or("no directory is left")?;
    let (from, to) = (source.to_string_lossy(), project.to_string_lossy());
    // As after a fetch: all objects are in one pack.
    run_in(
        &source,
        &["git", "clone", "--quiet", "--no-local", &from, &to],
    )?;
    let config = "[run]\nland = \"end\"\n\n[agents.coder]\ndriver = \"command\"\ncommand = [\"sh\", \"agent.sh\", \"{prompt_file}\"]\n";
    write(&project, ".signoff/config.toml", config)?;
    write(&project, "plan.md", &plan(agents))?;
    run_in(&project, &[signoff, "trust"])?;
    run_in(&project, &[signoff, "approve", "plan.md"])?;
    Ok(project)
}

/// A repository with so many files.
fn source(directory: &Path, files: usize) -> Result<PathBuf, String> {
    let source = directory.join(format!("source-{files}")).join("project");
    if source.exists() {
        return Ok(source);
    }
    for file in 0..files {
        let text = format!("file {file}\n").repeat(20);
        write(&source, &format!("src/d{}/f{file}.txt", file / 100), &text)?;
    }
    let agent = "sleep 5\nsed -n 's/^Write //p' \"$1\" | while read f; do echo x > \"$f\"; done\n";
    write(&source, "agent.sh", agent)?;
    write(&source, ".gitignore", "/.signoff/\n/plan.md\n")?;
    for words in [
        ["git", "init", "--quiet", "--initial-branch=main"].as_slice(),
        &["git", "add", "--all"],
        &["git", "commit", "--quiet", "--message", "files"],
    ] {
        run_in(&source, words)?;
    }
    Ok(source)
}

pub(super) fn write(project: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = project.join(name);
    let parent = path.parent().unwrap_or(project);
    fs::create_dir_all(parent).map_err(|error| at(parent, &error))?;
    fs::write(&path, text).map_err(|error| at(&path, &error))
}

pub(super) fn plan(agents: usize) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: bench\n---\n\n# Side by side\n\n**Budget:** 1h\n\n## Steps\n"
            .to_owned();
    for number in 1..=agents {
        write!(
            text,
            "\n### {number}. Agent {number}\n\n**id:** a{number}\n**depends_on:** none\n**target:** coder\n**baseline:** no\n**task:**\nWrite out-{number}\n\n**contract:**\n```shell\ntest -f out-{number}\n```\n"
        )
        .expect("a string takes all");
    }
    text
}

pub(super) fn run_in(project: &Path, argv: &[&str]) -> Result<(), String> {
    stdout_of(project, argv).map(|_| ())
}

pub(super) fn stdout_of(project: &Path, argv: &[&str]) -> Result<String, String> {
    let (program, args) = argv.split_first().ok_or("nothing to call")?;
    let home = project.with_file_name("home");
    fs::create_dir_all(&home).map_err(|error| at(&home, &error))?;
    let output = Process::new(program)
        .args(args)
        .current_dir(project)
        .env("HOME", &home)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_DATA_HOME")
        .env("GIT_AUTHOR_NAME", "Bench")
        .env("GIT_AUTHOR_EMAIL", "bench@localhost")
        .env("GIT_COMMITTER_NAME", "Bench")
        .env("GIT_COMMITTER_EMAIL", "bench@localhost")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "`{}` ended with {}: {}",
        argv.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

pub(super) fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
