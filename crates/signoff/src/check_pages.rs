//! The page of each check: the documentation at the head of its module in `signoff-plan`.

use signoff_plan::diagnostic::Code;

/// The page of a check.
pub(crate) struct Page {
    /// The whole page as markdown, without its title.
    pub(crate) text: String,
    /// What is wrong, in one sentence or two.
    pub(crate) what: String,
    pub(crate) why: String,
    pub(crate) example: String,
    pub(crate) instead: String,
}

/// The page of a code.
pub(crate) fn page(code: Code) -> Page {
    let head = HEADS.iter().find(|(other, _)| *other == code);
    let (_, head) = head.expect("a test reads the page of every code");
    let lines: Vec<&str> = head
        .lines()
        .map(|line| line.strip_prefix("//!").unwrap_or(line))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let section = |name: &str| section(&lines, name);
    Page {
        what: section(""),
        why: section("Why"),
        example: section("Example"),
        instead: section("Instead"),
        text: lines.join("\n").trim().to_owned(),
    }
}

/// The text under a heading; an empty name means the text before the first heading.
fn section(lines: &[&str], name: &str) -> String {
    let mut current = "";
    let mut found = Vec::new();
    for line in lines {
        match line.strip_prefix("## ") {
            Some(heading) => current = heading.trim(),
            None if current == name => found.push(*line),
            None => {}
        }
    }
    found.join("\n").trim().to_owned()
}

/// Bytes of the documentation at the head of a source file.
const fn length_of_head(source: &str) -> usize {
    let bytes = source.as_bytes();
    let mut at = 0;
    while at + 3 <= bytes.len() && matches!((bytes[at], bytes[at + 2]), (b'/', b'!')) {
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        if at < bytes.len() {
            at += 1;
        }
    }
    at
}

/// The first bytes of a text.
const fn first<const LENGTH: usize>(source: &str) -> [u8; LENGTH] {
    let mut copy = [0; LENGTH];
    let mut at = 0;
    while at < LENGTH {
        copy[at] = source.as_bytes()[at];
        at += 1;
    }
    copy
}

/// Copies the head of each module at compile time, so that the program contains the pages and not the code below
/// them.
macro_rules! pages {
    ($($code:ident = $file:literal,)*) => {
        const HEADS: &[(Code, &str)] = &[$((Code::$code, {
            const SOURCE: &str =
                include_str!(concat!("../../signoff-plan/src/check/", $file, ".rs"));
            const HEAD: [u8; length_of_head(SOURCE)] = first(SOURCE);
            match std::str::from_utf8(&HEAD) {
                Ok(text) => text,
                Err(_) => "",
            }
        }),)*];
    };
}

pages! {
    AgentsOneByOne = "agents_one_by_one",
    BadCondition = "bad_condition",
    BadExpect = "bad_expect",
    BadFilename = "bad_filename",
    BadId = "bad_id",
    BadLoop = "bad_loop",
    BadOnFail = "bad_on_fail",
    BadReference = "bad_reference",
    BadValue = "bad_value",
    BudgetInvalid = "budget_invalid",
    BudgetMissing = "budget_missing",
    BudgetUnrealistic = "budget_unrealistic",
    ConfusableCharacters = "confusable_characters",
    ContractCommandMissing = "contract_command_missing",
    ContractCommandShadowed = "contract_command_shadowed",
    ContractRunsTaskFile = "contract_runs_task_file",
    ContractScriptUnknown = "contract_script_unknown",
    ContractSyntax = "contract_syntax",
    ContractVacuous = "contract_vacuous",
    DependencyCycle = "dependency_cycle",
    DuplicateId = "duplicate_id",
    DuplicateIndex = "duplicate_index",
    EmptyTask = "empty_task",
    FrontmatterInvalid = "frontmatter_invalid",
    FrontmatterMissing = "frontmatter_missing",
    HiddenCharacters = "hidden_characters",
    InvalidArgs = "invalid_args",
    MarkIgnored = "mark_ignored",
    MissingArtifact = "missing_artifact",
    MissingContract = "missing_contract",
    MissingField = "missing_field",
    MissingFile = "missing_file",
    MissingTitle = "missing_title",
    MissingTool = "missing_tool",
    MissingTopic = "missing_topic",
    NoSteps = "no_steps",
    NotUtf8 = "not_utf8",
    OrderError = "order_error",
    PathOutsideWorkspace = "path_outside_workspace",
    ProtectsNothing = "protects_nothing",
    TemplateInjection = "template_injection",
    TooLarge = "too_large",
    ToolOutOfScope = "tool_out_of_scope",
    UnexpandedStep = "unexpanded_step",
    UnknownAgent = "unknown_agent",
    UnknownDependency = "unknown_dependency",
    UnknownField = "unknown_field",
    UnknownParam = "unknown_param",
    UnknownReference = "unknown_reference",
    UnknownStatus = "unknown_status",
    UnknownTool = "unknown_tool",
    UnreachableStep = "unreachable_step",
    UnterminatedFence = "unterminated_fence",
    UntrustedCondition = "untrusted_condition",
    WriteOverlap = "write_overlap",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_all_sections() {
        for code in Code::ALL {
            let page = page(*code);
            for (name, text) in [
                ("what", &page.what),
                ("why", &page.why),
                ("example", &page.example),
                ("instead", &page.instead),
            ] {
                assert!(!text.is_empty(), "the page of `{code}` does not say {name}");
            }
            assert!(!page.text.contains("//!"), "{}", page.text);
            assert!(!page.text.contains("\nuse "), "{}", page.text);
        }
    }
}
