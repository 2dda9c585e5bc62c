//! What steps and a person do to a few files, and what the checkout holds when all of it came together.
//!
//! Everybody has lines of their own, far enough apart to be merged, unless a person clashes on purpose.

pub(crate) mod hand;

use std::collections::BTreeMap;

use proptest::prelude::*;

pub(crate) const SHARED: [&str; 2] = ["f0", "f1"];
const LINES: usize = 100;
/// Lines between those of two steps.
const APART: usize = 8;

pub(crate) type Files = BTreeMap<String, String>;

/// What a step does besides making a file of its own.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The step that it waits for.
    pub(crate) after: Option<usize>,
    /// The shared file that it changes a line of.
    pub(crate) marks: usize,
    /// It changes the line of the step that it waits for, too.
    pub(crate) goes_on: bool,
    /// It removes a file that nobody else touches.
    pub(crate) removes: bool,
}

/// What a person does in the checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Changes a line of their own in a file that steps change elsewhere.
    Mark(usize),
    /// Changes a file that no step knows.
    Own,
    Create,
    Delete,
    Commit,
    /// Changes the line of a step.
    Clash(usize),
    /// Deletes a file that steps change.
    Remove(usize),
}

/// When a person does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// While this step's agent works.
    Work(usize),
    /// While its contract runs.
    Judge(usize),
    /// Once it is completed, and before anything else goes on.
    Done(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) steps: Vec<Step>,
    pub(crate) edits: Vec<(Moment, Edit)>,
    pub(crate) jobs: usize,
    pub(crate) land: &'static str,
    pub(crate) git: bool,
    /// Which of several steps that wait goes on first.
    pub(crate) order: Vec<usize>,
}

/// Cases whose person keeps out of the steps' lines, or does not.
pub(crate) fn case(clashes: bool) -> impl Strategy<Value = Case> {
    let steps = (2..=4usize).prop_flat_map(|count| (0..count).map(step).collect::<Vec<_>>());
    let how = (1..=3usize, Just(vec![0, 1, 2, 3]).prop_shuffle());
    (steps, how).prop_flat_map(move |(steps, (jobs, order))| {
        let count = steps.len();
        let edits = proptest::collection::vec((moment(count), edit(count, clashes)), 2..=6);
        edits.prop_map(move |edits| Case {
            steps: steps.clone(),
            edits,
            jobs,
            land: "step",
            git: true,
            order: order.clone(),
        })
    })
}

fn step(at: usize) -> impl Strategy<Value = Step> {
    let after = match at {
        0 => Just(None).boxed(),
        _ => proptest::option::of(0..at).boxed(),
    };
    (after, 0..SHARED.len(), any::<bool>(), any::<bool>()).prop_map(
        |(after, marks, goes_on, removes)| Step {
            after,
            marks,
            goes_on,
            removes,
        },
    )
}

fn moment(steps: usize) -> impl Strategy<Value = Moment> {
    prop_oneof![
        (0..steps).prop_map(Moment::Work),
        (0..steps).prop_map(Moment::Judge),
        (0..steps).prop_map(Moment::Done),
    ]
}

fn edit(steps: usize, clashes: bool) -> BoxedStrategy<Edit> {
    let peaceful = prop_oneof![
        3 => (0..SHARED.len()).prop_map(Edit::Mark),
        1 => Just(Edit::Own),
        1 => Just(Edit::Create),
        1 => Just(Edit::Delete),
        1 => Just(Edit::Commit),
    ];
    if !clashes {
        return peaceful.boxed();
    }
    prop_oneof![
        2 => peaceful,
        3 => (0..steps).prop_map(Edit::Clash),
        1 => (0..SHARED.len()).prop_map(Edit::Remove),
    ]
    .boxed()
}

/// The line of a shared file that belongs to a step.
pub(crate) fn line_of(step: usize) -> usize {
    (step + 1) * APART
}

/// The line of a shared file that belongs to an edit.
fn line_of_edit(edit: usize) -> usize {
    (5 + edit) * APART
}

