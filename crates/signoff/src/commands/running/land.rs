//! `land`: brings a run's changes into the checkout, or says why it cannot.

use std::path::{Component, Path, PathBuf};

use signoff_api::landing::Landing as Shape;
use signoff_runtime::SystemClock;
use signoff_runtime::live::landing::{LandingReport, SettleOptions};
use signoff_runtime::project::Project;

use crate::args::Land;
use crate::failure::{Failure, not_landed, settling_commands};
use crate::report::count::count_of;
use crate::session::Session;
use crate::style::{CARE, GOOD, paint, sanitize};

pub(crate) fn land(session: &mut Session, args: &Land) -> Result<u8, Failure> {
    session.require_person("land a run")?;
    let project = session.project()?;
    let inside = |paths: &[PathBuf]| {
        paths
            .iter()
            .map(|path| in_project(&project, path))
            .collect()
    };
    let settlement = SettleOptions {
        take: inside(&args.take),
        keep: inside(&args.keep),
    };
    let run = args.run.run.as_deref();
    let clock = SystemClock::new();
    let landing = signoff_runtime::live::landing::land(&project, run, &settlement, &clock)?;
    if session.is_json() {
        session.json(&to_api(&landing));
    }
    if !landing.refused.is_empty() {
        return Err(not_landed(&landing));
    }
    if !session.is_json() {
        session.out.answer(summary(&landing));
    }
    Ok(0)
}

/// A typed path, relative to the project.
fn in_project(project: &Project, path: &Path) -> String {
    let absolute = project.process.directory.join(path);
    let inside = absolute.strip_prefix(project.store.workspace());
    let inside = inside.unwrap_or(path).components();
    let inside: PathBuf = inside.filter(|part| *part != Component::CurDir).collect();
    inside.to_string_lossy().into_owned()
}

/// One line about a landing that was not refused.
pub(crate) fn summary(landing: &LandingReport) -> String {
    let run = &landing.run;
    let branch = landing.branch.as_deref().map(sanitize);
    let branch_text = branch.map_or_else(String::new, |branch| format!(" on `{branch}`"));
    if landing.already {
        return format!("{} already: run {run}{branch_text}", paint(CARE, "landed"));
    }
    if let Some(files) = landing.files.as_ref().filter(|files| !files.is_empty()) {
        let count = count_of(files.len(), "file", "files");
        return format!("{} run {run}: {count}", paint(GOOD, "landed"));
    }
    if landing.settled {
        return format!(
            "{} run {run}: all held files are settled as they are in your checkout",
            paint(GOOD, "landed")
        );
    }
    if landing.commits == 0 || landing.files.is_some() {
        return format!(
            "{} to land: run {run} changed no files",
            paint(CARE, "nothing")
        );
    }
    let count = count_of(landing.commits, "commit", "commits");
    let commit = landing.commit.as_deref().map(short_name);
    let at = commit.map_or_else(String::new, |commit| format!(", now at {commit}"));
    format!(
        "{} run {run}: {count}{branch_text}{at}",
        paint(GOOD, "landed")
    )
}

/// The first digits of a commit's name.
fn short_name(commit: &str) -> String {
    commit.chars().take(12).collect()
}

pub(crate) fn to_api(landing: &LandingReport) -> Shape {
    let mut shape = landing.to_api();
    let held = landing.held.iter();
    // Commits land as a whole.
    let ways = if landing.files.is_some() { 2 } else { 1 };
    let settling = held.flat_map(|held| {
        settling_commands(&landing.run, &held.path)
            .into_iter()
            .take(ways)
    });
    shape.by_hand.extend(settling);
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landing() -> LandingReport {
        LandingReport {
            run: "r1".to_owned(),
            commits: 2,
            commit: Some("0123456789abcdef".to_owned()),
            branch: Some("main".to_owned()),
            ..LandingReport::default()
        }
    }

    #[track_caller]
    fn check(landing: &LandingReport, expected: &str) {
        let line = anstream::adapter::strip_str(&summary(landing)).to_string();
        assert_eq!(line, expected);
        assert!(to_api(landing).landed);
    }

    #[test]
    fn one_line_says_what_came_in() {
        check(
            &landing(),
            "landed run r1: 2 commits on `main`, now at 0123456789ab",
        );
        let detached = LandingReport {
            branch: None,
            commits: 1,
            ..landing()
        };
        check(&detached, "landed run r1: 1 commit, now at 0123456789ab");
        let already = LandingReport {
            already: true,
            ..landing()
        };
        check(&already, "landed already: run r1 on `main`");
        let nothing = LandingReport {
            run: "r1".to_owned(),
            ..LandingReport::default()
        };
        check(&nothing, "nothing to land: run r1 changed no files");
    }

    #[test]
    fn a_refusal_is_a_conflict_with_every_reason_and_what_to_type() {
        let refused = LandingReport {
            refused: vec![
                "`a.rs` changed since the run began".to_owned(),
                "b".to_owned(),
            ],
            by_hand: vec!["git merge signoff/r1".to_owned()],
            ..landing()
        };
        assert!(!to_api(&refused).landed);
        let failure = not_landed(&refused);
        assert_eq!((failure.exit, failure.code), (5, "not-landed"));
        assert_eq!(failure.details, refused.refused);
        assert_eq!(failure.hints, ["`git merge signoff/r1`"]);
        assert!(failure.message.contains("the checkout stays as it is"));
        let no_way = LandingReport {
            by_hand: Vec::new(),
            cut_off: true,
            ..refused
        };
        let failure = not_landed(&no_way);
        assert!(failure.hints.is_empty());
        assert!(
            failure
                .message
                .contains("the checkout may hold a part of it")
        );
    }
}
