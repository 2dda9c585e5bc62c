//! `graph` and `diff` with the real binary.

use std::fmt::Write as _;

use signoff_testkit::Project;

use crate::support::BINARY;

/// A plan of checks; each entry is what the step waits for, `None` = everything before it.
fn plan(title: &str, steps: &[Option<&[usize]>]) -> String {
    let mut text =
        format!("---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# {title}\n\n## Steps\n");
    for (at, after) in steps.iter().enumerate() {
        let number = at + 1;
        let after = match after {
            None => String::new(),
            Some([]) => "**depends_on:** none\n".to_owned(),
            Some(list) => {
                let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                format!("**depends_on:** {}\n", list.join(", "))
            }
        };
        write!(
            text,
            "\n### {number}. Step <{number}> & \"more\"\n\n{after}**contract:**\n```sh\ntest -e {number}\n```\n"
        )
        .expect("a string takes everything");
    }
    text
}

fn project(steps: &[Option<&[usize]>]) -> Project {
    let project = Project::new(BINARY);
    project.write("plan.md", &plan("A plan", steps));
    project
}

const DIAMOND: [Option<&[usize]>; 4] = [Some(&[]), Some(&[1]), Some(&[1]), None];

#[test]
fn the_terminal_shows_a_line_for_each_step() {
    let output = project(&DIAMOND).signoff(["graph", "plan.md"]);
    let text = &output.assert_success().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "A plan");
    assert!(lines[1].starts_with("○      1. Step"), "{text}");
    assert!(lines[2].starts_with("├─○─╮  2. Step"), "{text}");
    assert!(lines[3].starts_with("╰─○─┤  3. Step"), "{text}");
    assert!(lines[4].starts_with("○───╯  4. Step"), "{text}");
}

