//! What a hook can do, and what should become of the call.

use std::path::Path;

use signoff_plan::guard::Agent;
use signoff_runtime::guard::{HookStore, hook_command};

use super::bypass::{Bypass, HookPlace, of_agent};

/// What the hook does, or how the agent is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Situation {
    /// The guard lets the call pass: without this one the others prove nothing.
    Passes,
    /// The guard denies it.
    Denied,
    /// The guard's binary is gone.
    BinaryGone,
    /// The guard's configuration cannot be read.
    BrokenSettings,
    /// The project's store is gone.
    StoreGone,
    /// The agent is started so that it calls no hook.
    Bypassed(&'static Bypass),
    /// The person has not trusted the hook.
    Untrusted,
    /// Answers that the guard never gives.
    Answer(HookReply),
}

/// What a hook can also answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookReply {
    Ask,
    DenyJson,
    ExitOne,
    ExitTwoSilently,
    NotJson,
    NoProgram,
}

impl Situation {
    /// The situations that a machine is tried in; those of other answers only if they are asked for.
    pub(super) fn of_agent(agent: Agent, answers: bool) -> Vec<Self> {
        let mut all = vec![
            Self::Passes,
            Self::Denied,
            Self::BinaryGone,
            Self::BrokenSettings,
            Self::StoreGone,
        ];
        all.extend(of_agent(agent).map(Self::Bypassed));
        match agent {
            Agent::Claude => all.push(Self::Answer(HookReply::Ask)),
            Agent::Codex => all.extend([Self::Untrusted, Self::Answer(HookReply::Ask)]),
            // It waits for somebody to answer, until it is ended.
            Agent::Gemini if answers => all.push(Self::Answer(HookReply::Ask)),
            Agent::Gemini => {}
            // Their hook is a plugin of ours, which knows only denied or not.
            Agent::Opencode | Agent::Pi => return all,
        }
        if answers {
            all.extend(
                [
                    HookReply::DenyJson,
                    HookReply::ExitOne,
                    HookReply::ExitTwoSilently,
                    HookReply::NotJson,
                    HookReply::NoProgram,
                ]
                .map(Self::Answer),
            );
        }
        all
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Passes => "the guard lets it pass",
            Self::Denied => "the guard denies it",
            Self::BinaryGone => "the guard's binary is gone",
            Self::BrokenSettings => "the guard's settings cannot be read",
            Self::StoreGone => "the project's store is gone",
            Self::Bypassed(bypass) => bypass.situation,
            Self::Untrusted => "the person has not trusted the hook",
            Self::Answer(HookReply::Ask) => "a hook answers `ask`",
            Self::Answer(HookReply::DenyJson) => "a hook denies in JSON",
            Self::Answer(HookReply::ExitOne) => "a hook ends with exit code 1",
            Self::Answer(HookReply::ExitTwoSilently) => {
                "a hook ends with exit code 2 and says nothing"
            }
            Self::Answer(HookReply::NotJson) => "a hook says something that is not JSON",
            Self::Answer(HookReply::NoProgram) => "a hook's program does not exist",
        }
    }

    /// Whether it can come about with the guard as it is installed.
    pub(super) fn is_ours(self) -> bool {
        match self {
            Self::Passes
            | Self::Denied
            | Self::BinaryGone
            | Self::BrokenSettings
            | Self::StoreGone => true,
            Self::Bypassed(_) | Self::Untrusted | Self::Answer(_) => false,
        }
    }

    /// Where the hook is written down.
    pub(super) fn hook_place(self) -> HookPlace {
        match self {
            Self::Bypassed(bypass) => bypass.place,
            _ => HookPlace::Home,
        }
    }

    /// The user's settings for the guard.
    pub(super) fn settings(self) -> &'static str {
        match self {
            Self::Passes | Self::BinaryGone | Self::StoreGone | Self::Answer(_) => "",
            Self::Denied | Self::Bypassed(_) | Self::Untrusted => "guard.plan_mode = true\n",
            Self::BrokenSettings => "guard.mode = \n",
        }
    }

    /// The shell text of the hook.
    pub(super) fn hook(self, binary: &Path, agent: Agent) -> String {
        let ours = |binary: &Path, store| hook_command(binary, agent, store);
        match self {
            Self::BinaryGone => ours(Path::new("/nowhere/signoff"), HookStore::Optional),
            Self::StoreGone => ours(binary, HookStore::Required),
            Self::Answer(answer) => answer.hook(agent),
            _ => ours(binary, HookStore::Optional),
        }
    }
}

impl HookReply {
    fn hook(self, agent: Agent) -> String {
        let say = |text: &str| format!("cat >/dev/null; echo '{text}'");
        let decision = |decision: &str| match agent {
            Agent::Gemini => say(&format!(
                "{{\"decision\":\"{decision}\",\"reason\":\"canary\"}}"
            )),
            _ => say(&format!(
                "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"{decision}\",\"permissionDecisionReason\":\"canary\"}}}}"
            )),
        };
        match self {
            Self::Ask => decision("ask"),
            Self::DenyJson => decision("deny"),
            Self::ExitOne => "cat >/dev/null; echo no >&2; exit 1".to_owned(),
            Self::ExitTwoSilently => "cat >/dev/null; exit 2".to_owned(),
            Self::NotJson => say("no"),
            Self::NoProgram => "/nowhere/hook".to_owned(),
        }
    }
}
