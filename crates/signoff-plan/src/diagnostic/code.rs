//! The names of the checks.

use std::fmt;

use super::Severity;
use crate::spelling::Dialect;

/// What a code says about a plan.
enum Kind {
    Note,
    Warning,
    /// A warning that a person must know of before they sign.
    WarningToSigner,
    Error,
    /// An error in threads, a warning in the other dialects.
    ErrorInThreads,
    /// It depends on the environment: an error at once in the dialects that ask for it, in the others only when
    /// the plan is to be signed or run.
    Environmental,
}

/// Declares each code once, with its kind and its name.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident: $kind:ident = $name:literal,)*) => {
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

            const fn kind(self) -> Kind {
                match self {
                    $(Self::$variant => Kind::$kind,)*
                }
            }
        }
    };
}

codes! {
    /// Agent steps could overlap, and there is no git repository.
    AgentsOneByOne: Note = "agents-one-by-one",
    /// A condition (`when`) cannot be read.
    BadCondition: Error = "bad-condition",
    /// A condition of a contract cannot be read.
    BadExpect: Error = "bad-expect",
    /// A file of a thread has a name that no task file has.
    BadFilename: Error = "bad-filename",
    /// An id holds characters that ids may not hold.
    BadId: Error = "bad-id",
    /// A loop (`for_each`) cannot be read, or has a limit it cannot have.
    BadLoop: Error = "bad-loop",
    /// A failure policy cannot be read.
    BadOnFail: Error = "bad-on-fail",
    /// Something begins like a reference and is none.
    BadReference: Error = "bad-reference",
    /// A field holds something it cannot mean.
    BadValue: Error = "bad-value",
    /// A budget cannot be read.
    BudgetInvalid: Error = "budget-invalid",
    /// A plan with agents has no budget.
    BudgetMissing: Warning = "budget-missing",
    /// A budget is too small for its steps.
    BudgetUnrealistic: Warning = "budget-unrealistic",
    /// A command holds a character that passes for another one.
    ConfusableCharacters: WarningToSigner = "confusable-characters",
    /// A contract calls a command that is not installed.
    ContractCommandMissing: Environmental = "contract-command-missing",
    /// A contract calls a command of which the person's PATH finds another program, inside the project.
    ContractCommandShadowed: WarningToSigner = "contract-command-shadowed",
    /// A step is told to change a file that its contract runs.
    ContractRunsTaskFile: WarningToSigner = "contract-runs-task-file",
    /// A contract runs a script whose file cannot be told.
    ContractScriptUnknown: WarningToSigner = "contract-script-unknown",
    /// A contract is not valid shell.
    ContractSyntax: Error = "contract-syntax",
    /// A contract that cannot fail.
    ContractVacuous: Warning = "contract-vacuous",
    /// Steps wait for each other.
    DependencyCycle: Error = "dependency-cycle",
    /// Two steps have one id.
    DuplicateId: Error = "duplicate-id",
    /// Two steps have one index.
    DuplicateIndex: Error = "duplicate-index",
    /// An agent is given nothing to do.
    EmptyTask: Error = "empty-task",
    /// The frontmatter is not valid YAML.
    FrontmatterInvalid: Error = "frontmatter-invalid",
    /// The file does not begin with frontmatter.
    FrontmatterMissing: Error = "frontmatter-missing",
    /// A command holds a character that cannot be seen.
    HiddenCharacters: Error = "hidden-characters",
    /// The arguments do not fit the tool.
    InvalidArgs: Error = "invalid-args",
    /// A step is marked done or skipped in the file, which decides nothing.
    MarkIgnored: WarningToSigner = "mark-ignored",
    /// A file that the plan's context names does not exist.
    MissingArtifact: WarningToSigner = "missing-artifact",
    /// An agent step has no contract.
    MissingContract: Warning = "missing-contract",
    /// A field that must be there is not.
    MissingField: Error = "missing-field",
    /// A subscribed file does not exist.
    MissingFile: Environmental = "missing-file",
    /// The plan has no title.
    MissingTitle: Error = "missing-title",
    /// The plan asks for a tool that nothing here provides.
    MissingTool: WarningToSigner = "missing-tool",
    /// A subscribed topic does not exist.
    MissingTopic: Environmental = "missing-topic",
    /// The plan has no steps.
    NoSteps: Environmental = "no-steps",
    /// The file is not UTF-8.
    NotUtf8: Error = "not-utf8",
    /// A step needs what a later one produces.
    OrderError: Error = "order-error",
    /// A path leads out of the workspace.
    PathOutsideWorkspace: Error = "path-outside-workspace",
    /// A pattern in `protects` matches no file.
    ProtectsNothing: WarningToSigner = "protects-nothing",
    /// A template stands unquoted in shell text.
    TemplateInjection: Error = "template-injection",
    /// The file or the plan is over a limit.
    TooLarge: Error = "too-large",
    /// A step calls a tool that its scope does not allow.
    ToolOutOfScope: Error = "tool-out-of-scope",
    /// A heading stands for several steps.
    UnexpandedStep: WarningToSigner = "unexpanded-step",
    /// A step names a role that is not configured.
    UnknownAgent: Environmental = "unknown-agent",
    /// A step waits for one that does not exist.
    UnknownDependency: Error = "unknown-dependency",
    /// A field that the dialect does not have.
    UnknownField: ErrorInThreads = "unknown-field",
    /// A parameter is used that the plan does not have.
    UnknownParam: Error = "unknown-param",
    /// A reference names a step that does not exist.
    UnknownReference: Error = "unknown-reference",
    /// A status that the dialect does not have.
    UnknownStatus: Error = "unknown-status",
    /// A step calls a tool that is not known.
    UnknownTool: Environmental = "unknown-tool",
    /// A step can never start.
    UnreachableStep: Warning = "unreachable-step",
    /// A fenced block is never closed.
    UnterminatedFence: Error = "unterminated-fence",
    /// A condition reads an agent's words.
    UntrustedCondition: Error = "untrusted-condition",
    /// Steps that may run at once produce the same file.
    WriteOverlap: Warning = "write-overlap",
}

impl Code {
    /// The severity of this code in a dialect, while the plan is being written.
    pub const fn severity(self, dialect: Dialect) -> Severity {
        match (self.kind(), dialect) {
            (Kind::Note, _) => Severity::Note,
            (Kind::Warning | Kind::WarningToSigner, _) => Severity::Warning,
            (Kind::Error, _)
            | (Kind::ErrorInThreads, Dialect::Thread)
            | (Kind::Environmental, Dialect::Workunit | Dialect::Toolplan) => Severity::Error,
            (
                Kind::ErrorInThreads,
                Dialect::Workunit | Dialect::Proposal | Dialect::Record | Dialect::Toolplan,
            )
            | (Kind::Environmental, Dialect::Thread | Dialect::Proposal | Dialect::Record) => {
                Severity::Warning
            }
        }
    }

    /// Must a person know of it before they sign, although it does not stop them?
    pub const fn concerns_signing(self) -> bool {
        matches!(self.kind(), Kind::WarningToSigner)
    }

    /// Must a person know of it before a run of a plan that is signed already? It depends on what is installed, or on how
    /// they have set up their terminal.
    pub const fn concerns_running(self) -> bool {
        matches!(self, Self::MissingTool | Self::ContractCommandShadowed)
    }

    /// Does it depend on the environment? Then it is an error when the plan is to be signed or run.
    pub const fn is_environmental(self) -> bool {
        matches!(self.kind(), Kind::Environmental)
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
