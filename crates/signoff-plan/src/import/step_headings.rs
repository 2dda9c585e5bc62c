//! Headings that are steps, that announce steps, or that only divide a plan into sections.

use std::ops::Range;

use super::markdown::{MarkdownHeading, MarkdownKind, MarkdownLine};

/// Words of headings below which a list is a list of steps.
const STEPS: [&str; 7] = [
    "step",
    "task",
    "todo",
    "to-do",
    "change",
    "implementation",
    "plan",
];

/// Words of headings below which it is not, whatever else they say.
const NO_STEPS: [&str; 12] = [
    "test",
    "verif",
    "assum",
    "risk",
    "scope",
    "question",
    "context",
    "summary",
    "goal",
    "criteria",
    "background",
    "note",
];

/// How sections about something else than work begin, where check boxes are not steps.
const NO_WORK: [&str; 9] = [
    "out of scope",
    "non-goal",
    "verification",
    "acceptance criteria",
    "success criteria",
    "definition of done",
    "open question",
    "risk",
    "assumption",
];

/// What sections of a plan are called that say why and what; none of them names the plan.
const SECTIONS: [&str; 8] = [
    "objective",
    "goal",
    "goals",
    "summary",
    "context",
    "overview",
    "background",
    "key files & context",
];

/// What the section with the steps is called.
const OF_STEPS: [&str; 8] = [
    "steps",
    "tasks",
    "changes",
    "implementation",
    "implementation steps",
    "implementation plan",
    "implementation changes",
    "key changes",
];

/// Below every real heading: a line in bold divides what a heading holds.
const OF_BOLD: usize = 7;

/// Whether a heading announces that steps follow.
pub(super) fn announces(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| heading.contains(word));
    any(&STEPS) && !any(&NO_STEPS)
}

/// Whether the text below a heading is not work to be done.
pub(super) fn is_no_work(heading: &str) -> bool {
    let name = plain_heading(heading);
    let is_named = NO_WORK.iter().any(|start| name.starts_with(start));
    after_number(heading).is_none() && (is_named || name.ends_with("checklist"))
}

