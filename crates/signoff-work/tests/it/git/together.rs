//! A person and a run at work at the same time, whatever they do, and killed at any moment: compared with a model.
//!
//! Every text has a first and a last line of its own, far enough apart to be merged; so the model can merge them too.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use proptest::prelude::*;
use signoff_work::git::Id;

use crate::git::step_landing::Run;
use crate::git::world::{World, files};

const PATHS: [&str; 7] = ["a", "b", "d", "d/x", "d/x/y", "e/z", "e/w"];

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    File {
        first: String,
        last: String,
        runs: bool,
    },
    Link(String),
}

type Tree = BTreeMap<String, Content>;

#[derive(Debug, Clone, Copy)]
enum Edit {
    Replace(usize),
    First(usize),
    Last(usize),
    Mode(usize),
    Link(usize),
    Delete(usize),
    Rename(usize, usize),
}

#[derive(Debug, Clone)]
enum Act {
    Person(Vec<Edit>),
    Step(Vec<Edit>),
    Join,
    /// After a step, with a person who edits before a change of a file, and a kill before another one.
    Land {
        step: Vec<Edit>,
        edits: Option<(usize, Vec<Edit>)>,
        killed: Option<usize>,
    },
}

fn edit() -> impl Strategy<Value = Edit> {
    let path = || 0..PATHS.len();
    prop_oneof![
        2 => path().prop_map(Edit::Replace),
        3 => path().prop_map(Edit::First),
        3 => path().prop_map(Edit::Last),
        1 => path().prop_map(Edit::Mode),
        1 => path().prop_map(Edit::Link),
        2 => path().prop_map(Edit::Delete),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    proptest::collection::vec(edit(), 1..4)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => edits().prop_map(Act::Person),
        2 => edits().prop_map(Act::Step),
        2 => Just(Act::Join),
        4 => (
            edits(),
            proptest::option::of((0..4usize, proptest::collection::vec(edit(), 1..6))),
            proptest::option::of(0..6usize),
        ).prop_map(|(step, edits, killed)| Act::Land { step, edits, killed }),
    ];
    proptest::collection::vec(act, 1..9)
}

/// Lines that nobody else writes.
struct Words<'w>(&'w str, &'w Cell<usize>);

impl Words<'_> {
    fn next(&self) -> String {
        self.1.set(self.1.get() + 1);
        format!("{}{}", self.0, self.1.get())
    }
}

fn apply(folder: &Path, edits: &[Edit], words: &Words<'_>) {
    for edit in edits {
        let tree = tree(folder);
        let at = |path: usize| tree.get(PATHS[path]).cloned();
        let (path, content) = match *edit {
            Edit::Replace(path) => (path, Some(fresh(words))),
            Edit::First(path) => (path, Some(changed(at(path), words, true))),
            Edit::Last(path) => (path, Some(changed(at(path), words, false))),
            Edit::Link(path) => (path, Some(Content::Link(words.next()))),
            Edit::Delete(path) => (path, None),
            Edit::Mode(path) => match at(path) {
                Some(Content::File { first, last, runs }) => {
                    let runs = !runs;
                    (path, Some(Content::File { first, last, runs }))
                }
                _ => continue,
            },
            Edit::Rename(from, to) => match at(from) {
                Some(content) => {
                    put(folder, PATHS[from], None);
                    (to, Some(content))
                }
                None => continue,
            },
        };
        put(folder, PATHS[path], content.as_ref());
    }
}

fn fresh(words: &Words<'_>) -> Content {
    Content::File {
        first: words.next(),
        last: words.next(),
        runs: false,
    }
}

fn changed(content: Option<Content>, words: &Words<'_>, is_first: bool) -> Content {
    match content {
        Some(Content::File { last, runs, .. }) if is_first => Content::File {
            first: words.next(),
            last,
            runs,
        },
        Some(Content::File { first, runs, .. }) => Content::File {
            first,
            last: words.next(),
            runs,
        },
        Some(Content::Link(_)) | None => fresh(words),
    }
}

