//! Runs of an ordinary user whose home has a cache, which is shown in layers: the kernel leaves directories in them that
//! their owner may not read. What root does never shows what is wrong there.

use std::fs;

use signoff_testkit::Project;

use crate::support::{BINARY, agent, plan};

const RUN: [&str; 2] = ["run", "plan.md"];

/// A signed plan of one step, whose agent says that it has begun and waits until it may go on.
fn project(settings: &str) -> Project {
    let project = Project::new(BINARY).on_trees();
    for cache in [".npm/_cacache", ".cargo/registry"] {
        let cache = project.home().join(cache);
        fs::create_dir_all(&cache).expect("the folder is ours");
        fs::write(cache.join("downloaded"), "cached\n").expect("the folder is ours");
    }
    let (began, go) = (project.outside("began"), project.outside("go"));
    let work = format!(
        "touch {}; until test -e {}; do sleep 0.02; done; echo x > out.txt; \
         cd; echo more >> .npm/_cacache/downloaded",
        began.display(),
        go.display()
    );
    let config = format!(
        "[run]\nbackoff = \"5ms\"\n{settings}\n[agents.coder]\ndriver = \"command\"\n\
         command = [\"bash\", \"-c\", {work:?}]\n"
    );
    project
        .write(".signoff/config.toml", &config)
        .write("plan.md", &plan(&[&agent("Work", "out.txt")]));
    let project = project.of_ordinary_user();
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// The same after its run was killed while the agent worked.
fn killed() -> Project {
    let project = project("");
    let mut running = project.spawn(RUN);
    assert!(running.wait_until(|| project.outside("began").exists()));
    running.kill();
    assert!(!scratches(&project).is_empty(), "nothing was left");
    project
}

/// What processes of runs left that was their own.
fn scratches(project: &Project) -> String {
    project
        .bash(
            "find .signoff/runs/*/scratch -mindepth 1 -maxdepth 1 2> /dev/null; true",
            &project.path(),
        )
        .stdout
}

fn let_go(project: &Project) {
    fs::write(project.outside("go"), "").expect("the folder is ours");
}

#[test]
fn a_killed_run_is_taken_up_again() {
    let project = killed();
    let_go(&project);
    project.signoff(["resume"]).assert_success();
    assert_eq!(project.read("out.txt"), "x\n");
    assert_eq!(scratches(&project), "");
    let cache = project.home().join(".npm/_cacache/downloaded");
    assert_eq!(fs::read_to_string(cache).expect("it is there"), "cached\n");
}

#[test]
fn a_killed_run_is_given_up_taken_back_and_cleared_away() {
    let project = killed();
    project.signoff(["abort"]).assert_success();
    project.signoff(["undo"]).assert_success();
    assert_eq!(scratches(&project), "");
}

#[test]
fn a_killed_run_of_a_plan_that_is_gone_is_pruned() {
    let project = killed();
    project.signoff(["cancel", "plan.md"]).assert_success();
    // What an agent wrote may be there with rights that it took away, too.
    let shut = "rm plan.md; cd .signoff/runs/*/ && mkdir -p shut/inner && chmod 000 shut";
    project.bash(shut, &project.path()).assert_success();
    let pruned = project.signoff(["prune", "--older-than", "0"]);
    pruned.assert_success();
    let left = project.bash("ls .signoff/runs", &project.path());
    assert_eq!(left.stdout, "", "{pruned}");
}

#[test]
fn preparing_leaves_nothing() {
    let project = project("prepare = [\"cd; echo more >> .npm/_cacache/downloaded\"]\n");
    let mut running = project.spawn(RUN);
    assert!(running.wait_until(|| project.outside("began").exists()));
    let meanwhile = scratches(&project);
    assert!(!meanwhile.contains("prepare"), "{meanwhile}");
    let_go(&project);
    running.wait().assert_success();
    assert_eq!(scratches(&project), "");
}