/// For each line whether it stands below a heading that is chosen, or in a section of it.
pub(super) fn lines_below(
    lines: &[MarkdownLine<'_>],
    chosen: impl Fn(usize, &str) -> bool,
) -> Vec<bool> {
    let mut section = None;
    let line = |(at, line): (usize, &MarkdownLine<'_>)| {
        if let Some(heading) = line.kind.heading() {
            let inner = section.is_some_and(|level| heading.level > level);
            if !inner {
                section = chosen(at, heading.text).then_some(heading.level);
            }
        }
        section.is_some()
    };
    lines.iter().enumerate().map(line).collect()
}

/// Whether a heading only names a section that every plan has.
pub(super) fn is_section(heading: &str) -> bool {
    SECTIONS.contains(&plain_heading(heading).as_str())
}

/// A heading without its icon, in lower case.
fn plain_heading(heading: &str) -> String {
    let start = heading.trim_start_matches(|c: char| !c.is_alphanumeric());
    start.trim_end_matches([':', ' ']).to_lowercase()
}

/// Lines such as `**Step 2: …**` as headings.
pub(super) fn with_bold_headings(mut lines: Vec<MarkdownLine<'_>>) -> Vec<MarkdownLine<'_>> {
    for line in &mut lines {
        if matches!(line.kind, MarkdownKind::Text)
            && let Some(text) = bold_line(line.text)
            && word_length(text) > 0
            && after_number(text).is_some()
        {
            line.kind = MarkdownKind::Heading(MarkdownHeading {
                level: OF_BOLD,
                text,
            });
        }
    }
    lines
}

/// The text of a line that is bold as a whole.
fn bold_line(line: &str) -> Option<&str> {
    let line = line.trim_end().trim_end_matches(':');
    let text = line.strip_prefix("**")?.strip_suffix("**")?;
    (!text.is_empty() && !text.contains("**")).then(|| text.trim())
}

/// Headings such as `Step 2: …` or `2. …` with what stands below them, of the level that has most of them.
pub(super) fn numbered_headings(
    lines: &[MarkdownLine<'_>],
    title: Option<usize>,
) -> Vec<Range<usize>> {
    let headings = lines.iter().enumerate();
    let headings = headings.filter_map(|(at, line)| Some((at, line.kind.heading()?)));
    let headings: Vec<(usize, MarkdownHeading<'_>)> = headings.collect();
    let steps_of = |level: usize| {
        let of_level = headings.iter().filter(move |(at, heading)| {
            heading.level == level && title != Some(*at) && after_number(heading.text).is_some()
        });
        let names: Vec<&str> = of_level.map(|(_, heading)| heading.text).collect();
        if divide_only(&names) { 0 } else { names.len() }
    };
    let levels = (1..=OF_BOLD).rev();
    let level = levels.max_by_key(|level| steps_of(*level)).unwrap_or(1);
    if steps_of(level) < 2 {
        return Vec::new();
    }
    let end = |index: usize| {
        let mut after = headings.iter().skip(index + 1);
        let next = after.find(|(_, heading)| heading.level <= level);
        next.map_or(lines.len(), |(at, _)| *at)
    };
    let steps = headings.iter().enumerate();
    let steps = steps.filter(|(_, (at, heading))| {
        heading.level == level && title != Some(*at) && after_number(heading.text).is_some()
    });
    steps.map(|(index, (at, _))| *at..end(index)).collect()
}

/// Whether numbers only count the sections of a plan: `1. Objective`, `2. Implementation Steps`.
fn divide_only(headings: &[&str]) -> bool {
    let names = headings.iter().filter_map(|heading| after_number(heading));
    let names: Vec<String> = names.map(|(_, rest)| plain_heading(rest)).collect();
    let any = |known: &[&str]| names.iter().any(|name| known.contains(&name.as_str()));
    any(&SECTIONS) || any(&OF_STEPS)
}

/// How long the word is that a step's heading begins with: `Step `, `Phase ` …
fn word_length(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let words = ["step ", "phase ", "task ", "stage ", "milestone ", "part "];
    let word = words.iter().find(|word| lower.starts_with(**word));
    word.map_or(0, |word| word.len())
}

/// The number of a step's heading, which may have parts behind a word as in `Step 1.2`, and the text behind it.
fn after_number(text: &str) -> Option<(&str, &str)> {
    let word = word_length(text);
    let rest = text.get(word..)?.trim_start();
    let is_part = |c: char| c.is_ascii_digit() || (word > 0 && c == '.');
    let number = rest.trim_start_matches(is_part);
    let number = rest.get(..rest.len() - number.len())?;
    let number = number.trim_end_matches('.');
    let after = rest.get(number.len()..)?;
    if number.is_empty() || number.starts_with('.') {
        return None;
    }
    let separated = after.starts_with(['.', ')', ':']) && !after.starts_with(".0");
    let spaced = after.is_empty() || after.starts_with([' ', '–', '—', '-']);
    let goes_on = after
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if goes_on || !(separated || (word > 0 && spaced)) {
        return None;
    }
    let rest = after.trim_start_matches(['.', ')', ':', ' ', '–', '—', '-']);
    Some((number, rest))
}

/// A heading without a number that the step has anyway.
pub(super) fn without_number(heading: &str, number: usize) -> &str {
    let plain = heading.starts_with(|c: char| c.is_ascii_digit())
        || heading
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("step "));
    match after_number(heading) {
        Some((found, rest)) if plain && !rest.is_empty() && found == number.to_string() => rest,
        _ => heading,
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown::lines;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let lines = with_bold_headings(lines(text));
        let steps = numbered_headings(&lines, None);
        let starts: Vec<&str> = (steps.iter())
            .map(|step| lines.get(step.start).map_or("", |line| line.text))
            .collect();
        assert_eq!(starts, expected, "{text:?}");
    }

    #[test]
    fn headings_with_numbers_are_steps() {
        check("## 1. a\n## 2. b\n", &["## 1. a", "## 2. b"]);
        check(
            "## Phase 1: A\n### Step 1.1: a\n### Step 1.2 b\n## Phase 2\n### Step 2.1 – c\n",
            &["### Step 1.1: a", "### Step 1.2 b", "### Step 2.1 – c"],
        );
        check(
            "**Step 1: a**\nx\n\n**Step 2: b**:\n",
            &["**Step 1: a**", "**Step 2: b**:"],
        );
        check("## 1.0.3\n## 1.0.4\n", &[]);
        check("**1. a**\n**bold** text\n**Step 1: only one**\n", &[]);
    }

    #[test]
    fn numbers_of_sections_are_no_steps() {
        check(
            "## 1. Objective\n## 2. Implementation Steps\n### Phase 1: a\n### Phase 2: b\n## 3. Tests\n",
            &["### Phase 1: a", "### Phase 2: b"],
        );
        check("## 1. 🎯 Summary\n## 2. Do it\n", &[]);
        check(
            "## 1. Change a\n## 2. Tests\n",
            &["## 1. Change a", "## 2. Tests"],
        );
    }

    #[test]
    fn sections_about_something_else_hold_no_work() {
        assert!(is_no_work("✅ Verification & Testing") && is_no_work("Validation Checklist"));
        assert!(!is_no_work("Phase 2: verification") && !is_no_work("Tests"));
        assert!(is_section("🎯 Objective:") && !is_section("Objective of the week"));
    }
}
