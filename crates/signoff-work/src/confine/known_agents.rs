//! What the known agents need to be who they are logged in as. Data, looked up in the programs themselves:
//! claude 2.1.197, codex 0.166.0, gemini 0.61.0, opencode 1.18.33, pi 0.73.1.

use super::login_renewal::Shape;

/// What a program needs of a person's home and environment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KnownAgent {
    pub(super) program: &'static str,
    /// Other programs that are this one for another protocol, with the same login.
    pub(super) adapters: &'static [&'static str],
    /// Files that hold its login or its settings, by the folder that has them.
    pub(super) folders: &'static [HomeFolder],
    /// Variables that it logs in with, or that say to whom it talks.
    pub(super) variables: &'static [&'static [&'static str]],
    /// Variables that are set for it when it is confined.
    pub(super) confined_variables: &'static [(&'static str, &'static str)],
    /// Folders of a home in which it keeps its sessions.
    pub(super) sessions: &'static [&'static str],
    /// The file of a home whose `hooks` it starts, as a JSON object of lists of groups. A missing script denies every tool.
    pub(super) hook_settings: Option<&'static str>,
    /// It confines what it starts by namespaces of its own.
    pub(super) nests: bool,
    /// Any of these files means that a person is logged in.
    pub(super) login_files: &'static [LoginFile],
    /// So does any of these variables, or a list of [`SERVICES`].
    pub(super) login_variables: &'static [&'static [&'static str]],
    /// How a person gets it, and logs in to it.
    pub(super) advice: Advice,
}

/// What a person types to use an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    pub install: &'static str,
    pub log_in: &'static str,
}

/// A file that holds a login: a JSON object with one of these members, or with any if none is named. It must be one of
/// the files that the agent is given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LoginFile {
    pub(super) name: &'static str,
    pub(super) members: &'static [&'static str],
}

/// A folder of a home, and what is taken of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HomeFolder {
    /// Where it is in a home.
    pub(super) path: &'static str,
    /// A variable that names another place for it.
    pub(super) moved_by: FolderOverride,
    pub(super) files: &'static [&'static str],
}

/// How a variable names another place for a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FolderOverride {
    /// It is the folder.
    To(&'static str),
    /// The folder lies in it, at this path.
    Below(&'static str, &'static str),
}

/// Keys of the services that agents of no one service talk to.
const SERVICES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_OAUTH_TOKEN",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "DEEPSEEK_API_KEY",
    "GROQ_API_KEY",
    "CEREBRAS_API_KEY",
    "XAI_API_KEY",
    "OPENROUTER_API_KEY",
    "AI_GATEWAY_API_KEY",
    "MISTRAL_API_KEY",
    "FIREWORKS_API_KEY",
    "ZAI_API_KEY",
    "KIMI_API_KEY",
    "MOONSHOT_API_KEY",
    "MINIMAX_API_KEY",
    "OPENCODE_API_KEY",
];

pub(super) static NONE: KnownAgent = KnownAgent {
    program: "",
    adapters: &[],
    folders: &[],
    variables: &[],
    confined_variables: &[],
    sessions: &[],
    hook_settings: None,
    nests: false,
    login_files: &[],
    login_variables: &[],
    advice: Advice {
        install: "",
        log_in: "",
    },
};

static KNOWN: [KnownAgent; 5] = [CLAUDE, CODEX, GEMINI, OPENCODE, PI];

/// What is known of a program. Only a bare name is known.
pub(super) fn known_agent(program: &str) -> Option<&'static KnownAgent> {
    let is = |known: &&KnownAgent| known.program == program || known.adapters.contains(&program);
    KNOWN.iter().find(is)
}

const CLAUDE: KnownAgent = KnownAgent {
    program: "claude",
    adapters: &["claude-agent-acp", "claude-code-acp"],
    folders: &[
        // With the variable everything lies in one folder.
        HomeFolder {
            path: "",
            moved_by: FolderOverride::To("CLAUDE_CONFIG_DIR"),
            files: &[".claude.json"],
        },
        HomeFolder {
            path: ".claude",
            moved_by: FolderOverride::To("CLAUDE_CONFIG_DIR"),
            files: &[".credentials.json", "settings.json"],
        },
    ],
    variables: &[&[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_MODEL",
        "ANTHROPIC_SMALL_FAST_MODEL",
        "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        "ANTHROPIC_DEFAULT_OPUS_MODEL",
        "ANTHROPIC_DEFAULT_SONNET_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "ANTHROPIC_BEDROCK_BASE_URL",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_REGION",
        "CLAUDE_CODE_USE_VERTEX",
        "ANTHROPIC_VERTEX_BASE_URL",
        "ANTHROPIC_VERTEX_PROJECT_ID",
        "CLOUD_ML_REGION",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
    ]],
    // As root it asks for permission at each step, unless this is set.
    confined_variables: &[("IS_SANDBOX", "1")],
    sessions: &[".claude/projects"],
    hook_settings: Some(".claude/settings.json"),
    nests: false,
    login_files: &[
        LoginFile {
            name: ".credentials.json",
            members: &["claudeAiOauth"],
        },
        LoginFile {
            name: ".claude.json",
            members: &["primaryApiKey"],
        },
        LoginFile {
            name: "settings.json",
            members: &["apiKeyHelper"],
        },
    ],
    login_variables: &[&[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
    ]],
    advice: Advice {
        install: "npm install -g @anthropic-ai/claude-code",
        log_in: "start `claude` and type `/login`, or set ANTHROPIC_API_KEY",
    },
};

