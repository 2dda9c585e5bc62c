//! `undo`: undoes the changes of a run, and lists them.

use signoff_runtime::SystemClock;
use signoff_runtime::live::landing::UndoReport;

use crate::failure::{Failure, not_undone};
use crate::report::count::count_of;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, GOOD, paint, sanitize};

pub(crate) fn undo(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    session.require_person("undo a run")?;
    let project = session.project()?;
    let undone = signoff_runtime::live::landing::undo(&project, run, &SystemClock::new())?;
    if session.is_json() {
        session.json(&undone.to_api());
    } else {
        for line in undo_lines(&undone) {
            session.out.answer(line);
        }
    }
    if undone.refused.is_empty() {
        Ok(0)
    } else {
        Err(not_undone(&undone))
    }
}

/// One line for each change that was undone, then the summary if nothing was refused.
fn undo_lines(undone: &UndoReport) -> Vec<String> {
    let restored = undone.restored.iter();
    let restored = restored.map(|path| format!("restored {}", sanitize(path)));
    let removed = undone.deleted.iter().chain(&undone.removed);
    let removed = removed.map(|what| format!("removed {}", sanitize(what)));
    let whole = undone.refused.is_empty().then(|| summary(undone));
    let kept = undone.kept.as_ref().map(|name| kept_line(undone, name));
    let left = undone.left.iter();
    let left = left.map(|why| format!("left as it is: {}", sanitize(why)));
    restored
        .chain(removed)
        .chain(left)
        .chain(whole)
        .chain(kept)
        .collect()
}

/// The line that says where the run's commits are.
fn kept_line(undone: &UndoReport, name: &str) -> String {
    let branch = name.trim_start_matches("refs/heads/");
    let git = match &undone.kept_in {
        Some(worktree) => format!("git --git-dir {}", shell_word(&worktree.to_string_lossy())),
        None => "git".to_owned(),
    };
    format!("the run's commits stay until `signoff prune`: `{git} log -p {branch}`")
}

/// One line about what was undone.
pub(crate) fn summary(undone: &UndoReport) -> String {
    let run = &undone.run;
    if undone.already {
        return format!("{} already: run {run}", paint(CARE, "undone"));
    }
    // Worktrees are listed by path, branches by name.
    let is_worktree = |what: &&String| what.starts_with('/');
    let worktrees = undone.removed.iter().filter(is_worktree).count();
    let branches = undone.removed.len() - worktrees;
    let parts: Vec<String> = [
        (undone.restored.len(), "file restored", "files restored"),
        (undone.deleted.len(), "file removed", "files removed"),
        (worktrees, "worktree removed", "worktrees removed"),
        (branches, "branch removed", "branches removed"),
    ]
    .into_iter()
    .filter(|(count, _, _)| *count > 0)
    .map(|(count, one, many)| count_of(count, one, many))
    .collect();
    if parts.is_empty() && !undone.left.is_empty() {
        return format!(
            "{} run {run}: nothing could be undone without overwriting your later changes",
            paint(CARE, "undone")
        );
    }
    if parts.is_empty() {
        return format!("{} to undo: run {run} left nothing", paint(CARE, "nothing"));
    }
    format!("{} run {run}: {}", paint(GOOD, "undone"), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().copied().map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(
        restored: &[&str],
        removed: &[&str],
        refused: &[&str],
        expected: &[&str],
    ) -> UndoReport {
        let undone = UndoReport {
            run: "r1".to_owned(),
            restored: texts(restored),
            removed: texts(removed),
            refused: texts(refused),
            ..UndoReport::default()
        };
        let lines = undo_lines(&undone);
        let lines: Vec<String> = lines
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_eq!(lines, expected);
        assert_eq!(undone.to_api().undone, refused.is_empty());
        undone
    }

    #[test]
    fn all_that_was_taken_back_is_named() {
        check(
            &["a.rs"],
            &["/w/run", "signoff/r1"],
            &[],
            &[
                "restored a.rs",
                "removed /w/run",
                "removed signoff/r1",
                "undone run r1: 1 file restored, 1 worktree removed, 1 branch removed",
            ],
        );
        check(&[], &[], &[], &["nothing to undo: run r1 left nothing"]);
    }

    #[test]
    fn where_the_rest_can_be_found_is_said() {
        let undone = UndoReport {
            run: "r1".to_owned(),
            restored: texts(&["a"]),
            deleted: texts(&["b", "c"]),
            kept: Some("refs/heads/signoff/r1".to_owned()),
            ..UndoReport::default()
        };
        let text = undo_lines(&undone).join("\n");
        let text = anstream::adapter::strip_str(&text).to_string();
        let expected = "restored a\nremoved b\nremoved c\nundone run r1: 1 file restored, 2 files removed\n\
                        the run's commits stay until `signoff prune`: `git log -p signoff/r1`";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_stays_is_a_conflict() {
        let why = "`a.rs` was changed after the run";
        let part = check(&["b.rs"], &[], &[why], &["restored b.rs"]);
        let failure = not_undone(&part);
        assert_eq!((failure.exit, failure.code), (5, "not-undone"));
        assert_eq!(failure.message, "cannot undo everything of run r1");
        assert_eq!(failure.details, [why]);
        let none = check(&[], &[], &[why], &[]);
        assert_eq!(not_undone(&none).message, "cannot undo anything of run r1");
    }
}
