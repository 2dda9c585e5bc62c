//! The names of the checks.

use std::fmt;

use super::Severity;
use crate::spelling::Dialect;

/// Declares the codes once, so that the list, the names and the enum cannot drift apart.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The stable name of a check. Its page is the module of the same name in
        /// [`crate::check`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $variant,)*
        }

        impl Code {
            /// Every code, in alphabetical order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as users see it, in kebab-case.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    /// Agent steps could overlap, and there is no git repository.
    AgentsOneByOne = "agents-one-by-one",
    /// A condition (`when`) cannot be read.
    BadCondition = "bad-condition",
    /// A condition of a contract cannot be read.
    BadExpect = "bad-expect",
    /// A file of a thread has a name that no task file has.
    BadFilename = "bad-filename",
    /// An id holds characters that ids may not hold.
    BadId = "bad-id",
    /// A loop (`for_each`) cannot be read, or has a limit it cannot have.
    BadLoop = "bad-loop",
    /// A failure policy cannot be read.
    BadOnFail = "bad-on-fail",
    /// Something begins like a reference and is none.
    BadReference = "bad-reference",
    /// A field holds something it cannot mean.
    BadValue = "bad-value",
    /// A budget cannot be read.
    BudgetInvalid = "budget-invalid",
    /// A plan with agents has no budget.
    BudgetMissing = "budget-missing",
    /// A budget is too small for its steps.
    BudgetUnrealistic = "budget-unrealistic",
    /// A command holds a character that passes for another one.
    ConfusableCharacters = "confusable-characters",
    /// A contract calls a command that is not installed.
    ContractCommandMissing = "contract-command-missing",
    /// A step is told to change a file that its contract runs.
    ContractRunsTaskFile = "contract-runs-task-file",
    /// A contract runs a script whose file cannot be told.
    ContractScriptUnknown = "contract-script-unknown",
    /// A contract is not valid shell.
    ContractSyntax = "contract-syntax",
    /// A contract that cannot fail.
    ContractVacuous = "contract-vacuous",
    /// Steps wait for each other.
    DependencyCycle = "dependency-cycle",
    /// Two steps have one id.
    DuplicateId = "duplicate-id",
    /// Two steps have one index.
    DuplicateIndex = "duplicate-index",
    /// An agent is given nothing to do.
    EmptyTask = "empty-task",
    /// The frontmatter is not valid YAML.
    FrontmatterInvalid = "frontmatter-invalid",
    /// The file does not begin with frontmatter.
    FrontmatterMissing = "frontmatter-missing",
    /// A command holds a character that cannot be seen.
    HiddenCharacters = "hidden-characters",
    /// The arguments do not fit the tool.
    InvalidArgs = "invalid-args",
    /// An agent step has no contract.
    MissingContract = "missing-contract",
    /// A field that must be there is not.
    MissingField = "missing-field",
    /// A subscribed file does not exist.
    MissingFile = "missing-file",
    /// The plan has no title.
    MissingTitle = "missing-title",
    /// A subscribed topic does not exist.
    MissingTopic = "missing-topic",
    /// The plan has no steps.
    NoSteps = "no-steps",
    /// The file is not UTF-8.
    NotUtf8 = "not-utf8",
    /// A step needs what a later one produces.
    OrderError = "order-error",
    /// A path leads out of the workspace.
    PathOutsideWorkspace = "path-outside-workspace",
    /// A pattern in `protects` matches no file.
    ProtectsNothing = "protects-nothing",
    /// A template stands unquoted in shell text.
    TemplateInjection = "template-injection",
    /// The file or the plan is over a limit.
    TooLarge = "too-large",
    /// A step calls a tool that its scope does not allow.
    ToolOutOfScope = "tool-out-of-scope",
    /// A heading stands for several steps.
    UnexpandedStep = "unexpanded-step",
    /// A step names a role that is not configured.
    UnknownAgent = "unknown-agent",
    /// A step waits for one that does not exist.
    UnknownDependency = "unknown-dependency",
    /// A field that the dialect does not have.
    UnknownField = "unknown-field",
    /// A parameter is used that the plan does not have.
    UnknownParam = "unknown-param",
    /// A reference names a step that does not exist.
    UnknownReference = "unknown-reference",
    /// A status that the dialect does not have.
    UnknownStatus = "unknown-status",
    /// A step calls a tool that is not known.
    UnknownTool = "unknown-tool",
    /// A step can never start.
    UnreachableStep = "unreachable-step",
    /// A fenced block is never closed.
    UnterminatedFence = "unterminated-fence",
    /// A condition reads an agent's words.
    UntrustedCondition = "untrusted-condition",
    /// Steps that may run at once produce the same file.
    WriteOverlap = "write-overlap",
}