/// Makes this the content of a path; whatever is in the way goes, the outermost first.
fn put(folder: &Path, name: &str, content: Option<&Content>) {
    let path = folder.join(name);
    let above: Vec<&Path> = Path::new(name).ancestors().skip(1).collect();
    for above in above.into_iter().rev() {
        let above = folder.join(above);
        if above.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            fs::remove_file(&above).unwrap();
        }
    }
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&path).unwrap(),
        Ok(_) => fs::remove_file(&path).unwrap(),
        Err(_) => {}
    }
    let Some(content) = content else { return };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match content {
        Content::Link(target) => symlink(target, &path).unwrap(),
        Content::File { first, last, runs } => {
            fs::write(&path, format!("{first}\n2\n3\n4\n5\n6\n7\n{last}\n")).unwrap();
            let mode = if *runs { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }
}

/// What is in a folder.
fn tree(folder: &Path) -> Tree {
    let read = |shown: String| match shown.split_once(' ').unwrap() {
        ("link", target) => Content::Link(target.to_owned()),
        (kind, text) => {
            let lines: Vec<&str> = text.split("\\n").collect();
            assert_eq!(lines[1..7], ["2", "3", "4", "5", "6", "7"], "{text}");
            Content::File {
                first: lines[0].to_owned(),
                last: lines[7].to_owned(),
                runs: kind == "exec",
            }
        }
    };
    let files = files(folder).into_iter();
    files
        .map(|(name, shown)| (String::from_utf8(name).unwrap(), read(shown)))
        .collect()
}

fn pick<T: PartialEq + Clone>(base: &T, ours: &T, theirs: &T) -> Option<T> {
    match () {
        () if ours == theirs || base == theirs => Some(ours.clone()),
        () if base == ours => Some(theirs.clone()),
        () => None,
    }
}

/// What three versions of a file make; `Err` where they conflict.
fn merged(
    base: Option<&Content>,
    ours: Option<&Content>,
    theirs: Option<&Content>,
) -> Result<Option<Content>, ()> {
    if let Some(content) = pick(&base, &ours, &theirs) {
        return Ok(content.cloned());
    }
    let slots = |content: Option<&Content>| match content {
        Some(Content::File { first, last, runs }) => Some((first.clone(), last.clone(), *runs)),
        Some(Content::Link(_)) | None => None,
    };
    let (Some(base), Some(ours), Some(theirs)) = (slots(base), slots(ours), slots(theirs)) else {
        return Err(());
    };
    Ok(Some(Content::File {
        first: pick(&base.0, &ours.0, &theirs.0).ok_or(())?,
        last: pick(&base.1, &ours.1, &theirs.1).ok_or(())?,
        runs: pick(&base.2, &ours.2, &theirs.2).ok_or(())?,
    }))
}

/// `ours` with what `theirs` changed since `base`, and the paths that conflict.
fn merge(base: &Tree, ours: &Tree, theirs: &Tree) -> (Tree, BTreeSet<String>) {
    let names: BTreeSet<&String> = base.keys().chain(theirs.keys()).collect();
    let changed = names
        .into_iter()
        .filter(|name| base.get(*name) != theirs.get(*name));
    let (mut result, mut conflicts, mut added) = (ours.clone(), BTreeSet::new(), Vec::new());
    for name in changed {
        match merged(base.get(name), ours.get(name), theirs.get(name)) {
            Ok(Some(content)) => added.push((name, content)),
            Ok(None) => drop(result.remove(name)),
            Err(()) => drop(conflicts.insert(name.clone())),
        }
    }
    let standing = result.clone();
    for (name, content) in added {
        let overlaps = |other: &String| {
            other.starts_with(&format!("{name}/")) || name.starts_with(&format!("{other}/"))
        };
        if standing.keys().any(overlaps) {
            conflicts.insert(name.clone());
        } else {
            result.insert(name.clone(), content);
        }
    }
    (result, conflicts)
}

/// A tree of the run's, as files.
fn shown(run: &Run<'_>, id: &Id) -> Tree {
    let worktree = run.world.worktree(&run.own, "model");
    let commit = run.own.tree_of(id).unwrap();
    worktree
        .make(&run.own.commit(&commit, &[], "x").unwrap())
        .unwrap();
    tree(worktree.path())
}

fn set(names: &[String]) -> BTreeSet<String> {
    names.iter().cloned().collect()
}

fn step(run: &mut Run<'_>, edits: &[Edit], words: &Words<'_>) {
    let worktree = run.world.worktree(&run.own, "step");
    worktree.make(&run.head).unwrap();
    apply(worktree.path(), edits, words);
    let tree = worktree.tree().unwrap();
    run.head = run.own.commit(&tree, &[], "step").unwrap();
}

/// Joins, and compares with the model; the paths that conflict.
fn join(run: &mut Run<'_>) -> BTreeSet<String> {
    let (base, head) = (shown(run, &run.base), shown(run, &run.head));
    let checkout = tree(&run.world.repo());
    let (_, conflicts) = run.join();
    let (expected, conflicting) = merge(&base, &head, &checkout);
    assert_eq!(set(&conflicts), conflicting);
    assert_eq!(shown(run, &run.head), expected);
    assert_eq!(tree(&run.world.repo()), checkout);
    conflicting
}

/// Lands with nobody else at work, and compares with the model.
fn land(run: &mut Run<'_>) {
    let (base, head) = (shown(run, &run.base), shown(run, &run.head));
    let checkout = tree(&run.world.repo());
    let report = run.land();
    let (expected, conflicts) = merge(&base, &checkout, &head);
    assert_eq!(tree(&run.world.repo()), expected, "{report:?}");
    let held = report.held.into_iter().map(|held| held.path);
    assert_eq!(held.collect::<BTreeSet<_>>(), conflicts);
}

/// Lands while a person edits and something kills it; what the person wrote is there afterwards, alone or merged.
fn land_disturbed(
    run: &mut Run<'_>,
    words: &Words<'_>,
    edits: Option<&(usize, Vec<Edit>)>,
    killed: Option<usize>,
) {
    let repo = run.world.repo();
    let (base, head) = (shown(run, &run.base), shown(run, &run.head));
    let (calls, written) = (Cell::new(0), RefCell::new(Tree::new()));
    let removed = RefCell::new(BTreeSet::new());
    let disturb = |_: &'static str| {
        let call = calls.get();
        calls.set(call + 1);
        if let Some((_, edits)) = edits.filter(|(when, _)| *when == call) {
            let before = without_ours(tree(&repo));
            apply(&repo, edits, words);
            let after = without_ours(tree(&repo));
            let gone = before.keys().filter(|name| !after.contains_key(*name));
            removed.borrow_mut().extend(gone.cloned());
            let new = after
                .into_iter()
                .filter(|(name, now)| before.get(name) != Some(now));
            written.borrow_mut().extend(new);
        }
        if killed == Some(call) {
            resume_unwind(Box::new("killed"));
        }
    };
    let landed = catch_unwind(AssertUnwindSafe(|| run.land_with(&disturb)));
    let report = landed.unwrap_or_else(|_| run.land());
    let now = tree(&repo);
    for (name, content) in &*written.borrow() {
        let both = merged(base.get(name), Some(content), head.get(name));
        let found = now.get(name);
        let is_there = found == Some(content) || both.is_ok_and(|both| found == both.as_ref());
        assert!(is_there, "{name}: {content:?} became {found:?}: {report:?}");
    }
    for name in removed
        .borrow()
        .difference(&written.borrow().keys().cloned().collect())
    {
        let found = now.get(name);
        // Something of the run's may come there that the person never saw.
        assert!(
            found.is_none() || !base.contains_key(name),
            "{name}: {found:?}"
        );
    }
}

