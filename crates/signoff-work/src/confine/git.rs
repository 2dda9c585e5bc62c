//! A repository of an agent's own: it can commit, and whatever it does there is gone after the attempt.
//!
//! Objects are found in the real one. Nothing is taken over that could make git run a program: of the configuration
//! only what says how the repository is to be read, no hooks, no attributes.

use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_sandbox::Bind;

use crate::beneath::{Directory, Links};

/// Files that say where the repository stands.
const TAKEN: [&str; 5] = ["HEAD", "packed-refs", "index", "shallow", "info/exclude"];

/// Bytes of one file of a repository, such as its index.
const LARGEST: u64 = 1 << 30;
/// References in one directory.
const MOST: usize = 1_000_000;
/// Directories within directories of references.
const DEEPEST: usize = 64;

/// Makes it, and says what has to be found where; a repository that cannot be had this way is an error.
pub(super) fn make(real: &Path, scratch: &Path) -> io::Result<Vec<Bind>> {
    let (private, objects) = (&private_repository(scratch), scratch.join("objects"));
    fs::create_dir_all(&objects)?;
    copy_repository(real, private, &objects)?;
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

/// Where it is in the directory of an attempt. The agent wrote it: [`crate::git::HarnessGit::import_repository`] keeps what it
/// put there.
pub fn private_repository(scratch: &Path) -> PathBuf {
    scratch.join("git")
}

/// The real one may be that of a worktree, where an earlier agent could write.
fn copy_repository(real: &Path, private: &Path, objects: &Path) -> io::Result<()> {
    let source = Directory::open(real)?;
    let config = source.read(Path::new("config"), Links::Refuse, LARGEST)?;
    for directory in ["objects/info", "refs/heads", "info"] {
        fs::create_dir_all(private.join(directory))?;
    }
    for file in TAKEN {
        match source.read(Path::new(file), Links::Refuse, LARGEST) {
            Ok(content) => fs::write(private.join(file), content)?,
            Err(error) if error.is_absence() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let references = source.directory(Path::new("refs"))?;
    copy_refs(&references, &private.join("refs"), 0)?;
    fs::write(
        private.join("config"),
        format(&String::from_utf8_lossy(&config))?,
    )?;
    let alternates = alternates(&source, objects)?;
    fs::write(private.join("objects/info/alternates"), alternates)
}

/// Where the real objects are, and their alternates.
fn alternates(real: &Directory, objects: &Path) -> io::Result<Vec<u8>> {
    let mut text = objects.as_os_str().as_encoded_bytes().to_vec();
    text.push(b'\n');
    match real.read(Path::new("objects/info/alternates"), Links::Refuse, LARGEST) {
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

fn copy_refs(from: &Directory, to: &Path, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::Error::other("its references lie too deep"));
    }
    for name in from.names(MOST)? {
        let (name, target) = (Path::new(&name), to.join(&name));
        if let Ok(directory) = from.directory(name) {
            fs::create_dir_all(&target)?;
            copy_refs(&directory, &target, depth + 1)?;
        } else if let Ok(content) = from.read(name, Links::Refuse, LARGEST) {
            fs::write(target, content)?;
        }
    }
    Ok(())
}
