//! Which format a source is of, by its path and its content.

use super::ImportFormat;
use super::markdown::lines;
use super::sections::{TASKS, files};
use super::spec_kit::is_task_id;
use crate::json::{Comments, parse};
use crate::node::Node;
use crate::source::{Source, first_line};

/// A format, and the sign that speaks for it.
pub(super) struct RecognisedFormat {
    pub(super) format: ImportFormat,
    pub(super) sign: String,
}

impl RecognisedFormat {
    fn new(format: ImportFormat, sign: &str) -> Self {
        Self {
            format,
            sign: sign.to_owned(),
        }
    }
}

pub(super) fn recognise(source: &Source) -> RecognisedFormat {
    let files = files(source);
    let path = source.name().replace('\\', "/");
    if !source.parts().is_empty() {
        let has = |name: &str| files.iter().any(|(other, _)| other == name);
        let tasks = files.iter().find(|(name, _)| name == TASKS);
        let tasks = tasks.map_or("", |(_, text)| *text);
        return of_directory(&path, has, tasks);
    }
    let text = files.first().map_or("", |(_, text)| *text);
    if text.trim_start().starts_with(['{', '[']) && !is_check_box(text) {
        return of_json(&path, text);
    }
    of_path(&path).unwrap_or_else(|| of_markdown(text))
}

/// A list without markers may begin with `[ ]`.
fn is_check_box(text: &str) -> bool {
    ["[ ]", "[x]", "[X]"]
        .iter()
        .any(|mark| text.trim_start().starts_with(mark))
}

fn of_directory(path: &str, has: impl Fn(&str) -> bool, tasks: &str) -> RecognisedFormat {
    if let Some(found) = of_path(path) {
        return found;
    }
    if has("proposal.md") {
        return RecognisedFormat::new(ImportFormat::OpenSpec, "the directory has a `proposal.md`");
    }
    if has("requirements.md") {
        return RecognisedFormat::new(ImportFormat::Kiro, "the directory has a `requirements.md`");
    }
    of_markdown(tasks)
}

fn of_path(path: &str) -> Option<RecognisedFormat> {
    let below =
        |name: &str| path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"));
    if below("openspec") {
        return Some(RecognisedFormat::new(
            ImportFormat::OpenSpec,
            "it lies below `openspec/`",
        ));
    }
    if below(".kiro") {
        return Some(RecognisedFormat::new(
            ImportFormat::Kiro,
            "it lies below `.kiro/`",
        ));
    }
    None
}

fn of_json(path: &str, text: &str) -> RecognisedFormat {
    let (first, _) = parse(first_line(text.trim_start()), 0, Comments::Refused);
    let has = |node: &Option<Node>, name: &str| {
        let entries = node.as_ref().and_then(Node::entries).unwrap_or_default();
        entries.iter().any(|entry| entry.key.value == name)
    };
    let lines = has(&first, "id") && has(&first, "title") && !has(&first, "body");
    if path.to_lowercase().ends_with("jsonl") || lines {
        return RecognisedFormat::new(ImportFormat::Beads, "it has an issue on each line");
    }
    let (whole, _) = parse(text, 0, Comments::Refused);
    if has(&whole, "body") {
        return RecognisedFormat::new(ImportFormat::GithubIssue, "it is an object with a `body`");
    }
    RecognisedFormat::new(
        ImportFormat::TaskMaster,
        "it is JSON, and neither an issue nor lines of issues",
    )
}

fn of_markdown(text: &str) -> RecognisedFormat {
    let lines = lines(text);
    let items = lines.iter().filter_map(|line| line.kind.item());
    let boxes = items.filter(|item| item.mark.is_some());
    let boxes: Vec<&str> = boxes.map(|item| item.text).collect();
    let word = |text: &&str| {
        let word = text.split_whitespace().next().unwrap_or_default();
        word.trim_matches(['*', '`', ':']).to_owned()
    };
    let words: Vec<String> = boxes.iter().map(word).collect();
    if words.iter().any(|word| is_task_id(word)) {
        return RecognisedFormat::new(ImportFormat::SpecKit, "its tasks have ids like `T001`");
    }
    if !boxes.is_empty() && text.contains("_Requirements:") {
        return RecognisedFormat::new(ImportFormat::Kiro, "its tasks name their `_Requirements:`");
    }
    if words.iter().any(|word| is_dotted(word)) {
        return RecognisedFormat::new(
            ImportFormat::OpenSpec,
            "its tasks have numbers like `1.1`; Kiro's look the same, and are read in the same way",
        );
    }
    RecognisedFormat::new(
        ImportFormat::PlanMode,
        "it is markdown without the marks of another format; `github` takes only check boxes",
    )
}

fn is_dotted(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    word.contains('.') && word.split('.').all(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: ImportFormat) {
        let source = Source::new(name, text.as_bytes().to_vec());
        assert_eq!(recognise(&source).format, expected, "{name} {text:?}");
    }

    #[test]
    fn each_format_has_its_sign() {
        check("a.md", "- [ ] T001 [P] a\n", ImportFormat::SpecKit);
        check(
            "a.md",
            "- [ ] 1. a\n  - _Requirements: 1.1_\n",
            ImportFormat::Kiro,
        );
        check(".kiro/specs/a/tasks.md", "- [ ] 1. a\n", ImportFormat::Kiro);
        check(
            "x/openspec/changes/a/tasks.md",
            "- [ ] a\n",
            ImportFormat::OpenSpec,
        );
        check("tasks.md", "## 1. A\n- [ ] 1.1 a\n", ImportFormat::OpenSpec);
        check("a.md", "- [ ] a\n", ImportFormat::PlanMode);
        check("a.md", "[ ] a\n", ImportFormat::PlanMode);
        check("a.md", "1. T001 is no box\n", ImportFormat::PlanMode);
        check("-", "{\"tasks\": []}", ImportFormat::TaskMaster);
        check(
            "-",
            "{\"master\": {\"tasks\": []}}",
            ImportFormat::TaskMaster,
        );
        check(
            "-",
            "{\"id\": \"a\", \"title\": \"b\"}\n{}\n",
            ImportFormat::Beads,
        );
        check("a.jsonl", "{}\n", ImportFormat::Beads);
        check(
            "-",
            "{\n\"title\": \"b\", \"body\": \"\"}",
            ImportFormat::GithubIssue,
        );
    }

    #[test]
    fn directories_are_told_by_their_files() {
        let check = |files: &[(&str, &str)], expected| {
            let files = files
                .iter()
                .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
            let source = Source::directory("a", files.collect());
            assert_eq!(recognise(&source).format, expected);
        };
        check(
            &[("proposal.md", ""), ("tasks.md", "")],
            ImportFormat::OpenSpec,
        );
        check(
            &[("requirements.md", ""), ("tasks.md", "")],
            ImportFormat::Kiro,
        );
        check(
            &[("spec.md", ""), ("tasks.md", "- [ ] T001 a")],
            ImportFormat::SpecKit,
        );
    }
}
