//! What the known agents need to be who they are logged in as. Data.

use std::ffi::OsString;
use std::path::Path;

use crate::environment::Variables;

/// What a program needs of a person's home and environment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The program.
    pub(super) program: &'static str,
    /// Files below the home that it logs in with; copied, so that it cannot change them.
    pub(super) files: &'static [&'static str],
    /// Variables that it logs in with, or that say to whom it talks.
    pub(super) variables: &'static [&'static str],
    /// It confines what it starts by namespaces of its own.
    pub(super) nests: bool,
}

const NONE: Needs = Needs {
    program: "",
    files: &[],
    variables: &[],
    nests: false,
};

const KNOWN: [Needs; 5] = [
    Needs {
        program: "claude",
        files: &[
            ".claude.json",
            ".claude/.credentials.json",
            ".claude/settings.json",
        ],
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
        ],
        nests: false,
    },
    Needs {
        program: "codex",
        files: &[".codex/auth.json", ".codex/config.toml"],
        variables: &["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"],
        nests: true,
    },
    Needs {
        program: "gemini",
        files: &[
            ".gemini/oauth_creds.json",
            ".gemini/google_accounts.json",
            ".gemini/settings.json",
        ],
        variables: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_CLOUD_PROJECT",
            "GEMINI_CLI_TRUST_WORKSPACE",
        ],
        nests: false,
    },
    Needs {
        program: "opencode",
        files: &[
            ".local/share/opencode/auth.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
        ],
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
        nests: false,
    },
    Needs {
        program: "pi",
        files: &[
            ".pi/agent/auth.json",
            ".pi/agent/models.json",
            ".pi/agent/settings.json",
        ],
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
        nests: false,
    },
];

/// What the program of a command line needs. Only a bare name is known: anything else may be somebody's own script
/// that is called like an agent.
pub(super) fn needs(program: &str) -> Needs {
    let known = KNOWN.iter().find(|needs| needs.program == program);
    known.copied().unwrap_or(NONE)
}

impl Needs {
    pub(super) fn variables(&self, all: &Variables) -> Vec<(OsString, OsString)> {
        let set = self.variables.iter().filter_map(|name| {
            let name = OsString::from(name);
            let value = all.get(&name)?.clone();
            Some((name, value))
        });
        set.collect()
    }

    /// Its files that are there.
    pub(super) fn files<'h>(&self, home: &'h Path) -> impl Iterator<Item = &'static str> + use<'h> {
        let files = self.files.iter().copied();
        files.filter(|file| home.join(file).is_file())
    }
}
