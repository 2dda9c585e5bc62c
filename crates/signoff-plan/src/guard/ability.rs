//! What tools do, and how plans and agents call them. The only such table.

use super::Agent;

/// Something that tools of an agent do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ability {
    /// Reads a file.
    Read,
    /// Lists and searches files.
    Search,
    /// Changes files.
    Write,
    /// Runs a command.
    Run,
    /// Follows or ends a command that was started.
    Watch,
    /// Gets something from the network.
    Fetch,
    /// Touches nothing but the agent's own session: its list of what to do, a question to its person.
    Own,
    /// Starts a sub-agent.
    Delegate,
}

/// What an agent calls its tools, by what they do.
pub type ToolNames = [(Ability, &'static [&'static str])];

impl Agent {
    /// The agent's own tools, of its present and earlier versions. A tool that is not here is not known.
    pub fn tools(self) -> &'static ToolNames {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Gemini => GEMINI,
            Self::Opencode => OPENCODE,
            Self::Pi => PI,
        }
    }

    /// What a tool of this agent does, if it is known.
    pub fn ability(self, tool: &str) -> Option<Ability> {
        let mut groups = self.tools().iter();
        groups.find_map(|(ability, names)| names.contains(&tool).then_some(*ability))
    }

    /// Whether the calls of a sub-agent come to the hook as well, so that starting one does not get around it. Seen in Claude
    /// Code 2.1.197: with the session of the agent, in its permission mode or in that of the sub-agent's definition.
    pub(super) fn guards_sub_agents(self) -> bool {
        match self {
            Self::Claude => true,
            Self::Codex | Self::Gemini | Self::Opencode | Self::Pi => false,
        }
    }
}

// What the agents offered to their model in November 2026, and names of earlier versions.

const CLAUDE: &ToolNames = &[
    (Ability::Read, &["Read", "NotebookRead"]),
    (Ability::Search, &["Grep", "Glob", "LS"]),
    (
        Ability::Write,
        &["Edit", "Write", "MultiEdit", "NotebookEdit"],
    ),
    (Ability::Run, &["Bash"]),
    (
        Ability::Watch,
        &[
            "BashOutput",
            "KillShell",
            "KillBash",
            "TaskOutput",
            "TaskStop",
        ],
    ),
    (Ability::Fetch, &["WebFetch", "WebSearch"]),
    (
        Ability::Own,
        &[
            "TodoWrite",
            "TaskCreate",
            "TaskUpdate",
            "TaskList",
            "TaskGet",
            "AskUserQuestion",
            "EnterPlanMode",
            "ExitPlanMode",
            "exit_plan_mode",
            "ToolSearch",
            "ReportFindings",
            "StructuredOutput",
        ],
    ),
    (Ability::Delegate, &["Task", "Agent"]),
];

const CODEX: &ToolNames = &[
    (Ability::Read, &["view_image", "read_file"]),
    (Ability::Search, &["list_dir", "grep_files"]),
    (Ability::Write, &["apply_patch"]),
    (
        Ability::Run,
        &[
            "Bash",
            "shell",
            "shell_command",
            "local_shell",
            "exec_command",
            "container.exec",
        ],
    ),
    (Ability::Fetch, &["web_search"]),
    (
        Ability::Own,
        &[
            "update_plan",
            "request_user_input",
            "tool_search",
            "get_goal",
            "create_goal",
            "update_goal",
        ],
    ),
    (Ability::Delegate, &["spawn_agent"]),
];

const GEMINI: &ToolNames = &[
    (
        Ability::Read,
        &["read_file", "read_many_files", "get_internal_docs"],
    ),
    (
        Ability::Search,
        &[
            "list_directory",
            "glob",
            "grep_search",
            "search_file_content",
        ],
    ),
    (Ability::Write, &["write_file", "replace"]),
    (Ability::Run, &["run_shell_command"]),
    (
        Ability::Watch,
        &["list_background_processes", "read_background_output"],
    ),
    (Ability::Fetch, &["web_fetch", "google_web_search"]),
    (
        Ability::Own,
        &[
            "write_todos",
            "update_topic",
            "complete_task",
            "enter_plan_mode",
            "exit_plan_mode",
            "ask_user",
            "activate_skill",
        ],
    ),
    (Ability::Delegate, &["invoke_agent", "delegate_to_agent"]),
];

const OPENCODE: &ToolNames = &[
    (Ability::Read, &["read"]),
    (Ability::Search, &["grep", "glob", "list"]),
    (
        Ability::Write,
        &["edit", "write", "patch", "multiedit", "apply_patch"],
    ),
    (Ability::Run, &["bash"]),
    (Ability::Fetch, &["webfetch", "websearch", "codesearch"]),
    (
        Ability::Own,
        &[
            "todowrite",
            "todoread",
            "question",
            "skill",
            "plan_enter",
            "plan_exit",
            "invalid",
        ],
    ),
    (Ability::Delegate, &["task"]),
];

const PI: &ToolNames = &[
    (Ability::Read, &["read"]),
    (Ability::Search, &["grep", "find", "ls"]),
    (Ability::Write, &["edit", "write"]),
    (Ability::Run, &["bash"]),
];

/// What a word in a plan's scope means, if it is not the name of a server or of one of its tools: our own tools, and what
/// agents call theirs.
pub(super) fn of_word(word: &str) -> Option<Ability> {
    let word = word.to_lowercase();
    Some(match word.as_str() {
        "read_file" | "view" => Ability::Read,
        "list_directory" | "search_files" | "search" => Ability::Search,
        "write_file" | "edit_file" | "delete_file" | "move_file" => Ability::Write,
        "run_command" | "exec" | "terminal" => Ability::Run,
        "http_request" | "fetch" => Ability::Fetch,
        _ => {
            let tools = Agent::ALL.into_iter().flat_map(Agent::tools);
            let mut named = tools
                .filter(|(_, names)| names.iter().any(|name| name.eq_ignore_ascii_case(&word)));
            let (ability, _) = named.find(|(ability, _)| is_in_scopes(*ability))?;
            *ability
        }
    })
}

/// Whether a plan can give or withhold it. The agent's own affairs it always has, and sub-agents only by their name.
fn is_in_scopes(ability: Ability) -> bool {
    match ability {
        Ability::Read | Ability::Search | Ability::Write | Ability::Run | Ability::Fetch => true,
        Ability::Watch | Ability::Own | Ability::Delegate => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_thing_in_every_agent() {
        for agent in Agent::ALL {
            for (ability, names) in agent.tools() {
                for name in *names {
                    assert_eq!(agent.ability(name), Some(*ability), "{agent:?} {name}");
                    if is_in_scopes(*ability) {
                        assert_eq!(of_word(name), Some(*ability), "{name}");
                    }
                }
            }
        }
        assert_eq!(of_word("web_search"), Some(Ability::Fetch));
        assert_eq!(of_word("grep"), Some(Ability::Search));
        assert_eq!(of_word("TodoWrite"), None);
        assert_eq!(of_word("github"), None);
        assert_eq!(Agent::Claude.ability("CronCreate"), None);
        assert_eq!(Agent::Codex.ability("write_stdin"), None);
    }
}
