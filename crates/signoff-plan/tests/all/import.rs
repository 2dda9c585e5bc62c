//! Plans of other tools as drafts: samples of every format with what is made of them, and laws over any text.

mod generate;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::parse;
use signoff_plan::import::{ImportFormat, import};
use signoff_plan::source::Source;

use crate::exercise::import::holds;

/// Samples below `fixtures/import/FORMAT`: a file or a directory `NAME`, and what is made of it in `NAME.expected`.
/// With `SIGNOFF_WRITE_EXPECTED=1` the latter are written anew; read the difference.
#[test]
fn samples_become_drafts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import");
    let mut wrong = Vec::new();
    for format in ImportFormat::ALL {
        let samples = entries(&root.join(format.as_str()));
        let samples: Vec<_> = samples.iter().filter(|path| !is_expected(path)).collect();
        assert!(samples.len() >= 5, "{format} has too few samples");
        for sample in samples {
            let source = source(sample, &root);
            // So that one run names every sample that breaks a law.
            let Ok(Some(imported)) = std::panic::catch_unwind(|| holds(&source, None)) else {
                wrong.push(format!("{} breaks a law", source.name()));
                continue;
            };
            assert_eq!(imported.format, format, "{}", source.name());
            let found = shown(&source);
            let expected = PathBuf::from(format!("{}.expected", sample.display()));
            if std::env::var_os("SIGNOFF_WRITE_EXPECTED").is_some() {
                std::fs::write(&expected, &found).unwrap();
            }
            let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
            if wanted != found {
                wrong.push(format!("{}:\n{found}", source.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the samples are readable");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("the samples are readable").path())
        .collect();
    paths.sort();
    paths
}

fn is_expected(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "expected")
}

fn below(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).expect("it lies below");
    path.display().to_string()
}

/// Reads a file, or all files of a directory, under its name below the samples' directory.
fn source(path: &Path, root: &Path) -> Source {
    let name = below(path, root);
    if path.is_file() {
        return Source::new(name, std::fs::read(path).expect("a sample is readable"));
    }
    let mut files = Vec::new();
    let mut open = vec![path.to_owned()];
    while let Some(next) = open.pop() {
        for entry in entries(&next) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let name = below(&entry, path);
                files.push((name, std::fs::read(&entry).expect("a sample is readable")));
            }
        }
    }
    files.sort();
    Source::directory(name, files)
}

/// Everything that an import gives.
fn shown(source: &Source) -> String {
    let imported = import(source, None).expect("it was imported before");
    let mut shown = format!("read as {}: {}\n", imported.format, imported.sign);
    for note in &imported.notes {
        let _ = writeln!(shown, "note: {note}");
    }
    for loss in &imported.losses {
        let line = loss.line.map_or(String::new(), |line| format!(":{line}"));
        let _ = writeln!(
            shown,
            "lost: {}{line}: {} = {:?}: {}",
            loss.file, loss.field, loss.value, loss.why
        );
    }
    let draft = Source::new("plan", imported.text.clone().into_bytes());
    for problem in check(&parse(&draft), &PermissiveWorkspace).diagnostics {
        let step = problem.step.as_deref().unwrap_or("-");
        let _ = writeln!(shown, "open: {} {step}", problem.code.as_str());
    }
    format!("{shown}\n{}", imported.text)
}

#[track_caller]
fn fails(
    name: &str,
    text: &[u8],
    format: Option<ImportFormat>,
    line: Option<usize>,
    message: &str,
) {
    let error = import(&Source::new(name, text.to_vec()), format).expect_err("it cannot be read");
    assert_eq!((error.file.as_str(), error.line), (name, line));
    assert!(error.message.contains(message), "{}", error.message);
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_line() {
    fails("a.md", b" \n\n", None, None, "nothing in it");
    fails("a.md", b"- [ ] a\n- [ ] \xff\n", None, Some(2), "UTF-8");
    fails(
        "tasks.json",
        b"{\"tasks\": [\n  {\"id\": 1,}\n]}",
        None,
        Some(2),
        "not JSON",
    );
    fails(
        "tasks.json",
        b"{\"a\": 1}",
        None,
        Some(1),
        "no list `tasks`",
    );
    fails(
        "a.jsonl",
        b"{\"id\": \"a\"}\n[]\n",
        None,
        Some(2),
        "an object",
    );
    let format = Some(ImportFormat::Beads);
    fails("a.md", b"- [ ] a\n", format, Some(1), "not JSON");
    let empty = Source::directory(
        "change",
        vec![("proposal.md".to_owned(), b"# A\n".to_vec())],
    );
    let error = import(&empty, None).unwrap_err();
    assert!(error.message.contains("no `tasks.md`"), "{}", error.message);
}

#[test]
fn a_text_without_steps_is_a_draft_without_steps() {
    let source = Source::new("a.md", b"# A\n\nOnly prose.\n".to_vec());
    let imported = holds(&source, None).unwrap();
    assert_eq!(imported.steps, 0);
    assert!(imported.text.contains("Only prose."));
}

#[test]
fn a_text_that_begins_like_html_hides_nothing() {
    for text in ["<?php", "<pre>", "<script>", "<!--", "-->"] {
        let issues =
            format!("{{\"title\": {text:?}, \"notes\": {text:?}}}\n{{\"labels\": [{text:?}]}}");
        let source = Source::new("issues.jsonl", issues.into_bytes());
        assert_eq!(holds(&source, None).expect("issues").steps, 2, "{text}");
    }
}

proptest! {
    #[test]
    fn any_markdown_keeps_the_laws(text in generate::markdown(), at in 0..5_usize) {
        let formats = [None, Some(ImportFormat::PlanMode), Some(ImportFormat::SpecKit),
            Some(ImportFormat::Kiro), Some(ImportFormat::GithubIssue)];
        holds(&Source::new("a.md", text.into_bytes()), formats[at]);
    }

    #[test]
    fn any_tasks_keep_the_laws(value in generate::task_master()) {
        let source = Source::new("tasks.json", value.to_string().into_bytes());
        prop_assert!(holds(&source, Some(ImportFormat::TaskMaster)).is_some());
    }

    #[test]
    fn any_issues_keep_the_laws(issues in prop::collection::vec(generate::bead(), 1..5)) {
        let lines: Vec<String> = issues.iter().map(ToString::to_string).collect();
        let source = Source::new("issues.jsonl", lines.join("\n").into_bytes());
        prop_assert!(holds(&source, None).is_some());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}|[\\x00-\\u{2100}]{0,60}", at in 0..8_usize) {
        holds(&Source::new("a", text.into_bytes()), ImportFormat::ALL.get(at).copied());
    }

    #[test]
    fn an_import_is_deterministic(text in generate::markdown()) {
        let source = Source::new("a.md", text.into_bytes());
        prop_assert_eq!(import(&source, None), import(&source, None));
    }
}
