//! Files of a run that would run by themselves once they are in the checkout. They do not land unless somebody asked for
//! them: a step's `produces`, which a person signed, or a person who has looked at them.

use std::collections::{BTreeMap, BTreeSet};

use signoff_engine::{ChangeDetails, LinkEnd, names_of};
use signoff_plan::links::end_of;
use signoff_work::git::{GitError, HeldFile, HoldReason, Id};
use signoff_work::project::self_starting::named::{named_by_script, starting_places};
use signoff_work::project::self_starting::repositories::{
    BareRepositories, bare_repositories, paths_that_tell,
};
use signoff_work::project::self_starting::started_by;

use super::{HeldFileVersion, Trees, error_text};

/// Whether somebody asked for a file.
pub(crate) type AskedFor<'a> = &'a dyn Fn(&str) -> bool;

/// What runs by itself in a checkout.
pub(super) struct SelfStarting {
    /// Links of the checkout and of the run: what one of a known name leads to has that name, too.
    links: ChangeDetails,
    /// Where the person's git looks for hooks, if that is in the project.
    hooks: Option<String>,
    /// Bare repositories of the run's tree.
    repositories: BareRepositories,
    /// Files that a shell runs because one of the checkout names them, with that one.
    named: BTreeMap<String, String>,
}

impl SelfStarting {
    /// Why a file is held, if it runs by itself.
    pub(super) fn hold_reason(&self, path: &str) -> Option<HoldReason> {
        let is_hook = |path: &str| {
            let hooks = self.hooks.as_deref();
            hooks.is_some_and(|hooks| {
                let rest = path.strip_prefix(hooks);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let names = names_of(path, &self.links);
        let program = names.iter().find_map(|name| match started_by(name) {
            Some(known) => Some(known.to_owned()),
            None if is_hook(name) || self.repositories.have(name) => Some("git".to_owned()),
            None => self.named.get(name).map(|by| format!("`{by}`")),
        })?;
        Some(HoldReason::RunsByItself(program))
    }
}

impl Trees {
    /// What runs by itself in the checkout, of which this is the tree, or would in the run's.
    pub(super) fn self_starting(&self, agreed: &Id, head: &Id) -> Result<SelfStarting, GitError> {
        let mut ends = BTreeSet::new();
        for tree in [agreed, head] {
            let links = self.own.links_in(tree)?;
            let targets: BTreeMap<&str, &str> = links
                .iter()
                .map(|(link, to)| (link.as_str(), to.as_str()))
                .collect();
            let target = |path: &str| targets.get(path).map(|to| (*to).to_owned());
            for link in targets.keys() {
                let end = end_of(link, target);
                ends.extend(end.map(|end| ((*link).to_owned(), end)));
            }
        }
        let links = ends.into_iter().map(|(link, end)| LinkEnd { link, end });
        let hooks = self.repository.hooks_directory();
        let changed = self.own.changed_paths(agreed, head)?;
        let there = self.own.paths_in(head, &paths_that_tell(&changed))?;
        Ok(SelfStarting {
            links: ChangeDetails {
                links: links.collect(),
                ..ChangeDetails::default()
            },
            repositories: bare_repositories(&there),
            named: self.named_scripts(agreed, &changed, hooks.as_deref())?,
            hooks,
        })
    }

    /// Which files the checkout's own files that run by themselves name, and what those name in turn.
    fn named_scripts(
        &self,
        agreed: &Id,
        changed: &[String],
        hooks: Option<&str>,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let mut named: BTreeMap<String, String> = BTreeMap::new();
        let places = starting_places(changed, hooks);
        let mut texts = self.own.texts_below(agreed, &places)?;
        while !texts.is_empty() {
            let mut new = BTreeSet::new();
            for (file, text) in &texts {
                let mut found = named_by_script(file, text);
                found.retain(|path| !named.contains_key(path));
                named.extend(found.iter().map(|path| (path.clone(), file.clone())));
                new.extend(found);
            }
            texts = self.own.texts_at(agreed, &new)?;
        }
        Ok(named)
    }

    /// The files in the commits of a run that run by themselves and that nobody asked for. Their versions are where a
    /// person can look at them.
    pub(crate) fn unasked_in_commits(
        &self,
        head: &Id,
        is_asked: AskedFor<'_>,
    ) -> Result<Vec<HeldFileVersion>, String> {
        let agreed = self.agreed_tree()?;
        let head = self.own.tree_of(head).map_err(error_text)?;
        let found = self.self_starting(&agreed, &head).map_err(error_text)?;
        let changed = self.own.changed_paths(&agreed, &head).map_err(error_text)?;
        let held = changed.into_iter().filter(|path| !is_asked(path));
        let held = held.filter_map(|path| {
            let reason = found.hold_reason(&path)?;
            Some(HeldFile { path, reason })
        });
        self.show_held(&head, &held.collect::<Vec<_>>())
    }
}
