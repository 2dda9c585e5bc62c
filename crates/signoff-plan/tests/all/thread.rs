//! The dialect `thread`: the seed's own example, the conformance cases, its nine rules, and the law
//! that what is written reads back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use signoff_plan::check::{Checked, check};
use signoff_plan::diagnostic::{Code, Severity};
use signoff_plan::dialect::{Dialect, parse, parse_as};
use signoff_plan::digest::Digest;
use signoff_plan::model::{Depends, Plan, Work};
use signoff_plan::source::Source;
use signoff_plan::write::{WrittenPlan, write};

use crate::generate::{Knobs, plan, plan_with};
use crate::laws::{places_are_inside, written_source};
use crate::world::World;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/thread")
}

/// The files of a directory that a thread is read from.
fn directory(path: &Path) -> Source {
    let mut files = Vec::new();
    for folder in ["", "tasks"] {
        let entries = std::fs::read_dir(path.join(folder)).expect("a directory");
        for entry in entries.map(|entry| entry.expect("an entry").path()) {
            if entry.is_file() {
                let name = entry.strip_prefix(path).expect("inside").to_string_lossy();
                files.push((name.into_owned(), std::fs::read(&entry).expect("a file")));
            }
        }
    }
    files.sort();
    Source::directory(path.to_string_lossy(), files)
}

fn source(files: &[(&str, &str)]) -> Source {
    let files = files.iter();
    let files = files.map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    Source::directory("thread", files.collect())
}

fn checked(source: &Source) -> Checked {
    let draft = parse(source);
    assert_eq!(draft.dialect, Dialect::Thread);
    check(&draft, &World::default())
}

#[test]
fn every_conformance_case_is_judged_right() {
    let cases = std::fs::read_to_string(fixtures().join("cases.json")).expect("the cases");
    let cases: Value = serde_json::from_str(&cases).expect("JSON");
    let cases = cases.as_object().expect("cases");
    assert_eq!(cases.len(), 2);
    for (name, case) in cases {
        let problems = checked(&directory(&fixtures().join(name))).diagnostics;
        let errors: Vec<_> = problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(|problem| problem.code.as_str())
            .collect();
        let expected: Vec<_> = case["code"].as_str().into_iter().collect();
        assert_eq!(case["valid"], Value::from(expected.is_empty()));
        assert_eq!(errors, expected, "{name}");
    }
}

#[test]
fn the_cycle_is_named() {
    let problems = checked(&directory(&fixtures().join("cycle"))).diagnostics;
    let cycle = problems
        .iter()
        .find(|problem| problem.code == Code::DependencyCycle);
    let cycle = cycle.expect("a cycle");
    assert_eq!(cycle.message, "steps wait for each other: `a` → `b` → `a`");
}

#[test]
fn the_cases_are_those_that_are_shared() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/thread");
    if !shared.is_dir() {
        return;
    }
    let cases = |path: &Path| std::fs::read_to_string(path.join("cases.json")).expect("the cases");
    assert_eq!(cases(&shared), cases(&fixtures()));
    for name in ["acyclic", "cycle"] {
        let ours = directory(&fixtures().join(name));
        assert_eq!(
            directory(&shared.join(name)).bytes(),
            ours.bytes(),
            "{name}"
        );
    }
}

const SEEDS: [&str; 2] = ["add-user-authentication", "database-migration"];

#[test]
fn the_examples_of_the_seed_read_as_they_are_meant() {
    for name in SEEDS {
        let checked = checked(&directory(&fixtures().join(name)));
        let codes: BTreeSet<_> = checked
            .diagnostics
            .iter()
            .map(|p| p.code.as_str())
            .collect();
        // In an empty world.
        assert_eq!(Vec::from_iter(codes), ["missing-contract", "unknown-agent"]);
        assert_eq!(checked.errors(), 0);
    }
    let plan = checked(&directory(&fixtures().join(SEEDS[0]))).plan;
    assert_eq!(plan.title.as_deref(), Some("Add user authentication"));
    let context = plan.context.as_deref().expect("a narrative");
    assert!(context.starts_with("We need to add JWT-based"));
    assert!(context.ends_with("principal identity to handlers."));
    let [schema, service] = plan.steps.as_slice() else {
        panic!("two tasks");
    };
    assert_eq!(schema.depends_on, Depends::from_positions(0, Vec::new()));
    let task =
        "Create the `users` table migration with columns for id, email, password_hash, created_at.";
    let work = |role: Option<&str>, task: &str| Work::Agent {
        role: role.map(str::to_owned),
        task: task.to_owned(),
    };
    assert_eq!(schema.work, work(None, task));
    assert_eq!(schema.on_fail.to_string(), "retry(2), then escalate");
    assert_eq!(service.depends_on, Depends::from_positions(1, vec![0]));
    let task = "Implement `auth_service.go` following the feature pattern.\n\
                Service should support `Register`, `Login`, `ValidateToken`.";
    assert_eq!(service.work, work(Some("claude-code"), task));
    assert_eq!(
        service.subtasks,
        [
            "Define service interface",
            "Implement SQLite store",
            "Add password hashing"
        ]
    );
}

