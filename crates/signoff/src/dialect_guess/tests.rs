use super::*;

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# A\n\n## Steps\n\n### 1. Look\n\n**task:** Look.\n**contract:**\n```sh\ntest -e x\n```\n";

const PROPOSAL: &str = "---\nid: PLAN-0a1b2c3d\ntitle: A\nstatus: proposed\nversion: 1\ntools_required:\n  - slack\n---\n\n## Steps\n\n1. Say it (slack: post)\n";

const RECORD: &str =
    "id: a\ntask: Do it\nsteps:\n  - index: 0\n    description: First\n    dependsOn: []\n";

#[track_caller]
fn check(name: &str, text: &str, expected: Option<Dialect>) {
    let source = Source::new(name, text.as_bytes().to_vec());
    assert_eq!(guess_dialect(&source), expected, "{name}: {text}");
}

#[test]
fn a_slip_does_not_make_a_plan_something_else() {
    for text in [
        PLAN.replace("type: plan", "typ: plan"),
        PLAN.replace("type: plan", "type: Plan"),
        PLAN.replace("type: plan", "type: plna"),
        PLAN.replace("type: plan\n", ""),
        PLAN.replacen("---\n", "", 1),
        PLAN.replacen("---\n", "--\n", 1),
        PLAN.replace("owner: me\n---", "owner: me\n--"),
        PLAN.replace("```\n", ""),
        PLAN.replace('\n', "\r\n").replacen("---", "----", 1),
        PLAN.split_once("# A").unwrap().1.to_owned(),
    ] {
        check("a.md", &text, Some(Dialect::Workunit));
        check("<stdin>", &text, Some(Dialect::Workunit));
    }
    for text in [
        PROPOSAL.replacen("---\n", "", 1),
        PROPOSAL
            .replace("tools_required", "tool_required")
            .replace("PLAN-", "P"),
        PROPOSAL.replacen("---\n", "--\n", 1).replace("PLAN-", "P"),
    ] {
        check("a.md", &text, Some(Dialect::Proposal));
    }
}

#[test]
fn keys_and_values_are_known_by_their_keys() {
    let tab = RECORD.replace("    dependsOn", "\tdependsOn");
    check("a.yaml", &tab, Some(Dialect::Record));
    check("a.YML", &tab, Some(Dialect::Record));
    check("<stdin>", &tab, Some(Dialect::Record));
    check(
        "a.yaml",
        &RECORD.replace("steps:", "stpes:"),
        Some(Dialect::Record),
    );
    check(
        "a.json",
        "[{\"task\": \"x\", \"steps\": [{\"index\": 0}]}]",
        Some(Dialect::Record),
    );
    check(
        "a.json",
        "x{\"estimatedDuration\": 1, \"steps\": [{\"id\": \"a\", \"tool\": \"b\", \"contract\": {}}]}",
        Some(Dialect::Toolplan),
    );
}

#[test]
fn other_encodings_are_seen_through() {
    let bytes = "\u{feff}".encode_utf16().chain(PLAN.encode_utf16());
    let bytes: Vec<u8> = bytes.flat_map(u16::to_le_bytes).collect();
    let source = Source::new("a.md", bytes);
    assert_eq!(guess_dialect(&source), Some(Dialect::Workunit));
}

#[test]
fn other_files_are_left_alone() {
    for text in [
        "",
        "# Only prose\n",
        // A manual, and one with frontmatter.
        "# Install\n\n## Steps\n\n### 1. Download\n\n**Note:** it is large.\n\n### 2. Run\n",
        "---\nstatus: draft\nowner: ops\n---\n\n# Runbook\n\n## Steps\n\n### 1. Stop it\n\n**Task:** Stop.\n",
        "---\ntitle: A\nstatus: accepted\nversion: 1\nid: adr-1\n---\n\n# A decision\n\n1. One\n",
        "---\ntype: place\n---\n\n# Rome\n",
        "---\ntype: plant\n---\n\n# Fern\n",
        // Plans as examples.
        &format!("# How to\n\n````markdown\n{PLAN}````\n\n## Steps\n\n### 1. Write it\n"),
        &format!("# How to\n\n```markdown\n{PLAN}\n### 2. More\n\n**contract:** `x`\n```\n"),
        &format!("# How to\n\n```yaml\n{RECORD}```\n"),
        "# Law\n\n**contract:** between two parties\n**depends_on:** trust\n",
    ] {
        check("a.md", text, None);
    }
    for (name, text) in [
        (
            "package.json",
            "{\"name\": \"x\", \"version\": \"1\", \"description\": \"y\"}",
        ),
        (
            "schema.json",
            "{\"properties\": {\"task\": {}, \"steps\": {\"description\": \"x\"}, \"index\": 1}}",
        ),
        (
            "interface.json",
            "{\"schemas\": {\"Job\": {\"properties\": {\"steps\": {\"description\": \"x\"}, \"index\": 1}}}}",
        ),
        (
            "ci.yml",
            "name: CI\non: push\njobs:\n  test:\n    steps:\n      - uses: a@v1\n        description: x\n        index: 1\n",
        ),
        (
            "azure.yml",
            "steps:\n- task: Node@0\n  displayName: x\n  inputs:\n    description: y\n",
        ),
        (
            "cloudbuild.yaml",
            "steps:\n- name: gcc\n  args: [a]\n  id: x\n",
        ),
        ("playbook.yml", "- hosts: all\n  tasks:\n    - name: x\n"),
        ("settings.yaml", "a: 1\n"),
    ] {
        check(name, text, None);
    }
}
