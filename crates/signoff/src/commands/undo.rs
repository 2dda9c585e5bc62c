//! `undo`: takes back what a run did, and says exactly what.

use signoff_api::undo::{SCHEMA, Undo as Shape};
use signoff_runtime::SystemClock;
use signoff_runtime::landing::Undone;

use super::list::counted;
use crate::failure::{Failure, not_undone};
use crate::report::style::{CARE, GOOD, harmless, paint};
use crate::session::Session;

pub(crate) fn undo(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    session.require_person("take a run back")?;
    let project = session.project()?;
    let undone = signoff_runtime::landing::undo(&project, run, &SystemClock::new())?;
    if session.is_json() {
        session.json(&shape(&undone));
    } else {
        for line in lines(&undone) {
            session.out.answer(line);
        }
    }
    if undone.refused.is_empty() {
        Ok(0)
    } else {
        Err(not_undone(&undone))
    }
}

/// Each thing that was taken back; and the whole, where nothing was refused.
fn lines(undone: &Undone) -> Vec<String> {
    let restored = undone.restored.iter();
    let restored = restored.map(|path| format!("put back {}", harmless(path)));
    let removed = undone.removed.iter();
    let removed = removed.map(|what| format!("removed {}", harmless(what)));
    let whole = undone.refused.is_empty().then(|| whole(undone));
    restored.chain(removed).chain(whole).collect()
}

fn whole(undone: &Undone) -> String {
    let run = &undone.run;
    let parts: Vec<String> = [
        (undone.restored.len(), "file put back", "files put back"),
        (
            undone.removed.len(),
            "worktree or branch removed",
            "worktrees and branches removed",
        ),
    ]
    .into_iter()
    .filter(|(count, _, _)| *count > 0)
    .map(|(count, one, many)| counted(count, one, many))
    .collect();
    if parts.is_empty() {
        return format!(
            "{} to take back: run {run} left nothing",
            paint(CARE, "nothing")
        );
    }
    format!("{} run {run}: {}", paint(GOOD, "undone"), parts.join(", "))
}

fn shape(undone: &Undone) -> Shape {
    let Undone {
        run,
        restored,
        removed,
        refused,
        for_good: _,
    } = undone.clone();
    Shape {
        schema: SCHEMA.to_owned(),
        run,
        undone: refused.is_empty(),
        restored,
        removed,
        refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().copied().map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(restored: &[&str], removed: &[&str], refused: &[&str], expected: &[&str]) -> Undone {
        let undone = Undone {
            run: "r1".to_owned(),
            restored: texts(restored),
            removed: texts(removed),
            refused: texts(refused),
            for_good: false,
        };
        let lines = lines(&undone);
        let lines: Vec<String> = lines
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_eq!(lines, expected);
        assert_eq!(shape(&undone).undone, refused.is_empty());
        undone
    }

    #[test]
    fn all_that_was_taken_back_is_named() {
        check(
            &["a.rs"],
            &["worktree /w/run", "branch signoff/r1"],
            &[],
            &[
                "put back a.rs",
                "removed worktree /w/run",
                "removed branch signoff/r1",
                "undone run r1: 1 file put back, 2 worktrees and branches removed",
            ],
        );
        check(
            &[],
            &[],
            &[],
            &["nothing to take back: run r1 left nothing"],
        );
    }

    #[test]
    fn what_stays_is_a_conflict() {
        let why = "`a.rs` was changed after the run";
        let part = check(&["b.rs"], &[], &[why], &["put back b.rs"]);
        let failure = not_undone(&part);
        assert_eq!((failure.exit, failure.code), (5, "not-undone"));
        assert_eq!(failure.message, "not all of run r1 could be taken back");
        assert_eq!(failure.details, [why]);
        let none = check(&[], &[], &[why], &[]);
        assert_eq!(
            not_undone(&none).message,
            "nothing of run r1 could be taken back"
        );
    }
}