// A change here means that every signature made so far is void: change `digest::SCHEMA` with it.
#[test]
fn their_digests_are_golden() {
    let digest = |name: &&str| {
        let plan = checked(&directory(&fixtures().join(name))).plan;
        let digest = Digest::of_plan(&plan);
        let written = write(&plan, Dialect::Thread);
        assert_eq!(written.losses, []);
        let back = checked(&written_source(&written)).plan;
        assert_eq!(back, plan);
        digest.to_string()
    };
    assert_eq!(
        SEEDS.iter().map(digest).collect::<Vec<_>>(),
        [
            "sha256:0e355945e26f7b3f87be40a54052fee713381bc49431ec11af8e7c05f0a7a62d",
            "sha256:d0970f8bdc0378f643fd0e83943e484422cf50a08ae64f7f0fec984646a7c14f",
        ]
    );
}

/// `file:line:column code message` of every problem that is an error.
fn errors(source: &Source) -> Vec<String> {
    let problems = checked(source).diagnostics.into_iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    let line = |problem: signoff_plan::diagnostic::Diagnostic| {
        let at = problem.span.start;
        let (line, column) = source.line_column(at);
        let name = source.name_at(at);
        let name = name.strip_prefix("thread/").unwrap_or(&name);
        format!(
            "{name}:{line}:{column} {} {}",
            problem.code, problem.message
        )
    };
    errors.map(line).collect()
}

#[test]
fn all_nine_rules_are_reported_at_once() {
    let files = [
        ("plan.md", "---\ntitle: \"\"\n---\nx\n"),
        (
            "tasks/01-a.md",
            "---\nid: a\ndepends_on: [b, nix]\n---\nA\n",
        ),
        ("tasks/02-b.md", "---\nid: b\ndepends_on: [a]\n---\nB\n"),
        ("tasks/02-c.md", "---\nid: b\n---\nC\n"),
        ("tasks/03-d.md", "---\nid: Not_Kebab\nagnet: x\n---\nD\n"),
        ("tasks/04-e.md", "---\nid: e\n---\n\n  \n"),
        ("tasks/05-f.md", "---\nid: [\n---\nF\n"),
        ("tasks/6.md", "---\nid: g\n---\nG\n"),
        (
            "tasks/07-h.md",
            "---\nid: h\ndepends_on: [\"1\"]\ncontract: |\n  true\n  if x\n---\nH\n",
        ),
    ];
    let source = source(&files);
    assert_eq!(
        errors(&source),
        [
            "plan.md:2:1 missing-title the plan has no title",
            "tasks/01-a.md:3:14 dependency-cycle steps wait for each other: `a` → `b` → `a`",
            "tasks/01-a.md:3:17 unknown-dependency step `a` waits for `nix`, which does not exist",
            "tasks/02-c.md:1:1 duplicate-index files `tasks/02-b.md` and `tasks/02-c.md` begin with the same number",
            "tasks/02-c.md:2:5 duplicate-id two steps have the id `b`",
            "tasks/03-d.md:2:5 bad-id id `Not_Kebab` of a task may only hold the letters a–z, digits and single `-` between them",
            "tasks/03-d.md:3:1 unknown-field `agnet` is not a field of the frontmatter",
            "tasks/04-e.md:4:1 empty-task step `e` gives its agent nothing to do",
            "tasks/05-f.md:2:5 frontmatter-invalid the frontmatter cannot be read: unclosed bracket '['",
            "tasks/05-f.md:2:5 bad-value `id` must be text, not a list",
            "tasks/6.md:1:1 bad-filename file name `tasks/6.md` is not of the form `tasks/NN-slug.md`",
            "tasks/07-h.md:3:15 unknown-dependency step `h` waits for `1`, which does not exist",
            "tasks/07-h.md:6:3 contract-syntax the contract of step `h` is not valid shell: `if` is never closed with `fi`",
        ]
    );
}

#[test]
fn no_tasks_are_only_a_warning() {
    let source = source(&[("plan.md", "---\ntitle: T\n---\n")]);
    let checked = checked(&source);
    assert_eq!(checked.errors(), 0);
    let codes: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|p| p.code.as_str())
        .collect();
    assert_eq!(codes, ["no-steps"]);
    assert_eq!(checked.strict().errors(), 1);
}

