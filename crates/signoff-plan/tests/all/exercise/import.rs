//! What holds of every import: it never panics, the draft reads back, and nothing of the source is lost.

use std::fmt::Write as _;

use serde_json::Value;
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::bad_filename::is_kebab_case;
use signoff_plan::check::check;
use signoff_plan::diagnostic::Code;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::import::{ImportFormat, Imported, import as run};
use signoff_plan::source::Source;

/// Imports bytes: the first one names the format or none, and form feeds divide the files of a directory.
pub(crate) fn import(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let format = ImportFormat::ALL.get(usize::from(*first) % 8).copied();
    let source = if rest.contains(&0x0c) {
        super::source(rest, Dialect::Thread)
    } else {
        Source::new("plan", rest.to_vec())
    };
    holds(&source, format);
}

/// Imports a source and checks the laws. An error has words for what is wrong.
pub(crate) fn holds(source: &Source, format: Option<ImportFormat>) -> Option<Imported> {
    match run(source, format) {
        Ok(imported) => {
            reads_back(&imported);
            nothing_is_lost(source, &imported);
            Some(imported)
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            None
        }
    }
}

fn reads_back(imported: &Imported) {
    let text = &imported.text;
    let source = Source::new("plan", text.clone().into_bytes());
    let draft = parse(&source);
    assert_eq!(draft.dialect, Dialect::Workunit, "{text}");
    let checked = check(&draft, &PermissiveWorkspace);
    assert_eq!(checked.plan.steps.len(), imported.steps, "{text}");
    for step in &checked.plan.steps {
        assert!(is_kebab_case(&step.id), "{}", step.id);
    }
    let faults = checked.diagnostics.iter().filter(|one| {
        matches!(
            one.code,
            Code::BadId
                | Code::BadValue
                | Code::DuplicateId
                | Code::FrontmatterInvalid
                | Code::MissingField
                | Code::MissingTitle
                | Code::UnexpandedStep
                | Code::UnterminatedFence
        )
    });
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{faults:#?}\n{text}");
}

fn nothing_is_lost(source: &Source, imported: &Imported) {
    let mut kept = imported.text.clone();
    for loss in &imported.losses {
        let _ = write!(kept, "\n{}\n{}", loss.field, loss.value);
    }
    for note in &imported.notes {
        let _ = write!(kept, "\n{note}");
    }
    // What is kept about steps is written as JSON.
    let draft = Source::new("plan", imported.text.clone().into_bytes());
    let plan = check(&parse(&draft), &PermissiveWorkspace).plan;
    let records = plan.steps.iter().map(|step| step.record.to_value());
    let records = records.chain(plan.record.values().cloned());
    for value in records {
        each_leaf(&value, &mut |text| {
            let _ = write!(kept, "\n{text}");
        });
    }
    let kept = with_line_feeds(&kept);
    let files = source
        .split()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
    for text in files {
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        match values(&text, imported.format) {
            Some(values) => values.iter().for_each(|value| {
                each_leaf(value, &mut |text| lines_are_kept(text, &kept));
            }),
            None => lines_are_kept(&text, &kept),
        }
    }
}

/// The values of a source that is JSON.
fn values(text: &str, format: ImportFormat) -> Option<Vec<Value>> {
    match format {
        ImportFormat::TaskMaster => Some(vec![serde_json::from_str(text).expect("it was read")]),
        ImportFormat::Beads => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            Some(
                lines
                    .map(|line| serde_json::from_str(line).expect("it was read"))
                    .collect(),
            )
        }
        ImportFormat::GithubIssue if text.trim_start().starts_with('{') => {
            Some(vec![serde_json::from_str(text).expect("it was read")])
        }
        ImportFormat::GithubIssue
        | ImportFormat::PlanMode
        | ImportFormat::SpecKit
        | ImportFormat::Kiro
        | ImportFormat::OpenSpec => None,
    }
}

fn each_leaf(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => visit(&value.to_string()),
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each_leaf(item, visit)),
        Value::Object(members) => members.values().for_each(|member| each_leaf(member, visit)),
    }
}

fn lines_are_kept(text: &str, kept: &str) {
    for line in with_line_feeds(text).lines() {
        assert!(
            is_kept(line, kept),
            "lost: {line:?}\nof: {text:?}\nkept:\n{kept}"
        );
    }
}

/// Whether a line is there, but for the marks that it begins with, and those that end a heading or bold words.
fn is_kept(line: &str, kept: &str) -> bool {
    let line = line.trim();
    let marked = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    let ends: &[char] = if marked { &['*', ':'] } else { &['#'] };
    let mut rest = line.trim_end_matches(ends).trim_end();
    loop {
        if rest.is_empty() || kept.contains(rest) {
            return true;
        }
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if !is_mark(word) && !is_kept_name(word, after, kept) {
            return false;
        }
        rest = after.trim_start();
    }
}

/// Numbers, bullets, boxes, `[P]`, `Step`.
fn is_mark(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let boxed = word.trim_matches('`').starts_with('[') && matches!(bare, "x" | "X" | "P" | "");
    let numbered = bare.chars().all(|c| c.is_ascii_digit() || c == '.');
    boxed || numbered || bare.eq_ignore_ascii_case("step")
}

/// An id or a label, in the spelling of a plan.
fn is_kept_name(word: &str, after: &str, kept: &str) -> bool {
    let parts = word
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("-").to_lowercase();
    let is_label =
        word.starts_with('[') || word.trim_matches('*').starts_with('T') || after.is_empty();
    is_label && !name.is_empty() && kept.to_lowercase().contains(&name)
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