impl Case {
    /// The same under all settings, each in an order and with a number of jobs of its own.
    pub(crate) fn everywhere(&self) -> Vec<Self> {
        let settings = [
            ("step", true),
            ("end", true),
            ("step", false),
            ("end", false),
        ];
        let cases = settings.into_iter().enumerate().map(|(at, (land, git))| {
            let mut case = self.clone();
            case.order.rotate_left(at);
            case.jobs = (self.jobs + at) % 3 + 1;
            Self { land, git, ..case }
        });
        cases.collect()
    }

    /// The step whose line this one changes, too: only the first one that waits for it does.
    pub(crate) fn goes_on(&self, at: usize) -> Option<usize> {
        let step = &self.steps[at];
        let after = step.after.filter(|_| step.goes_on)?;
        let is_first = self.steps[..at].iter().all(|one| one.after != Some(after));
        is_first.then_some(after)
    }

    /// The lines that a step changes: file and number.
    pub(crate) fn marks(&self, at: usize) -> Vec<(&'static str, usize)> {
        let own = (SHARED[self.steps[at].marks], line_of(at));
        let other = self.goes_on(at);
        let other = other.map(|other| (SHARED[self.steps[other].marks], line_of(other)));
        std::iter::once(own).chain(other).collect()
    }

    /// What there is before anything happens.
    pub(crate) fn base(&self) -> Files {
        let text = (1..=LINES).fold(String::new(), |text, line| format!("{text}line {line}\n"));
        let mut files: Files = SHARED.map(|name| (name.to_owned(), text.clone())).into();
        files.insert("mine".to_owned(), "mine\n".to_owned());
        let gone = (0..self.steps.len()).map(|at| format!("gone-{at}"));
        let persons = (0..self.edits.len()).map(|at| format!("d/p-gone-{at}"));
        files.extend(gone.chain(persons).map(|name| (name, "gone\n".to_owned())));
        files
    }

    /// What there is when everything came together without a conflict.
    pub(crate) fn whole(&self) -> Files {
        let mut files = self.base();
        for (at, step) in self.steps.iter().enumerate() {
            for (file, line) in self.marks(at) {
                mark(&mut files, file, line, |text| format!("{text} by-{at}"));
            }
            files.insert(format!("new/{at}"), format!("{at}\n"));
            if step.removes {
                files.remove(&format!("gone-{at}"));
            }
        }
        for (at, (_, edit)) in self.edits.iter().enumerate() {
            perform(&mut files, at, *edit, self);
        }
        // Their order is that of the moments.
        if let Some(mine) = files.get_mut("mine") {
            *mine = sorted(mine);
        }
        files
    }
}

/// What a person's edit makes of the files.
pub(crate) fn perform(files: &mut Files, at: usize, edit: Edit, case: &Case) {
    match edit {
        Edit::Mark(file) => {
            let change = |text: &str| format!("{text} p{at}");
            mark(files, SHARED[file], line_of_edit(at), change);
        }
        Edit::Own => {
            let mine = files.entry("mine".to_owned()).or_default();
            *mine = format!(
                "{mine}p{at}
"
            );
        }
        Edit::Create => drop(files.insert(format!("d/p-new-{at}"), format!("p{at}\n"))),
        Edit::Delete => drop(files.remove(&format!("d/p-gone-{at}"))),
        Edit::Commit => {}
        Edit::Clash(step) => {
            let file = SHARED[case.steps[step].marks];
            mark(files, file, line_of(step), |text| format!("p{at} {text}"));
        }
        Edit::Remove(file) => drop(files.remove(SHARED[file])),
    }
}

fn mark(files: &mut Files, file: &str, line: usize, change: impl Fn(&str) -> String) {
    let Some(text) = files.get_mut(file) else {
        return;
    };
    let lines = text.lines().enumerate();
    let changed = lines.map(|(at, text)| {
        let text = if at + 1 == line {
            change(text)
        } else {
            text.to_owned()
        };
        text + "
"
    });
    *text = changed.collect();
}

pub(crate) fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}
