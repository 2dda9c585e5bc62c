//! Whole runs beside a person who edits, creates, deletes and commits at every moment: whatever the interleaving, the
//! checkout ends as the same tree; where both changed the same lines the person's stay, and the run's version is named.
//!
//! Agents and contracts wait at gates, so that each edit falls where it should. A few cases in the ordinary tests, many in
//! `cargo xtask soak`.

use std::fmt::Write as _;
use std::fs;

use proptest::prelude::*;
use serde_json::Value;
use signoff_testkit::{Output, Project, Script};

use crate::support::busy_checkout::shell;
use crate::support::person::hand::{Hand, checkout, commit, gate};
use crate::support::person::{Case, Edit, Files, SHARED, case, line_of, sorted};
use crate::support::{plan, project, soak};

fn step(project: &Project, case: &Case, at: usize) -> String {
    let after = case.steps[at].after;
    let after = after.map_or("none".to_owned(), |after| (after + 1).to_string());
    let seen: Vec<String> = case
        .marks(at)
        .iter()
        .map(|(file, line)| {
            format!("{{ test ! -e {file} || sed -n {line}p {file} | grep -q by-{at}; }}")
        })
        .collect();
    let seen = format!("test -s new/{at} && {}", seen.join(" && "));
    let gate = gate(project, &format!("judge-{at}"));
    format!(
        "**id:** s{at}\n**target:** coder\n**depends_on:** {after}\n**on_fail:** retry(5), then escalate\n**task:**\nDo part {at}.\n\n**contract:**\n```shell\n{seen} || exit 1\n{gate}\n{seen}\n```\n"
    )
}

fn agent(project: &Project, case: &Case) -> String {
    let mut script = "part=$(grep -o 'Do part [0-9]*' | head -n 1)\ncase $part in\n".to_owned();
    for (at, step) in case.steps.iter().enumerate() {
        let gate = gate(project, &format!("work-{at}"));
        let marks = case.marks(at);
        let marks = marks.iter().map(|(file, line)| {
            format!("if test -e {file}; then sed -i '{line}s/$/ by-{at}/' {file}; fi\n")
        });
        let marks: String = marks.collect();
        let removes = if step.removes {
            format!("rm -f gone-{at}\n")
        } else {
            String::new()
        };
        write!(
            script,
            "'Do part {at}')\n{gate}\nmkdir -p new; echo {at} > new/{at}\n{marks}{removes};;\n"
        )
        .expect("a string");
    }
    script + "esac\n"
}

