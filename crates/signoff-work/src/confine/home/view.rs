//! The home of one process: a new directory, and what is mounted in it.

use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_sandbox::{Bind, Overlay};

use super::HomePlan;
use crate::confine::login_renewal::{CopyLocation, LoginCopy};
use crate::confine::requirements::Login;

/// How the home of one process is made.
#[derive(Debug)]
pub(in crate::confine) struct ViewOptions<'a> {
    /// Whether something can be mounted.
    pub(in crate::confine) mounts: bool,
    /// Whether directories can be made of layers.
    pub(in crate::confine) overlays: bool,
    /// What an agent logs in with.
    pub(in crate::confine) logins: &'a [Login],
}

/// What one process finds at the home.
#[derive(Debug, Default)]
pub(in crate::confine) struct View {
    pub(in crate::confine) binds: Vec<Bind>,
    pub(in crate::confine) overlays: Vec<Overlay>,
    pub(in crate::confine) hidden: Vec<PathBuf>,
    pub(in crate::confine) writable: Vec<PathBuf>,
    pub(in crate::confine) environment: Vec<(OsString, OsString)>,
    /// Copies of logins that the process may renew.
    pub(in crate::confine) logins: Vec<LoginCopy>,
}

pub(super) fn prepare(
    plan: &HomePlan,
    scratch: &Path,
    options: &ViewOptions<'_>,
) -> io::Result<View> {
    let home = match (&plan.real, &plan.written) {
        (Some(_), Some(written)) if options.mounts && plan.replaceable => {
            HomeLocation::Mounted { written }
        }
        _ => HomeLocation::Beside,
    };
    let own = scratch.join("home");
    let is_mounted = matches!(home, HomeLocation::Mounted { .. });
    let mut homes: Vec<OwnHome> = Vec::new();
    homes.extend(plan.real.as_ref().map(|real| OwnHome {
        real: real.clone(),
        own: own.clone(),
        is_mounted,
    }));
    if options.mounts {
        let others = plan.others.iter().enumerate();
        homes.extend(others.map(|(number, real)| OwnHome {
            real: real.clone(),
            own: scratch.join(format!("homes/{number}")),
            is_mounted: true,
        }));
    }
    for home in &homes {
        directory(&home.own)?;
    }
    directory(&own)?;
    let mut making = ViewBuilder {
        plan,
        own,
        homes,
        files: scratch.join("files"),
        location: home,
        view: View::default(),
    };
    making.show_roots(options)?;
    making.show_links()?;
    making.show_caches(options, scratch)?;
    making.write_settings(options)?;
    for login in options.logins {
        making.hand_over(login).map_err(|why| {
            let from = login.from.display();
            let text = format!("the agent's login {from} cannot be copied: {why}");
            io::Error::new(why.kind(), text)
        })?;
    }
    Ok(making.finish(options))
}

/// Where the process finds its home.
enum HomeLocation<'a> {
    /// At the person's home.
    Mounted { written: &'a Path },
    /// Where the directory is.
    Beside,
}

/// A directory that the process has in the place of one of the person's.
struct OwnHome {
    real: PathBuf,
    own: PathBuf,
    /// Does the process find it at the path of the real one?
    is_mounted: bool,
}

struct ViewBuilder<'a> {
    plan: &'a HomePlan,
    /// What the process finds as its home.
    own: PathBuf,
    /// It, and what it finds in other places.
    homes: Vec<OwnHome>,
    /// Single files that are mounted.
    files: PathBuf,
    location: HomeLocation<'a>,
    view: View,
}