const CODEX: KnownAgent = KnownAgent {
    program: "codex",
    adapters: &["codex-acp"],
    folders: &[HomeFolder {
        path: ".codex",
        moved_by: FolderOverride::To("CODEX_HOME"),
        files: &["auth.json", "config.toml", ".env"],
    }],
    variables: &[&[
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_ORGANIZATION",
        "CODEX_API_KEY",
        "CODEX_ACCESS_TOKEN",
        "CODEX_CA_CERTIFICATE",
    ]],
    confined_variables: &[],
    sessions: &[".codex/sessions"],
    hook_settings: None,
    nests: true,
    login_files: &[LoginFile {
        name: "auth.json",
        members: &["tokens", "OPENAI_API_KEY"],
    }],
    login_variables: &[&["CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"]],
    advice: Advice {
        install: "npm install -g @openai/codex",
        log_in: "type `codex login`, or set CODEX_API_KEY",
    },
};

const GEMINI: KnownAgent = KnownAgent {
    program: "gemini",
    adapters: &[],
    folders: &[HomeFolder {
        path: ".gemini",
        moved_by: FolderOverride::Below("GEMINI_CLI_HOME", ".gemini"),
        files: &[
            "oauth_creds.json",
            "google_accounts.json",
            "gemini-credentials.json",
            "settings.json",
            "trustedFolders.json",
            ".env",
        ],
    }],
    variables: &[&[
        "GEMINI_API_KEY",
        "GEMINI_MODEL",
        "GEMINI_CLI_TRUST_WORKSPACE",
        "GOOGLE_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_USE_GCA",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_VERTEX_BASE_URL",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ]],
    confined_variables: &[],
    sessions: &[],
    hook_settings: Some(".gemini/settings.json"),
    nests: false,
    login_files: &[
        LoginFile {
            name: "oauth_creds.json",
            members: &["access_token", "refresh_token"],
        },
        LoginFile {
            name: "gemini-credentials.json",
            members: &[],
        },
    ],
    login_variables: &[&[
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GENAI_USE_GCA",
        "GOOGLE_GENAI_USE_VERTEXAI",
    ]],
    advice: Advice {
        install: "npm install -g @google/gemini-cli",
        log_in: "start `gemini` and type `/auth`, or set GEMINI_API_KEY",
    },
};

const OPENCODE: KnownAgent = KnownAgent {
    program: "opencode",
    adapters: &[],
    folders: &[
        HomeFolder {
            path: ".local/share/opencode",
            moved_by: FolderOverride::Below("XDG_DATA_HOME", "opencode"),
            files: &["auth.json"],
        },
        HomeFolder {
            path: ".config/opencode",
            moved_by: FolderOverride::Below("XDG_CONFIG_HOME", "opencode"),
            files: &["config.json", "opencode.json", "opencode.jsonc"],
        },
    ],
    variables: &[
        SERVICES,
        &[
            "OPENCODE_AUTH_CONTENT",
            "OPENCODE_CONFIG_CONTENT",
            "OPENCODE_PERMISSION",
            "OPENCODE_DISABLE_AUTOUPDATE",
            "OPENCODE_DISABLE_MODELS_FETCH",
        ],
    ],
    confined_variables: &[],
    sessions: &[".local/share/opencode"],
    hook_settings: None,
    nests: false,
    login_files: &[LoginFile {
        name: "auth.json",
        members: &[],
    }],
    login_variables: &[SERVICES, &["OPENCODE_AUTH_CONTENT"]],
    advice: Advice {
        install: "npm install -g opencode-ai",
        log_in: "type `opencode auth login`, or set the API key of a service",
    },
};

const PI: KnownAgent = KnownAgent {
    program: "pi",
    adapters: &[],
    folders: &[HomeFolder {
        path: ".pi/agent",
        moved_by: FolderOverride::To("PI_CODING_AGENT_DIR"),
        files: &["auth.json", "models.json", "settings.json"],
    }],
    variables: &[
        SERVICES,
        &["PI_OFFLINE", "PI_SKIP_VERSION_CHECK", "PI_TELEMETRY"],
    ],
    confined_variables: &[],
    sessions: &[".pi/agent/sessions"],
    hook_settings: None,
    nests: false,
    login_files: &[LoginFile {
        name: "auth.json",
        members: &[],
    }],
    login_variables: &[SERVICES],
    advice: Advice {
        install: "npm install -g @earendil-works/pi-coding-agent",
        log_in: "start `pi` and type `/login`, or set the API key of a service",
    },
};

/// A login file that an agent renews, and that is written back to the person's.
#[derive(Debug)]
pub(super) struct RenewedFile {
    pub(super) program: &'static str,
    /// Where it is in a home.
    pub(super) path: &'static str,
    pub(super) shape: Shape,
}

pub(super) static RENEWED: [RenewedFile; 6] = [
    RenewedFile {
        program: "claude",
        path: ".claude/.credentials.json",
        shape: Shape::Object {
            members: &["claudeAiOauth"],
            fixed: &["/organizationUuid"],
        },
    },
    RenewedFile {
        program: "codex",
        path: ".codex/auth.json",
        shape: Shape::Object {
            members: &["OPENAI_API_KEY", "tokens", "last_refresh"],
            fixed: &["/OPENAI_API_KEY", "/auth_mode", "/tokens/account_id"],
        },
    },
    RenewedFile {
        program: "gemini",
        path: ".gemini/oauth_creds.json",
        shape: Shape::Object {
            members: &["access_token", "refresh_token", "expiry_date"],
            fixed: &[],
        },
    },
    RenewedFile {
        program: "gemini",
        path: ".gemini/gemini-credentials.json",
        shape: Shape::Encrypted,
    },
    RenewedFile {
        program: "opencode",
        path: ".local/share/opencode/auth.json",
        shape: Shape::Services,
    },
    RenewedFile {
        program: "pi",
        path: ".pi/agent/auth.json",
        shape: Shape::Services,
    },
];