fn without_ours(mut tree: Tree) -> Tree {
    tree.retain(|name, _| !name.contains(".signoff-landing"));
    tree
}

/// Every line that is there and that the person wrote.
fn lines_of_person(tree: &Tree) -> BTreeSet<String> {
    let lines = tree.values().flat_map(|content| match content {
        Content::File { first, last, .. } => vec![first, last],
        Content::Link(target) => vec![target],
    });
    let persons = lines.filter(|line| line.starts_with('p'));
    persons.cloned().collect()
}

fn cases() -> u32 {
    match std::env::var_os("SIGNOFF_SOAK") {
        Some(_) => 400,
        None => 12,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn nothing_of_a_persons_is_lost_or_reverted(first in edits(), acts in acts()) {
        let world = World::new();
        let counter = Cell::new(0);
        let (person, agent) = (Words("p", &counter), Words("r", &counter));
        apply(&world.repo(), &first, &person);
        world.commit("first");
        let mut run = Run::begin(&world);
        for act in &acts {
            match act {
                Act::Person(edits) => apply(&world.repo(), edits, &person),
                Act::Join => drop(join(&mut run)),
                Act::Step(edits) => step(&mut run, edits, &agent),
                Act::Land { step: work, edits, killed } => {
                    step(&mut run, work, &agent);
                    if edits.is_none() && killed.is_none() {
                        land(&mut run);
                    } else {
                        land_disturbed(&mut run, &person, edits.as_ref(), *killed);
                    }
                }
            }
        }
        // In the end both have the same, but for what somebody has to settle.
        let conflicts = join(&mut run);
        land(&mut run);
        let (mut checkout, mut head) = (tree(&world.repo()), shown(&run, &run.head));
        let overlaps = |name: &String| conflicts.iter().any(|other| {
            name == other || name.starts_with(&format!("{other}/")) || other.starts_with(&format!("{name}/"))
        });
        checkout.retain(|name, _| !overlaps(name));
        head.retain(|name, _| !overlaps(name));
        prop_assert_eq!(checkout, head);
        let before = lines_of_person(&tree(&world.repo()));
        run.own.unland_files(&run.landed, &run.first, &|_| {}).unwrap();
        let after = lines_of_person(&tree(&world.repo()));
        prop_assert!(before.is_subset(&after), "{before:?} became {after:?}");
    }
}