#[test]
fn a_plan_of_too_many_steps_says_what_is_left_out() {
    let files: Vec<_> = (0..100)
        .map(|at| {
            (
                format!("tasks/{at:02}-t.md"),
                format!("---\nid: t{at}\n---\nx\n").into_bytes(),
            )
        })
        .chain([("plan.md".to_owned(), b"---\ntitle: T\n---\n".to_vec())])
        .collect();
    let plan = std::sync::Arc::unwrap_or_clone(checked(&Source::directory("thread", files)).plan);
    assert_eq!(plan.steps.len(), 100);
    assert_eq!(write(&plan, Dialect::Thread).losses, []);
    let mut more = plan.clone();
    more.steps.push(signoff_plan::model::Step {
        id: "last".to_owned(),
        number: 101,
        ..plan.steps[0].clone()
    });
    let written = write(&more, Dialect::Thread);
    assert_eq!(written.files.len(), 101);
    let lost: Vec<_> = written
        .losses
        .iter()
        .map(|loss| (loss.step.as_deref(), loss.field.as_str()))
        .collect();
    assert_eq!(lost, [(Some("last"), "id")]);
}

fn reads_back(plan: &Plan) -> Result<WrittenPlan, TestCaseError> {
    let (written, back) = crate::laws::reads_back(plan, Dialect::Thread)?;
    // Whatever went in, what comes out is a thread: the nine rules hold.
    let rules = [
        Code::FrontmatterMissing,
        Code::FrontmatterInvalid,
        Code::MissingTitle,
        Code::MissingField,
        Code::DuplicateId,
        Code::BadId,
        Code::UnknownDependency,
        Code::DuplicateIndex,
        Code::EmptyTask,
        Code::UnknownField,
        Code::BadFilename,
    ];
    let broken = back
        .diagnostics
        .iter()
        .find(|problem| rules.contains(&problem.code));
    prop_assert_eq!(broken, None, "{:?}", &written.files);
    Ok(written)
}

/// Pieces that mean something in a thread.
const PIECES: [&str; 26] = [
    "---\n",
    "---",
    "title: T\n",
    "id: a\n",
    "id: B_b\n",
    "depends_on: [a, z]\n",
    "depends_on:\n  - a\n",
    "agent: x\n",
    "subtasks: {a: b}\n",
    "contract: |\n  make\n  \"x\n",
    "contract: \"a \\u00e9 $(\"\n",
    "contract: 'it''s\n  folded'\n",
    "expect: exit_code == 0\n",
    "expect: [x, 'y']\n",
    "tags: *x\n",
    "on_fail: skip\n",
    "timeout: 300s\n",
    "# c\n",
    "body\n",
    "```\n",
    "\r\n",
    "\n",
    " ",
    "\u{feff}",
    "é",
    "\u{0}",
];

/// Files with names that are good, bad and the same.
fn files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let names = [
        "plan.md",
        "tasks/01-a.md",
        "tasks/01-b.md",
        "tasks/02-c.md",
        "tasks/x.md",
        "tasks/y",
        "other",
    ];
    let piece = prop::sample::select(PIECES.to_vec());
    let text = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    let bytes = prop_oneof![
        8 => text.prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    let file = (prop::sample::select(names.to_vec()), bytes);
    let file = file.prop_map(|(name, bytes)| (name.to_owned(), bytes));
    prop::collection::vec(file, 1..6)
}

/// What holds for any files.
fn is_sane(files: Vec<(String, Vec<u8>)>) -> Result<(), TestCaseError> {
    let source = Source::directory("thread", files);
    let checked = check(&parse_as(&source, Dialect::Thread), &World::default());
    places_are_inside(&checked, &source)?;
    let contracts = checked
        .plan
        .steps
        .iter()
        .filter_map(|step| step.contract.as_ref());
    let mut commands = contracts.map(|contract| &contract.command);
    prop_assert!(!commands.any(|command| command.contains('\r')));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_files_can_be_read(files in files()) {
        is_sane(files)?;
    }

    #[test]
    fn any_plan_reads_back(plan in plan()) {
        reads_back(&plan)?;
    }

    #[test]
    fn ordinary_text_is_never_misread(plan in plan_with(Knobs { hard_texts: false, ..Knobs::default() })) {
        let written = reads_back(&plan)?;
        let misread: Vec<_> = written
            .losses
            .iter()
            .filter(|loss| loss.why.contains("read differently") || loss.why.contains("begins and ends"))
            .filter(|loss| !(loss.field == "task" && loss.step.is_some()))
            .collect();
        prop_assert!(misread.is_empty(), "{misread:?}\n{:?}", written.files);
    }
}