impl ViewBuilder<'_> {
    /// The innermost home that a path lies in.
    fn home_of(&self, path: &Path) -> Option<&OwnHome> {
        let homes = self.homes.iter();
        let homes = homes.filter(|home| path.starts_with(&home.real));
        homes.max_by_key(|home| home.real.components().count())
    }

    /// Where something of the person's home lies in the process's own.
    fn own_path(&self, path: &Path) -> Option<PathBuf> {
        let home = self.home_of(path)?;
        Some(home.own.join(path.strip_prefix(&home.real).ok()?))
    }

    /// Does the process find something of its own at this path?
    fn is_replaced(&self, path: &Path) -> bool {
        self.home_of(path).is_some_and(|home| home.is_mounted)
    }

    fn show_roots(&mut self, options: &ViewOptions<'_>) -> io::Result<()> {
        for root in self.plan.list.roots() {
            if self.is_replaced(root) {
                self.mount(root, root, false)?;
            } else {
                self.link(root, root)?;
            }
        }
        for path in &self.plan.list.writable {
            match self.location {
                HomeLocation::Mounted { .. } => self.mount(path, path, true)?,
                HomeLocation::Beside => {
                    self.link(path, path)?;
                    self.view.writable.push(path.clone());
                }
            }
        }
        if options.mounts {
            self.view.hidden.clone_from(&self.plan.hidden);
        }
        Ok(())
    }

    fn show_links(&self) -> io::Result<()> {
        for (link, target) in &self.plan.list.links {
            if self.is_replaced(link) {
                self.link(link, target)?;
            } else {
                // What it says may be meant from where it is.
                self.link(link, link)?;
            }
        }
        Ok(())
    }

    fn show_caches(&mut self, options: &ViewOptions<'_>, scratch: &Path) -> io::Result<()> {
        for (number, (cache, reads_only)) in self.plan.list.caches.iter().enumerate() {
            let is_seen = !self.is_replaced(cache) || self.is_shown(cache);
            if options.mounts && options.overlays {
                let layers = scratch.join(format!("caches/{number}"));
                let (upper, work) = (layers.join("upper"), layers.join("work"));
                fs::create_dir_all(&upper)?;
                fs::create_dir_all(&work)?;
                self.make_mount_point(cache, true)?;
                self.view.overlays.push(Overlay {
                    at: cache.clone(),
                    lower: vec![cache.clone()],
                    upper,
                    work,
                });
            } else if options.mounts && *reads_only && !is_seen {
                self.mount(cache, cache, false)?;
            }
        }
        Ok(())
    }

    fn write_settings(&mut self, options: &ViewOptions<'_>) -> io::Result<()> {
        for copy in &self.plan.copies {
            self.put_file(&copy.at, copy.text.as_bytes(), false, options.mounts)?;
        }
        fs::write(self.own.join(".gitconfig"), &self.plan.git_config)
    }

    /// Copies a login, so that the agent cannot change the person's. It may change the copy, whatever the permissions of the
    /// original.
    fn hand_over(&mut self, login: &Login) -> io::Result<()> {
        let bytes = match &login.text {
            Some(text) => text.clone(),
            None => fs::read(&login.from)?,
        };
        let Some(real) = self.plan.real.as_ref() else {
            return self.write(&self.own.join(&login.to), &bytes);
        };
        let location = self.put_file(&real.join(&login.to), &bytes, true, true)?;
        let copy = location.and_then(|location| LoginCopy::of(login, location, bytes));
        self.view.logins.extend(copy);
        Ok(())
    }

    /// Puts a file where the process finds it: into its home, or over the one that it would find.
    fn put_file(
        &mut self,
        at: &Path,
        bytes: &[u8],
        writable: bool,
        mounts: bool,
    ) -> io::Result<Option<CopyLocation>> {
        let target = self.behind_links(at);
        match self.home_of(&target) {
            Some(home) if !self.is_shown(&target) => {
                let path = target.strip_prefix(&home.real).unwrap_or(&target);
                let location = CopyLocation::InHome {
                    home: home.own.clone(),
                    path: path.to_owned(),
                };
                self.write(&home.own.join(path), bytes)?;
                Ok(Some(location))
            }
            _ if !mounts => Ok(None),
            _ => {
                let to = at.canonicalize()?;
                let from = self.files.join(self.view.binds.len().to_string());
                self.write(&from, bytes)?;
                self.view.hidden.retain(|hidden| *hidden != to);
                self.mount(&from, &to, writable)?;
                Ok(Some(CopyLocation::Mounted { file: from }))
            }
        }
    }

    /// Where a path lies if the process finds a link above it.
    fn behind_links(&self, path: &Path) -> PathBuf {
        let mut links = self.plan.list.links.keys();
        let is_behind = links.any(|link| path.starts_with(link) && path != link);
        let real = path.parent().filter(|_| is_behind);
        let real = real.and_then(|parent| parent.canonicalize().ok());
        match (real, path.file_name()) {
            (Some(real), Some(name)) => real.join(name),
            _ => path.to_owned(),
        }
    }

    /// Does the process find what the person has there?
    fn is_shown(&self, path: &Path) -> bool {
        let list = &self.plan.list;
        let is_writable = |target: &PathBuf| path.starts_with(target);
        list.shows(path) || list.writable.iter().any(is_writable)
    }

    /// Writes a file of the process's own, never through a link: it could lead to what is the person's.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let own = self
            .homes
            .iter()
            .map(|home| &home.own)
            .find(|own| path.starts_with(own));
        let mut above = path
            .ancestors()
            .take_while(|above| Some(*above) != own.map(PathBuf::as_path));
        if own.is_some() && above.any(Path::is_symlink) {
            let text = format!("{} lies behind a link", path.display());
            return Err(io::Error::other(text));
        }
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
    }

    fn mount(&mut self, from: &Path, to: &Path, writable: bool) -> io::Result<()> {
        self.make_mount_point(to, from.is_dir())?;
        self.view.binds.push(Bind {
            from: from.to_owned(),
            to: to.to_owned(),
            writable,
        });
        Ok(())
    }

    /// Makes what is mounted on, where the directory is the process's own.
    fn make_mount_point(&self, to: &Path, is_directory: bool) -> io::Result<()> {
        match self.own_path(to) {
            Some(own) if self.is_replaced(to) && !own.exists() => {
                if is_directory {
                    fs::create_dir_all(own)
                } else {
                    self.write(&own, b"")
                }
            }
            _ => Ok(()),
        }
    }

    /// Makes a link in the process's own home.
    fn link(&self, at: &Path, target: &Path) -> io::Result<()> {
        let Some(own) = self.own_path(at).filter(|own| !own.is_symlink()) else {
            return Ok(());
        };
        fs::create_dir_all(own.parent().unwrap_or(&self.own))?;
        symlink(target, own)
    }

    fn finish(mut self, options: &ViewOptions<'_>) -> View {
        let mounted = self.homes.iter().filter(|home| home.is_mounted);
        self.view.binds.extend(mounted.map(|home| Bind {
            from: home.own.clone(),
            to: home.real.clone(),
            writable: true,
        }));
        let home = match self.location {
            HomeLocation::Mounted { written } => written,
            HomeLocation::Beside => {
                self.view.writable.push(self.own.clone());
                &self.own
            }
        };
        let config = home.join(".gitconfig");
        let own = [
            ("HOME".into(), home.into()),
            ("GIT_CONFIG_GLOBAL".into(), config.into()),
        ];
        self.view.environment = own.to_vec();
        let passed = self.plan.environment.iter().cloned();
        self.view.environment.extend(passed);
        if !options.mounts {
            self.view.binds.clear();
        }
        self.view
    }
}

/// Readable by its owner only.
fn directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)
}