fn prepared(case: &Case) -> Project {
    let project = project(&Script::new(), "").on_trees();
    for (name, text) in case.base() {
        project.write(name, &text);
    }
    let steps: Vec<String> = (0..case.steps.len())
        .map(|at| step(&project, case, at))
        .collect();
    project.write(
        "plan.md",
        &plan(&steps.iter().map(String::as_str).collect::<Vec<_>>()),
    );
    let script = project.outside("agent.sh");
    fs::write(&script, agent(&project, case)).expect("the folder is ours");
    let command = serde_json::json!(["bash", script]);
    let (jobs, land) = (case.jobs, case.land);
    let config = format!(
        "[run]\njobs = {jobs}\nland = \"{land}\"\nbackoff = \"1ms\"\n\n[agents.coder]\ndriver = \"command\"\ncommand = {command}\n"
    );
    project.write(".signoff/config.toml", &config);
    if case.git {
        shell(
            &project,
            "git init -q -b main . && git config user.name u && git config user.email u@x && \
             echo /plan.md >> .git/info/exclude && git add . ':!.signoff' && git commit -qm start",
        );
    }
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// Runs the plan beside the person; when it is over they commit what they have, if there is git, and have it landed.
fn run(case: &Case) -> (Project, Output, Output) {
    let project = prepared(case);
    let output = Hand::start(&project, case).drive();
    let mut landed = project.signoff(["land", "--format", "json"]);
    if case.git && landed.code == Some(5) {
        commit(&project, case);
        landed = project.signoff(["land", "--format", "json"]);
    }
    (project, output, landed)
}

fn config() -> ProptestConfig {
    ProptestConfig {
        // A case takes seconds, and so does each one that is smaller.
        max_shrink_iters: if soak() { 40 } else { 0 },
        failure_persistence: None,
        ..ProptestConfig::with_cases(if soak() { 40 } else { 1 })
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_the_interleaving_the_checkout_is_the_same(case in case(false)) {
        for case in case.everywhere() {
            ends_whole(&case)?;
        }
    }

    #[test]
    fn a_persons_lines_stay_and_the_run_s_version_is_kept_and_named(case in case(true)) {
        for case in case.everywhere() {
            loses_nothing(&case)?;
        }
    }
}

fn ends_whole(case: &Case) -> Result<(), TestCaseError> {
    let (project, output, landed) = run(case);
    prop_assert_eq!(output.code, Some(0), "{:?}\n{}", case, output);
    prop_assert_eq!(landed.code, Some(0), "{:?}\n{}\n{}", case, landed, output);
    let mut found = checkout(&project);
    if let Some(mine) = found.get_mut("mine") {
        *mine = sorted(mine);
    }
    prop_assert_eq!(found, case.whole(), "{:?}\n{}", case, output);
    Ok(())
}

fn loses_nothing(case: &Case) -> Result<(), TestCaseError> {
    let (project, output, landed) = run(case);
    let is_regressed = may_regress(case) && output.stderr.contains("failed: regressed");
    let code = i32::from(is_regressed);
    prop_assert_eq!(output.code, Some(code), "{:?}\n{}", case, output);
    let found = checkout(&project);
    let all = || format!("{case:?}\n{output}\n{landed}\n{found:#?}");
    for (at, (_, edit)) in case.edits.iter().enumerate() {
        prop_assert!(
            stays(case, &found, at, *edit),
            "edit {at}: {edit:?}\n{}",
            all()
        );
    }
    // A run that failed lands no more.
    let marked = if is_regressed { 0 } else { case.steps.len() };
    for at in 0..marked {
        for (file, line) in case.marks(at) {
            let has_mark = |text: &String| {
                let line = text.lines().nth(line - 1);
                line.is_some_and(|line| line.contains(&format!("by-{at}")))
            };
            let was_removed = case.edits.iter().any(|(_, edit)| is_removal(*edit, file));
            let has = was_removed || found.get(file).is_some_and(has_mark);
            let kept = || kept_version(&project, &landed, file).is_some_and(|text| has_mark(&text));
            prop_assert!(has || kept(), "{file}:{line} of step {at}\n{}", all());
        }
    }
    Ok(())
}

/// Two steps mark a file that a person removes: one that began before brings it back, and then lacks the mark of one that
/// was judged while it was gone. The run says so.
fn may_regress(case: &Case) -> bool {
    SHARED.iter().any(|file| {
        let marks = |at: &usize| case.marks(*at).iter().any(|(marked, _)| marked == file);
        let is_removed = case.edits.iter().any(|(_, edit)| is_removal(*edit, file));
        is_removed && (0..case.steps.len()).filter(marks).count() > 1
    })
}

/// What the run has of a file that is not in the checkout, where it says one finds it.
fn kept_version(project: &Project, landed: &Output, file: &str) -> Option<String> {
    let answer = landed.json();
    let held = answer["held"].as_array()?;
    if let Some(held) = held.iter().find(|held| held["path"] == file) {
        return Some(project.read(held["version"].as_str()?));
    }
    // Commits land as a whole: if one file is in the way, none comes in.
    let names_one = |line: &Value| {
        SHARED.iter().any(|file| {
            line.as_str()
                .is_some_and(|line| line.contains(&format!("`{file}`")))
        })
    };
    let is_reported = answer["refused"].as_array()?.iter().any(names_one);
    let branch = answer["branch"]
        .as_str()
        .filter(|_| is_reported && answer["landed"] == false)?;
    Some(shell(project, &format!("git show {branch}:{file}")))
}

fn is_removal(edit: Edit, file: &str) -> bool {
    matches!(edit, Edit::Remove(at) if SHARED[at] == file)
}

/// Is what the person did still to be seen?
fn stays(case: &Case, found: &Files, at: usize, edit: Edit) -> bool {
    let removed = |file: &str| case.edits.iter().any(|(_, edit)| is_removal(*edit, file));
    let has = |file: &str, word: &str| {
        let text = found.get(file);
        text.is_some_and(|text| text.split_whitespace().any(|one| one == word))
    };
    let word = format!("p{at}");
    match edit {
        Edit::Mark(file) => removed(SHARED[file]) || has(SHARED[file], &word),
        Edit::Own => has("mine", &word),
        Edit::Create => has(&format!("d/p-new-{at}"), &word),
        Edit::Delete => !found.contains_key(&format!("d/p-gone-{at}")),
        Edit::Commit => true,
        Edit::Clash(step) => {
            let file = SHARED[case.steps[step].marks];
            let line = found
                .get(file)
                .and_then(|text| text.lines().nth(line_of(step) - 1));
            removed(file) || line.is_some_and(|line| line.contains(&word))
        }
        Edit::Remove(file) => !found.contains_key(SHARED[file]),
    }
}
