//! The power fails: what the journal vouches for is there afterwards.
//!
//! A project lies on an ext4 of its own. The process is killed, and the image of the disk is copied at once: what was not
//! synced is not in the copy, which then takes the disk's place. Needs root, loop devices and `mkfs.ext4`; without them
//! the test says so and does nothing. `cargo xtask soak` cuts the power at many moments.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use signoff_testkit::{Dice, Project, Reply, Script};
use tempfile::TempDir;

use crate::support::busy_checkout::shell;
use crate::support::{BINARY, agent, plan, soak};

/// An ext4 in a file, mounted.
struct Disk {
    folder: TempDir,
    /// How often the power failed.
    cuts: u32,
}

impl Disk {
    /// `None` where no file system can be made.
    fn new() -> Option<Self> {
        let disk = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            cuts: 0,
        };
        let image = disk.image();
        let image = image.to_string_lossy();
        std::fs::create_dir(disk.mounted_at()).expect("the folder is ours");
        let made = runs(&format!("truncate -s 96M {image} && mkfs.ext4 -q {image}"));
        (made && disk.mount()).then_some(disk)
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join(format!("disk-{}", self.cuts))
    }

    fn mounted_at(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Nothing reaches the disk unless it is synced: no commit of the file system's journal by time, no allocation because
    /// of a rename.
    fn mount(&self) -> bool {
        runs(&format!(
            "mount -o loop,commit=3600,noauto_da_alloc {} {}",
            self.image().display(),
            self.mounted_at().display()
        ))
    }

    fn sync(&self) {
        assert!(runs(&format!("sync -f {}", self.mounted_at().display())));
    }

    /// The power fails, and comes back.
    fn cut(&mut self) {
        let before = self.image();
        self.cuts += 1;
        let copied = format!(
            "cp --sparse=always {} {}",
            before.display(),
            self.image().display()
        );
        assert!(runs(&copied));
        let at = self.mounted_at();
        assert!(runs(&format!("umount {0} || umount -l {0}", at.display())));
        std::fs::remove_file(before).expect("the folder is ours");
        assert!(self.mount(), "what is on the disk is no file system");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        runs(&format!("umount -l {}", self.mounted_at().display()));
    }
}

/// Whether a line of shell succeeds.
fn runs(line: &str) -> bool {
    let output = Command::new("sh").args(["-c", line]).output();
    output.is_ok_and(|output| output.status.success())
}

/// A project on the disk, in a repository whose first commit is synced.
fn project(disk: &Disk) -> Project {
    let project = Project::new_in(&disk.mounted_at(), BINARY).on_trees();
    let script = Script::new()
        .reply(
            Reply::when(["Make one"])
                .write("one", "whole\n")
                .write("a/b/deep", "whole\n"),
        )
        .reply(Reply::when(["Make two"]).write("two", "whole\n"));
    let path = project.outside("script.json");
    std::fs::write(&path, script.to_string()).expect("the folder is ours");
    let command = serde_json::json!([BINARY, "scripted-agent", path]);
    let config = format!("[agents.coder]\ndriver = \"command\"\ncommand = {command}\n");
    project.write(".signoff/config.toml", &config);
    let steps = [agent("Make one.", "one"), agent("Make two.", "two")];
    project.write("plan.md", &plan(&[&steps[0], &steps[1]]));
    shell(
        &project,
        "git init -q -b main . && git config user.name u && git config user.email u@x && echo mine > mine.txt && \
         git add mine.txt plan.md && git commit -qm start",
    );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    disk.sync();
    project
}

/// Every file and every commit that the journal names is there.
fn check(project: &Project, what: &str) {
    let text = project.read("plan.md");
    assert!(
        text.contains("# Test plan"),
        "{what}: the plan has {} bytes",
        text.len()
    );
    let fsck = project.bash("git fsck --full 2>&1", &project.path());
    assert_eq!(fsck.code, Some(0), "{what}: {}", fsck.stdout);
    let log = project.signoff(["log", "--format", "json"]);
    if log.code != Some(0) {
        // It had not begun.
        return;
    }
    for event in log.json_lines() {
        vouched(project, what, &event);
    }
}

fn vouched(project: &Project, what: &str, event: &Value) {
    let has_objects = |commit: &Value| {
        let commit = commit.as_str().expect("a commit");
        shell(project, &format!("git rev-list --objects {commit} >&-"));
    };
    match event["type"].as_str() {
        Some("tree_prepared") => has_objects(&event["tree"]["start"]),
        Some("candidate_built") => has_objects(&event["candidate"]["commit"]),
        Some("merged" | "checkout_joined") => {
            let commit = event["commit"].as_str().expect("a commit");
            has_objects(&event["commit"]);
            let run = event["run"].as_str().expect("a run");
            let holds = format!(
                "git merge-base --is-ancestor {commit} signoff/{run} || git merge-base --is-ancestor {commit} HEAD"
            );
            // Landed file by file, the branch goes when the run is over.
            let ended = project.bash(&holds, &project.path()).code == Some(0);
            assert!(
                ended || project.exists("one"),
                "{what}: {commit} has no branch"
            );
        }
        Some("files_landed") => {
            for file in event["files"].as_array().expect("files") {
                let file = file.as_str().expect("a path");
                assert_eq!(project.read(file), "whole\n", "{what}: {file}");
            }
        }
        Some("run_landed") => {
            shell(
                project,
                "git rev-list --objects HEAD >&- && git diff --quiet HEAD -- one two",
            );
            assert_eq!(project.read("one"), "whole\n", "{what}");
        }
        _ => {}
    }
}

/// Cuts the power at this point of a run that lands so, and goes on.
fn cut_at(mut disk: Disk, land: &str, point: &str) {
    let what = format!("{land} {point}");
    let project = project(&disk).env("SIGNOFF_RUN_LAND", land);
    project.signoff_with(&[("SIGNOFF_FAILPOINT", point)], ["run", "plan.md"]);
    disk.cut();
    check(&project, &what);
    let resumed = project.signoff(["resume"]);
    if !matches!(resumed.code, Some(0 | 5)) {
        project.signoff(["run", "plan.md"]).assert_success();
    }
    let status = project.json(["status"]);
    assert_eq!(status["status"], "completed", "{what}: {status:#}");
    assert_eq!(project.read("two"), "whole\n", "{what}");
    drop(project);
}

#[test]
fn what_the_journal_vouches_for_survives_a_power_failure() {
    let points = [
        "none",
        "tree.named",
        "layer.recorded",
        "candidate.after",
        "merge.moved",
        "merged.after",
        "mark.after",
        "files.landed",
        "land.ref",
        "land.done",
        "append.after",
        "verdict.after",
    ];
    let mut dice = Dice(7);
    let mut moments: Vec<(&str, String)> = ["end", "step"]
        .into_iter()
        .map(|land| (land, "none".to_owned()))
        .collect();
    for cut in 0..if soak() { 100 } else { 1 } {
        let at = usize::try_from(dice.roll(points.len() as u64)).unwrap_or_default();
        let land = if cut % 2 == 0 { "end" } else { "step" };
        moments.push((land, format!("{}:{}", points[at], 1 + dice.roll(3))));
    }
    for (land, point) in moments {
        let Some(disk) = Disk::new() else {
            println!(
                "NOT TESTED: no file system can be made here (root, loop devices and mkfs.ext4 are needed)"
            );
            return;
        };
        cut_at(disk, land, &point);
    }
}
