//! The commands of the configuration that name files of the project, and whether those files are still
//! what the person trusted.
//!
//! Tool servers and `[notify]` run with the person's rights, agents with their logins, and every
//! agent can change files of the project. So such files are part of what `signoff trust` covers, and
//! are compared before each start.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use signoff_sandbox::{Command, Level};
use signoff_store::trust::helpers;
use signoff_work::environment::{path_inside, path_outside};
use signoff_work::project::helpers::{
    Hashes, NamedFiles, PinnedCommand, differences, hashes, named_by_line, named_by_words,
};

use crate::error::Error;
use crate::project::{Project, sandbox_level};

/// A configured command that names something of the project.
#[derive(Debug)]
pub struct Helper {
    /// What it is for: ``server `x` ``.
    pub title: String,
    /// What it names.
    pub named: NamedFiles,
}

/// Every configured command that names something of the project.
pub fn helpers(project: &Project) -> Vec<Helper> {
    let (config, root) = (&project.config, project.store.workspace());
    let mut found: Vec<Helper> = Vec::new();
    let mut add = |title: String, named: NamedFiles| {
        if named != NamedFiles::default() {
            found.push(Helper { title, named });
        }
    };
    for (name, server) in &config.servers {
        let named = named_by_words(&server.value.command, root);
        add(format!("server `{name}`"), named);
    }
    let notify = named_by_words(&config.notify.command.value, root);
    add("`[notify] command`".to_owned(), notify);
    if is_confined(project) {
        // Agents, contracts and `prepare` can do no more than their overlay lets them.
        return found;
    }
    for (role, agent) in &config.agents {
        let named = named_by_words(&agent.value.command, root);
        add(format!("agent `{role}`"), named);
    }
    let shell = [config.contract.shell.value.clone()];
    let shell = named_by_words(&shell, root);
    add("`[contract] shell`".to_owned(), shell);
    for line in &config.run.prepare.value {
        add("`[run] prepare`".to_owned(), named_by_line(line, root));
    }
    found
}

fn is_confined(project: &Project) -> bool {
    sandbox_level::level(project).is_ok_and(Level::uses_mounts)
}

/// The files that the configured commands run, as they are now: what `signoff trust` covers.
pub fn present_hashes(project: &Project) -> Hashes {
    let root = project.store.workspace();
    let each = helpers(project).into_iter();
    each.flat_map(|helper| hashes(&helper.named, root))
        .collect()
}

/// What the files held when the person trusted them.
pub fn trusted_hashes(project: &Project) -> Hashes {
    let state = project.process.state_dir.as_ref();
    let trusted = |state: &PathBuf| helpers::load_trusted_hashes(state, project.store.workspace());
    state.map(trusted).unwrap_or_default()
}

/// Which files are not what the person trusted, with the commands that run them.
pub fn changed_files(project: &Project) -> Vec<String> {
    let (root, trusted) = (project.store.workspace(), trusted_hashes(project));
    let of = |helper: Helper| {
        let changes = differences(&helper.named, root, &trusted).into_iter();
        let lines = changes.map(|change| format!("{}: {change}", helper.title));
        lines.collect::<Vec<String>>()
    };
    helpers(project).into_iter().flat_map(of).collect()
}

/// A command with what its files held when the person trusted them.
pub(crate) fn pin_command(project: &Project, command: &[String]) -> PinnedCommand {
    PinnedCommand::new(command, &trusted_hashes(project))
}

/// Makes sure that the process of an agent runs what the person means: the files of the tree that it
/// names are what they trusted, and an agent did not put its program on PATH.
pub(crate) fn pin_agent(
    project: &Project,
    configured: &[String],
    tree: &Path,
    command: &mut Command,
) -> Result<(), Error> {
    let differences = pin_command(project, configured).differences(tree);
    if !differences.is_empty() && !is_confined(project) {
        return Err(Error::HelpersChanged { differences });
    }
    let Some(program) = command.argv.first_mut() else {
        return Ok(());
    };
    let path = path_outside(&project.process.path(), project.store.workspace());
    if let Some(found) = find_program(program, &path_outside(&path, tree)) {
        *program = found.into();
    }
    Ok(())
}

/// Where a bare name leads on this PATH.
fn find_program(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return None;
    }
    let mut paths = std::env::split_paths(path).map(|entry| entry.join(name));
    paths.find(|path| {
        signoff_sandbox::program_exists(path.as_os_str(), OsStr::new(""), Path::new("/"))
    })
}

/// Whether a program can be found, and where it lies if only a PATH entry inside the project has it.
pub(crate) enum ProgramSearch {
    Found,
    /// As one would write it in the configuration.
    InsideProject(String),
    Missing,
}

/// Looks for the program of a command as a run does.
pub(crate) fn search(project: &Project, program: &str) -> ProgramSearch {
    let (path, root) = (project.process.path(), project.store.workspace());
    let outside = path_outside(&path, root);
    if signoff_sandbox::program_exists(program.as_ref(), &outside, root) {
        return ProgramSearch::Found;
    }
    let inside = std::env::join_paths(path_inside(&path, root));
    let inside = inside.expect("an entry that was split off has no colon");
    match find_program(program.as_ref(), &inside) {
        Some(found) => {
            let found = found.canonicalize().unwrap_or(found);
            let below = found.strip_prefix(root).unwrap_or(&found);
            ProgramSearch::InsideProject(below.display().to_string())
        }
        None => ProgramSearch::Missing,
    }
}
