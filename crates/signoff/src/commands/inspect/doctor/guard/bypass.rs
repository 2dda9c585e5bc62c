//! Ways to start an agent so that it calls no hook. Only a person can choose them. Each is tried, so that what is said of it
//! is true of the version that is installed.

use signoff_plan::guard::Agent;

/// One such way.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bypass {
    pub(super) agent: Agent,
    /// For the line about the canary.
    pub(super) situation: &'static str,
    /// Arguments beside those of every canary.
    pub(super) arguments: &'static [&'static str],
    pub(super) place: HookPlace,
    /// What a person should know of it.
    pub(super) note: &'static str,
}

/// Where the hook is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookPlace {
    /// In the person's own settings.
    Home,
    /// In the project's settings.
    Project,
    /// In an extension of the person's.
    Extension,
}

/// A hook of a project in Gemini CLI, which loads that project's settings before it takes `--skip-trust` into account.
pub(super) static SKIP_TRUST: Bypass = Bypass {
    agent: Agent::Gemini,
    situation: "the hook is the project's, and the agent is started with `--skip-trust`",
    arguments: &[],
    place: HookPlace::Project,
    note: "with `--skip-trust` the hooks of a project that you have not trusted are not read: `signoff connect gemini --user` guards there too",
};

static OTHERS: [Bypass; 8] = [
    Bypass {
        agent: Agent::Claude,
        situation: "the agent is started with `--bare`",
        arguments: &["--bare"],
        place: HookPlace::Home,
        note: "`--bare` skips hooks: do not start the agent with it",
    },
    Bypass {
        agent: Agent::Claude,
        situation: "the agent is started with `--safe-mode`",
        arguments: &["--safe-mode"],
        place: HookPlace::Home,
        note: "`--safe-mode` skips hooks: do not start the agent with it",
    },
    Bypass {
        agent: Agent::Claude,
        situation: "the agent is started with `--setting-sources` without the hook's",
        arguments: &["--setting-sources", "project"],
        place: HookPlace::Home,
        note: "`--setting-sources` that leave out `user` leave out your hooks: connect the project too (`signoff connect claude --project`)",
    },
    Bypass {
        agent: Agent::Claude,
        situation: "the agent is started with `--settings` that switch hooks off",
        arguments: &["--settings", r#"{"disableAllHooks": true}"#],
        place: HookPlace::Home,
        note: "`--settings` with `disableAllHooks` switch every hook off: do not start the agent with them",
    },
    Bypass {
        agent: Agent::Codex,
        situation: "the agent is started with `--disable hooks`",
        arguments: &["--dangerously-bypass-hook-trust", "--disable", "hooks"],
        place: HookPlace::Home,
        note: "`--disable hooks` (or `-c features.hooks=false`) switches every hook off: do not start the agent with it",
    },
    Bypass {
        agent: Agent::Gemini,
        situation: "the hook is an extension's, and the agent is started with `-e none`",
        arguments: &["-e", "none"],
        place: HookPlace::Extension,
        note: "`-e` loads only the extensions that it names, and so not the guard's: name `signoff` among them",
    },
    Bypass {
        agent: Agent::Opencode,
        situation: "the agent is started with `--pure`",
        arguments: &["--pure"],
        place: HookPlace::Home,
        note: "`--pure` loads no plugins, and so no guard: do not start the agent with it",
    },
    Bypass {
        agent: Agent::Pi,
        situation: "the agent is started with `--no-extensions`",
        arguments: &["--no-extensions"],
        place: HookPlace::Home,
        note: "`--no-extensions` loads no extensions, and so no guard: do not start the agent with it",
    },
];

/// The ways that are known of an agent.
pub(super) fn of_agent(agent: Agent) -> impl Iterator<Item = &'static Bypass> {
    let all = OTHERS.iter().chain([&SKIP_TRUST]);
    all.filter(move |bypass| bypass.agent == agent)
}
