//! The objects of an agent's repository: copied as files, then checked and named by git.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, statat};

use super::{GitCall, GitError, Import, Scratch};
use crate::beneath::{Directory, Links, OpenError};

/// Git makes few packs; each one costs a process.
const MOST_PACKS: usize = 100;
/// Names in one directory of objects that belong to nothing.
const MOST_OTHERS: usize = 10_000;

/// A file of objects.
#[derive(Debug)]
struct ObjectFile {
    /// From `objects`.
    path: PathBuf,
    size: u64,
}

/// What an agent's repository stores.
#[derive(Debug, Default)]
pub(super) struct StoredObjects {
    loose: Vec<ObjectFile>,
    packs: Vec<ObjectFile>,
}

impl StoredObjects {
    /// Lists files whose names are those of objects and packs.
    pub(super) fn list(source: &Directory, most: usize, left_out: &mut Vec<String>) -> Self {
        let mut stored = Self::default();
        if let Err(error) = stored.collect_objects(source, most, left_out) {
            left_out.push(format!("`objects`: {error}"));
        }
        stored
    }

    pub(super) fn is_empty(&self) -> bool {
        self.loose.is_empty() && self.packs.is_empty()
    }

    fn collect_objects(
        &mut self,
        source: &Directory,
        most: usize,
        left_out: &mut Vec<String>,
    ) -> Result<(), OpenError> {
        let objects = source.directory(Path::new("objects"))?;
        for folder in objects.names(MOST_OTHERS)? {
            let is_loose = is_hexadecimal(folder.as_bytes(), &[2]);
            if !is_loose && folder != "pack" {
                continue;
            }
            let remaining = most.saturating_sub(self.loose.len() + self.packs.len());
            let listed = objects.directory(Path::new(&folder)).and_then(|inner| {
                let names = inner.names(remaining)?;
                Ok((inner, names))
            });
            let (inner, names) = match listed {
                Ok(listed) => listed,
                Err(error) => {
                    left_out.push(format!("`objects/{}`: {error}", folder.display()));
                    continue;
                }
            };
            for name in names {
                let path = Path::new(&folder).join(&name);
                let size = file_size(&inner, &name);
                let Some(stash) = size.map(|size| ObjectFile { path, size }) else {
                    continue;
                };
                if is_loose && is_hexadecimal(name.as_bytes(), &[38, 62]) {
                    self.loose.push(stash);
                } else if !is_loose && is_pack(name.as_bytes()) {
                    self.packs.push(stash);
                }
            }
        }
        // Commits and trees are small: what does not fit in the end is large.
        self.loose.sort_by_key(|stash| stash.size);
        self.packs.sort_by_key(|stash| stash.size);
        Ok(())
    }
}