impl Code {
    /// The severity of this code in a dialect.
    ///
    /// What depends on the environment is an error at once in the dialects whose seeds ask for it,
    /// elsewhere only at approval.
    pub const fn severity(self, dialect: Dialect) -> Severity {
        match self {
            Self::AgentsOneByOne => Severity::Note,
            Self::MissingContract
            | Self::ConfusableCharacters
            | Self::ContractRunsTaskFile
            | Self::ContractScriptUnknown
            | Self::ContractVacuous
            | Self::ProtectsNothing
            | Self::BudgetMissing
            | Self::BudgetUnrealistic
            | Self::WriteOverlap
            | Self::UnreachableStep => Severity::Warning,
            Self::UnknownField => match dialect {
                Dialect::Thread => Severity::Error,
                Dialect::Workunit | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => {
                    Severity::Warning
                }
            },
            Self::UnknownAgent
            | Self::UnknownTool
            | Self::MissingFile
            | Self::MissingTopic
            | Self::ContractCommandMissing
            | Self::NoSteps => match dialect {
                Dialect::Workunit | Dialect::Toolplan => Severity::Error,
                Dialect::Thread | Dialect::Proposal | Dialect::Record => Severity::Warning,
            },
            Self::BadCondition
            | Self::BadExpect
            | Self::BadFilename
            | Self::BadId
            | Self::BadLoop
            | Self::BadOnFail
            | Self::BadReference
            | Self::BadValue
            | Self::BudgetInvalid
            | Self::ContractSyntax
            | Self::DependencyCycle
            | Self::DuplicateId
            | Self::DuplicateIndex
            | Self::EmptyTask
            | Self::FrontmatterInvalid
            | Self::FrontmatterMissing
            | Self::HiddenCharacters
            | Self::InvalidArgs
            | Self::MissingField
            | Self::MissingTitle
            | Self::NotUtf8
            | Self::OrderError
            | Self::PathOutsideWorkspace
            | Self::TemplateInjection
            | Self::TooLarge
            | Self::ToolOutOfScope
            | Self::UnexpandedStep
            | Self::UnknownDependency
            | Self::UnknownParam
            | Self::UnknownReference
            | Self::UnknownStatus
            | Self::UnterminatedFence
            | Self::UntrustedCondition => Severity::Error,
        }
    }

    /// Does it say something that whoever signs must know, although it does not stop them?
    pub const fn concerns_signing(self) -> bool {
        matches!(
            self,
            Self::ConfusableCharacters
                | Self::ContractRunsTaskFile
                | Self::ContractScriptUnknown
                | Self::ProtectsNothing
        )
    }

    /// Does it depend on the surroundings? Then it is an error when the plan is to be signed or run,
    /// whatever it is before.
    pub const fn is_environmental(self) -> bool {
        matches!(
            self,
            Self::UnknownAgent
                | Self::UnknownTool
                | Self::MissingFile
                | Self::MissingTopic
                | Self::ContractCommandMissing
                | Self::NoSteps
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_kebab_case_and_sorted() {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        assert_eq!(names, sorted);
        let kebab = |name: &&str| {
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c == '-' || c == '8')
        };
        assert!(names.iter().all(kebab));
    }
}
