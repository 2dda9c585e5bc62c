//! A repository of an agent's own: it can commit, and whatever it does there is gone after the attempt.
//!
//! Objects are found in the real one. Nothing is taken over that could make git run a program: of the configuration
//! only what says how the repository is to be read, no hooks, no attributes.

use std::path::Path;
use std::{fs, io};

use signoff_sandbox::Bind;

/// Files that say where the repository stands.
const TAKEN: [&str; 5] = ["HEAD", "packed-refs", "index", "shallow", "info/exclude"];

/// Makes it, and says what has to be found where; a repository that cannot be had this way is an error.
pub(super) fn make(real: &Path, scratch: &Path) -> io::Result<Vec<Bind>> {
    let (private, objects) = (&scratch.join("git"), scratch.join("objects"));
    fs::create_dir_all(&objects)?;
    fill(real, private, &objects)?;
    let bind = |from: &Path, to: &Path, writable| Bind {
        from: from.to_owned(),
        to: to.to_owned(),
        writable,
    };
    // The real objects would be covered where they are.
    let mut binds = vec![
        bind(&real.join("objects"), &objects, false),
        bind(private, real, true),
    ];
    // Repositories of submodules: without them not even the state of the tree can be asked for.
    let modules = real.join("modules");
    if modules.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        fs::create_dir_all(private.join("modules"))?;
        binds.push(bind(&modules, &modules, false));
    }
    Ok(binds)
}

/// Keeps it, if the agent put anything into it: commits, or what it took out of the tree by a stash. `to` is not there
/// yet.
pub fn keep_repository(scratch: &Path, tree: &Path, to: &Path) -> io::Result<bool> {
    let private = scratch.join("git");
    let entries = match fs::read_dir(private.join("objects")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        entries => entries?,
    };
    let is_new = |entry: &fs::DirEntry| entry.file_name() != "info";
    if !entries.flatten().any(|entry| is_new(&entry)) {
        return Ok(false);
    }
    let real = tree.join(".git");
    let alternates = alternates(&real, &real.join("objects"))?;
    fs::write(private.join("objects/info/alternates"), alternates)?;
    fs::rename(private, to)?;
    Ok(true)
}

fn fill(real: &Path, private: &Path, objects: &Path) -> io::Result<()> {
    let config = fs::read_to_string(real.join("config"))?;
    for directory in ["objects/info", "refs/heads", "info"] {
        fs::create_dir_all(private.join(directory))?;
    }
    for file in TAKEN {
        match fs::copy(real.join(file), private.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    copy_refs(&real.join("refs"), &private.join("refs"))?;
    fs::write(private.join("config"), format(&config)?)?;
    let alternates = alternates(real, objects)?;
    fs::write(private.join("objects/info/alternates"), alternates)
}

/// Where the real objects will be found, and wherever else those are found.
fn alternates(real: &Path, objects: &Path) -> io::Result<Vec<u8>> {
    let mut text = objects.as_os_str().as_encoded_bytes().to_vec();
    text.push(b'\n');
    match fs::read(real.join("objects/info/alternates")) {
        // They may be written as seen from there.
        Ok(more)
            if more
                .split(|byte| *byte == b'\n')
                .all(|line| line.is_empty() || line.starts_with(b"/")) =>
        {
            text.extend(more);
        }
        Ok(_) => return Err(io::Error::other("its objects are found by relative paths")),
        Err(_) => {}
    }
    Ok(text)
}

/// How the repository is to be read. An extension that is not known to be harmless makes it another repository.
fn format(config: &str) -> io::Result<String> {
    let mut extensions = String::new();
    let mut section = String::new();
    for line in config.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_ascii_lowercase();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        match (section.as_str(), key.as_str()) {
            ("extensions", "objectformat") if matches!(value, "sha1" | "sha256") => {
                extensions = format!("[extensions]\n\tobjectformat = {value}\n");
            }
            ("extensions", "noop" | "relativeworktrees" | "worktreeconfig" | "preciousobjects") => {
            }
            ("extensions", _) => {
                return Err(io::Error::other(format!("it uses the extension `{key}`")));
            }
            _ => {}
        }
    }
    let version = u8::from(!extensions.is_empty());
    Ok(format!(
        "[core]\n\trepositoryformatversion = {version}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = agent\n\temail = agent@localhost\n[gc]\n\tauto = 0\n{extensions}"
    ))
}

fn copy_refs(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            fs::create_dir_all(&target)?;
            copy_refs(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
