//! A long-lived process reads no more of a run than was appended; what it knows is what anybody would read anew.

use std::collections::BTreeMap;

use signoff_runtime::project::{
    CachedProject, ExternalServices, ProcessContext, Project as Opened,
};
use signoff_runtime::runs::view::RunView;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{agent, newest_run, plan, signed};

fn asking() -> Project {
    let script = Script::new()
        .reply(Reply::when(["Make it"]).write("out", "x\n"))
        .reply(Reply::when(["Never"]).say("All is well!"));
    let never = format!("{}**on_fail:** escalate\n", agent("Never do it.", "never"));
    let project = signed(&script, &plan(&[&agent("Make it.", "out"), &never]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    project
}

/// Everything that a run tells.
fn told(project: &Opened, run: &str) -> Result<serde_json::Value, String> {
    let view = RunView::load(project, run).map_err(|why| format!("{why:?}"))?;
    let report = view.report(project, 0).map_err(|why| format!("{why:?}"))?;
    let report = serde_json::to_value(report).expect("it is JSON");
    Ok(serde_json::json!([
        report,
        view.last_seq,
        view.began,
        view.last,
        view.terms
    ]))
}

fn process(project: &Project) -> ProcessContext {
    ProcessContext {
        variables: BTreeMap::new(),
        directory: project.path().canonicalize().expect("it is there"),
        user_config: None,
        state_dir: None,
        person: "tester".to_owned(),
        services: ExternalServices::default(),
    }
}

#[test]
fn an_update_has_the_steps_that_are_asked_for_and_the_newest_as_the_report_has_them() {
    let project = asking();
    let run = newest_run(&project);
    let process = process(&project);
    let keeping = CachedProject::default();
    let kept = keeping.open(&process).expect("a project");
    let anew = Opened::open(&process).expect("a project");
    let check = |named: &[&str], newest: usize, expected: &[&str], earlier: usize| {
        for project in [&*kept, &anew] {
            let view = RunView::load(project, &run).expect("it can be read");
            let mut report = view.report(project, 0).expect("it can be read");
            let update = view.update(project, named, newest).expect("it can be read");
            report.steps.retain(|step| expected.contains(&&*step.id));
            report
                .run
                .steps
                .retain(|step| expected.contains(&&*step.id));
            assert_eq!(report.steps.len(), expected.len());
            assert_eq!((update.run, update.steps), (report.run, report.steps));
            assert_eq!(update.earlier, earlier, "{named:?}, {newest}");
        }
    };
    check(&[], 9, &["step-1", "step-2"], 0);
    check(&[], 1, &["step-2"], 1);
    check(&["step-1"], 1, &["step-1", "step-2"], 0);
    check(&["step-1", "step-1", "none"], 0, &["step-1"], 1);
    check(&[], 0, &[], 2);
}

#[test]
fn what_is_kept_is_what_is_there() {
    let project = asking();
    let run = newest_run(&project);
    let process = process(&project);
    let keeping = CachedProject::default();
    let journal = project
        .path()
        .join(format!(".signoff/runs/{run}/journal.jsonl"));
    let same = |what: &str| {
        let kept = keeping.open(&process).expect("a project");
        let anew = Opened::open(&process).expect("a project");
        let (kept, anew) = (told(&kept, &run), told(&anew, &run));
        assert_eq!(kept, anew, "{what}");
        anew
    };
    let before = same("read for the first time").expect("it can be read");
    same("nothing new").expect("it can be read");
    let item = project.json(["inbox"])["items"][0]["id"].clone();
    let item = item.as_str().expect("a question").to_owned();
    project.signoff(["answer", &item, "skip"]).assert_success();
    let answered = same("answered").expect("it can be read");
    assert_ne!(answered, before);
    project.signoff(["resume"]);
    let after = same("resumed").expect("it can be read");
    assert_ne!(after, answered);
    // Its end is lost, then another one is there, then it is whole again.
    let whole = std::fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<&str> = whole.lines().collect();
    let cut = format!("{}\n", lines[..lines.len() - 1].join("\n"));
    std::fs::write(&journal, &cut).expect("it is ours");
    same("cut").expect_err("its end is missing");
    std::fs::write(&journal, format!("{cut}{{}}\n")).expect("it is ours");
    same("another end").expect_err("that is no record");
    std::fs::write(&journal, &whole).expect("it is ours");
    assert_eq!(same("whole again").expect("it can be read"), after);
}