impl Import<'_> {
    pub(super) fn import_objects(
        &mut self,
        stored: StoredObjects,
        scratch: &Scratch,
    ) -> Result<(), GitError> {
        let mut remaining = self.limits.bytes;
        let (packs, more) = stored.packs.split_at(stored.packs.len().min(MOST_PACKS));
        if !more.is_empty() {
            self.leave_out(format!("{} packs: there are too many", more.len()));
        }
        for pack in packs {
            let name = pack.path.file_name().expect("a pack has a name");
            let to = self.to.join("objects/pack").join(name);
            if self.copy(pack, &to, &mut remaining)? && self.index(&to)? {
                self.report.objects += 1;
            }
        }
        let mut names = String::new();
        for object in &stored.loose {
            let to = self.incoming.join(&object.path);
            if self.copy(object, &to, &mut remaining)? {
                names.extend(object.path.to_string_lossy().chars().filter(|c| *c != '/'));
                names.push('\n');
            }
        }
        self.pack_loose(names, scratch)
    }

    /// Copies one file; whether it is there.
    fn copy(
        &mut self,
        stash: &ObjectFile,
        to: &Path,
        remaining: &mut u64,
    ) -> Result<bool, GitError> {
        if self.is_over()? {
            return Ok(false);
        }
        let path = stash.path.display();
        if stash.size > *remaining {
            let (size, limit) = (stash.size, self.limits.bytes);
            let words = format!("`objects/{path}` ({size} bytes): more than {limit} bytes in all");
            self.leave_out(words);
            return Ok(false);
        }
        *remaining -= stash.size;
        let file = self
            .source
            .file(&Path::new("objects").join(&stash.path), Links::Refuse);
        let file = match file {
            Ok(file) => file,
            Err(error) => {
                self.leave_out(format!("`objects/{path}`: {error}"));
                return Ok(false);
            }
        };
        let folder = to.parent().unwrap_or(to);
        fs::create_dir_all(folder).map_err(GitError::file(folder))?;
        copy_exactly(file, stash.size, to).map_err(GitError::file(to))?;
        Ok(true)
    }

    /// Has git check a pack and name its objects; one that does not pass is gone.
    fn index(&mut self, pack: &Path) -> Result<bool, GitError> {
        let call = self.call().args(["index-pack", "--fsck-objects"]);
        let said = call.args([pack]).run();
        let what = format!(
            "`{}`",
            pack.file_name().expect("a pack has a name").display()
        );
        let is_sound = self.unless_refused(&what, said)?.is_some();
        if !is_sound {
            fs::remove_file(pack).map_err(GitError::file(pack))?;
        }
        Ok(is_sound)
    }

    /// Makes one pack of loose objects, so that they are checked like all others: what a file is called says nothing
    /// about the object in it.
    fn pack_loose(&mut self, names: String, scratch: &Scratch) -> Result<(), GitError> {
        if names.is_empty() || self.is_over()? {
            return Ok(());
        }
        let what = format!("{} objects", names.lines().count());
        let words = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
        let output = self.incoming_call().args(words);
        let output = output.stdin(names.into_bytes()).run();
        let Some(output) = self.unless_refused(&what, output)? else {
            return Ok(());
        };
        let wanted = self.readable_objects(&String::from_utf8_lossy(&output));
        let count = wanted.lines().count();
        let packed = self
            .incoming_call()
            .args(["pack-objects", "-q", "--window=0"])
            .args([scratch.path("loose")])
            .stdin(wanted.into_bytes())
            .run();
        let Some(name) = self.unless_refused(&format!("{count} objects"), packed)? else {
            return Ok(());
        };
        let name = String::from_utf8_lossy(&name);
        self.take_pack(&scratch.path(&format!("loose-{}.pack", name.trim())), count)
    }

    /// A call that finds nothing but what was copied.
    fn incoming_call(&self) -> GitCall<'_> {
        self.call().env("GIT_OBJECT_DIRECTORY", &self.incoming)
    }

    /// The names of those objects, listed as `NAME SIZE`, that can be read and have room when they are unpacked.
    fn readable_objects(&mut self, listing: &str) -> String {
        let mut remaining = self.limits.bytes;
        let (mut wanted, mut large, mut unknown) = (String::new(), 0, 0);
        for line in listing.lines() {
            let (name, size) = line.split_once(' ').unwrap_or((line, ""));
            match size.parse::<u64>() {
                Ok(size) if size <= remaining => {
                    remaining -= size;
                    wanted.extend([name, "\n"]);
                }
                Ok(_) => large += 1,
                Err(_) => unknown += 1,
            }
        }
        for (count, why) in [
            (large, "too large when unpacked"),
            (unknown, "not readable"),
        ] {
            if count > 0 {
                self.leave_out(format!("{count} objects: {why}"));
            }
        }
        wanted
    }

    fn take_pack(&mut self, pack: &Path, count: usize) -> Result<(), GitError> {
        let name = pack.file_name().expect("a pack has a name");
        let to = self.to.join("objects/pack").join(name);
        let mut from = match File::open(pack) {
            // There was nothing to pack.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            from => from.map_err(GitError::file(pack))?,
        };
        let copied = File::create(&to).and_then(|mut file| io::copy(&mut from, &mut file));
        copied.map_err(GitError::file(&to))?;
        if self.index(&to)? {
            self.report.objects += count;
        }
        Ok(())
    }
}

/// Copies what was there when its size was asked for: one that grows has only that much of it copied.
fn copy_exactly(file: File, size: u64, to: &Path) -> io::Result<()> {
    io::copy(&mut file.take(size), &mut File::create(to)?)?;
    Ok(())
}

fn file_size(folder: &Directory, name: &OsStr) -> Option<u64> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    is_file.then(|| u64::try_from(stat.st_size).expect("a size is not negative"))
}

fn is_pack(name: &[u8]) -> bool {
    let middle = name
        .strip_prefix(b"pack-")
        .and_then(|rest| rest.strip_suffix(b".pack"));
    middle.is_some_and(|middle| is_hexadecimal(middle, &[40, 64]))
}

fn is_hexadecimal(name: &[u8], lengths: &[usize]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    lengths.contains(&name.len()) && name.iter().all(is_digit)
}