#[test]
fn no_line_is_wider_than_asked() {
    let steps: Vec<Option<&[usize]>> = vec![None; 12];
    for width in [40, 80, 120] {
        let output = project(&steps).signoff(["graph", "plan.md", "--width", &width.to_string()]);
        for line in output.assert_success().stdout.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_width_that_cannot_be_kept_is_refused() {
    let project = project(&DIAMOND);
    for width in ["0", "5", "19", "x"] {
        project
            .signoff(["graph", "plan.md", "--width", width])
            .assert_code(2)
            .assert_stderr_contains("--width");
    }
}

#[test]
fn every_drawing_says_who_works_and_what_the_signs_mean() {
    let free: [Option<&[usize]>; 2] = [Some(&[]), Some(&[])];
    let one: [Option<&[usize]>; 1] = [None];
    for steps in [&DIAMOND[..], &free, &one] {
        let output = project(steps).signoff(["graph", "plan.md"]);
        let text = &output.assert_success().stdout;
        let remarks = text.lines().filter(|line| line.ends_with("  check"));
        assert_eq!(remarks.count(), steps.len(), "{text}");
        assert!(text.ends_with("\n\n○ check\n"), "{text}");
    }
}

#[test]
fn long_chains_are_folded_unless_all_is_wanted() {
    let steps: Vec<Option<&[usize]>> = vec![None; 60];
    let project = project(&steps);
    for format in ["terminal", "svg"] {
        let folded = project.signoff(["graph", "plan.md", "--format", format]);
        folded
            .assert_success()
            .assert_stdout_contains("more, one after the other");
        let full = project.signoff(["graph", "plan.md", "--format", format, "--full"]);
        full.assert_success()
            .assert_stdout_lacks("more, one after the other");
    }
}

#[test]
fn pictures_hold_no_markup_of_the_plan() {
    let project = project(&DIAMOND);
    let svg = project.signoff(["graph", "plan.md", "--format", "svg"]);
    svg.assert_success()
        .assert_stdout_contains("Step &lt;2&gt; &amp; &quot;more&quot;")
        .assert_stdout_contains("prefers-color-scheme: dark")
        .assert_stdout_lacks("<2>");
    assert!(svg.stdout.starts_with("<svg "), "{svg}");
    assert!(!svg.stdout.contains("http://www.w3.org/1999/xlink"));
    let mermaid = project.signoff(["graph", "plan.md", "--format", "mermaid"]);
    mermaid
        .assert_success()
        .assert_stdout_contains("flowchart TD")
        .assert_stdout_contains("s1 --> s2")
        .assert_stdout_contains("s2 --> s4")
        .assert_stdout_lacks("s1 --> s4")
        .assert_stdout_contains("#quot;more#quot;");
    let dot = project.signoff(["graph", "plan.md", "--format", "dot"]);
    dot.assert_success()
        .assert_stdout_contains("digraph plan {")
        .assert_stdout_contains("s3 -> s4;")
        .assert_stdout_contains("\\\"more\\\"");
}

#[test]
fn a_cycle_is_drawn_and_said() {
    let project = project(&[Some(&[3]), Some(&[1]), Some(&[2])]);
    project
        .signoff(["graph", "plan.md"])
        .assert_success()
        .assert_stdout_contains("which waits for it")
        .assert_stderr_contains("signoff verify plan.md");
    project
        .signoff(["graph", "plan.md", "--format", "svg"])
        .assert_success()
        .assert_stdout_contains("class=\"cycle\"");
}

#[test]
fn what_is_no_plan_is_said() {
    let project = project(&DIAMOND);
    project
        .signoff(["graph", "gone.md"])
        .assert_code(2)
        .assert_stderr_contains("gone.md");
    project
        .signoff(["graph", "plan.md", "--format", "gif"])
        .assert_code(2);
}

#[test]
fn equal_plans_have_no_difference() {
    let project = project(&DIAMOND);
    // Another status and number of blank lines: nothing that a signature covers.
    let other = plan("A plan", &DIAMOND).replace("status: draft", "status: approved\n");
    project.write("other.md", &other);
    project
        .signoff(["diff", "plan.md", "other.md"])
        .assert_success()
        .assert_stderr_contains("are the same");
    let shape = project.json(["diff", "plan.md", "other.md"]);
    assert_eq!(shape["schema"], "signoff.diff/1");
    assert_eq!(shape["equal"], true);
    assert_eq!(shape["before"]["digest"], shape["after"]["digest"]);
}

#[test]
fn differences_are_shown_field_by_field() {
    let project = project(&DIAMOND);
    let other = plan(
        "Another plan",
        &[Some(&[]), Some(&[1]), Some(&[1]), None, None],
    )
    .replace("test -e 2", "test -s 2");
    project.write("other.md", &other);
    let output = project.signoff(["diff", "plan.md", "other.md"]);
    output
        .assert_code(1)
        .assert_stdout_contains("- A plan")
        .assert_stdout_contains("+ Another plan")
        .assert_stdout_contains("contract.command")
        .assert_stdout_contains("- test -e 2")
        .assert_stdout_contains("+ test -s 2")
        .assert_stdout_contains("+ step step-5");
    let shape = project
        .signoff(["diff", "plan.md", "other.md", "--format", "json"])
        .assert_code(1)
        .json();
    assert_eq!(shape["equal"], false);
    let kinds: Vec<&str> = shape["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .filter_map(|change| change["kind"].as_str())
        .collect();
    // The title, a command, and a new step with each of its fields.
    assert_eq!(kinds[..3], ["changed", "changed", "added"]);
    assert_eq!(kinds[3..], ["added"; 4]);
    project
        .signoff(["diff", "plan.md", "gone.md"])
        .assert_code(2);
    project.signoff(["diff", "plan.md"]).assert_code(2);
}

#[test]
fn differences_are_told_in_the_words_of_plans() {
    let project = project(&[None]);
    let text = plan("A plan", &[None]);
    let budget = "# A plan\n\n**Budget:** max 200k tokens, $1.50, 20 minutes wall clock, 3 agents";
    let other = text
        .replace("# A plan", budget)
        .replace("```\n", "```\nexit_code == 1\n**on_fail:** abort\n")
        .replace("```sh\nexit_code == 1\n**on_fail:** abort\n", "```sh\n");
    project.write("other.md", &other);
    project
        .signoff(["diff", "plan.md", "other.md"])
        .assert_code(1)
        .assert_stdout_contains("+ 200k tokens, $1.50, 20m, 3 agents")
        .assert_stdout_contains("- exit_code == 0")
        .assert_stdout_contains("+ exit_code == 1")
        .assert_stdout_contains("- retry(2), then escalate")
        .assert_stdout_contains("+ abort");
    project.write(
        "folded.yaml",
        "title: A\ntask: Do it\nsteps:\n  - index: 0\n    title: \"folded text\\nmore\"\n    description: x\n",
    );
    project.write("empty.yaml", "title: A\ntask: Do it\nsteps: []\n");
    project
        .signoff(["diff", "empty.yaml", "folded.yaml"])
        .assert_code(1)
        .assert_stdout_contains("folded text more");
}
