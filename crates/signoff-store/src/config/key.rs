//! Every setting with a fixed name: one table for the files, the environment and `signoff config`.

use signoff_plan::guard::GuardMode;

use super::listing::{SettingEntry, entry};
use super::read::Reader;
use super::value::Value;
use super::{
    AcceptTime, Config, ContractCache, Durability, GreenBaseline, IgnoredFiles, Isolation,
    LandMode, ModelProvider, SandboxMode, UnverifiedPolicy,
};

/// One setting.
pub(super) struct Key {
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    /// How an environment variable spells its value.
    pub(super) kind: VariableKind,
    /// Reads a value into its place.
    pub(super) set: fn(&mut Reader<'_>, &Self, &Value<'_>, &mut Config),
    pub(super) show: fn(&Config, &Self) -> SettingEntry,
}

/// What a variable's text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableKind {
    /// The text itself.
    Text,
    /// A number, `true` or `false`.
    Literal,
    /// A TOML list, or words with commas between them.
    List,
}

/// A row of the table: where the setting is kept, and how its value is read.
macro_rules! key {
    ($section:ident.$name:ident, $kind:ident, $read:expr) => {
        Key {
            section: stringify!($section),
            name: stringify!($name),
            kind: VariableKind::$kind,
            set: |reader, _, value, config| {
                reader.set(&mut config.$section.$name, value, $read);
            },
            show: |config, key| entry(key.dotted_name(), &config.$section.$name),
        }
    };
    // What a project and the environment can only tighten: whether a new value is looser.
    ($section:ident.$name:ident, $kind:ident, $read:expr, $looser:expr) => {
        Key {
            section: stringify!($section),
            name: stringify!($name),
            kind: VariableKind::$kind,
            set: |reader, key, value, config| {
                reader.tighten(key, &mut config.$section.$name, value, $read, $looser);
            },
            show: |config, key| entry(key.dotted_name(), &config.$section.$name),
        }
    };
}

/// In the order of the documentation.
pub(super) const KEYS: [Key; 64] = [
    key!(plans.stale_after_days, Literal, Reader::count),
    key!(plans.archive_after_days, Literal, Reader::count),
    key!(plans.prune_after_days, Literal, Reader::count),
    key!(plans.max_rejections, Literal, Reader::count),
    key!(plans.executor_timeout_minutes, Literal, Reader::count),
    key!(approval.required, Literal, Reader::boolean, |new, old| new
        < old),
    key!(approval.proof, Text, Reader::proof, |new, old| new < old),
    key!(approval.minimum, Text, Reader::proof, |new, old| new < old),
    key!(approval.then_run, Literal, Reader::boolean, |new, old| new
        > old),
    key!(approval.auto, List, Reader::policies, |new, old| {
        new.iter()
            .any(|policy| !old.iter().any(|old| policy.is_within(old)))
    }),
    key!(approval.from, List, Reader::approvers, |new, old| {
        // Without names everybody counts.
        !old.is_empty() && (new.is_empty() || new.iter().any(|name| !old.contains(name)))
    }),
    key!(approval.count, Literal, Reader::count, |new, old| new < old),
    key!(
        approval.not_author,
        Literal,
        Reader::boolean,
        |new, old| new < old
    ),
    key!(approval.narrowing, Literal, Reader::boolean, |new, old| new
        > old),
    key!(
        approval.allowed_signers,
        Text,
        |reader, value| reader.signers(value).map(Some),
        // Other people's keys are never stricter.
        |new, old| new != old
    ),
    key!(run.jobs, Literal, Reader::count),
    key!(run.isolation, Text, |reader, value| reader
        .choice(value, &Isolation::CHOICES)),
    key!(run.land, Text, |reader, value| reader
        .choice(value, &LandMode::CHOICES)),
    key!(run.step_timeout, Text, Reader::timeout),
    key!(run.backoff, Text, Reader::duration),
    key!(run.max_replans, Literal, Reader::count),
    key!(run.durability, Text, |reader, value| reader
        .choice(value, &Durability::CHOICES)),
    key!(run.prepare, List, Reader::command_lines),
    key!(run.copy, List, Reader::copied_paths),
    key!(contract.shell, Text, Reader::text),
    key!(contract.timeout, Text, Reader::timeout),
    key!(contract.baseline, Literal, Reader::boolean),
    key!(contract.green, Text, |reader, value| reader
        .choice(value, &GreenBaseline::CHOICES)),
    key!(
        contract.unverified,
        Text,
        |reader, value| reader.choice(value, &UnverifiedPolicy::CHOICES),
        |new, old| new < old
    ),
    key!(contract.accept, Text, |reader, value| reader
        .choice(value, &AcceptTime::CHOICES)),
    key!(contract.cache, Text, |reader, value| reader
        .choice(value, &ContractCache::CHOICES)),
    key!(contract.ignored, Text, |reader, value| reader
        .choice(value, &IgnoredFiles::CHOICES)),
    key!(
        sandbox.mode,
        Text,
        |reader, value| reader.choice(value, &SandboxMode::CHOICES),
        |new, old| new < old
    ),
    key!(sandbox.network, Literal, Reader::boolean, |new, old| new
        > old),
    key!(sandbox.processes, Literal, Reader::count, |new, old| new
        > old),
    key!(
        sandbox.memory_mb,
        Literal,
        |reader, value| reader.count(value).map(Some),
        |new, old| old.is_some() && new > old
    ),
    key!(sandbox.redact, List, Reader::expressions, |new, old| {
        old.iter().any(|pattern| !new.contains(pattern))
    }),
    Key {
        section: "sandbox",
        name: "env",
        kind: VariableKind::List,
        set: |reader, _, value, config| {
            let allowed = config.sandbox.env.value.clone();
            reader.set(&mut config.sandbox.env, value, |reader, value| {
                reader.variables(value, &allowed)
            });
        },
        show: |config, key| entry(key.dotted_name(), &config.sandbox.env),
    },
    // More visible or writable paths are never stricter.
    key!(sandbox.home, List, Reader::home_paths, |new, old| new
        .iter()
        .any(|path| !old.contains(path))),
    key!(
        sandbox.writable,
        List,
        Reader::writable_paths,
        |new, old| { new.iter().any(|path| !old.contains(path)) }
    ),
    key!(llm.agent, Text, |reader, value| reader
        .text(value)
        .map(Some)),
    key!(llm.critic, Text, |reader, value| reader
        .text(value)
        .map(Some)),
    key!(llm.arbiter, Text, |reader, value| reader
        .text(value)
        .map(Some)),
    // A project cannot set whom a person pays and where their key is.
    key!(
        llm.provider,
        Text,
        |reader, value| reader.choice(value, &ModelProvider::CHOICES).map(Some),
        |new, old| new != old
    ),
    key!(llm.model, Text, |reader, value| reader
        .text(value)
        .map(Some)),
    key!(
        llm.base_url,
        Text,
        |reader, value| reader.base_url(value).map(Some),
        |new, old| new != old
    ),
    key!(
        llm.key_command,
        List,
        Reader::optional_command,
        |new, old| new != old
    ),
    key!(llm.max_rounds, Literal, Reader::count),
    key!(llm.timeout, Text, Reader::timeout),
    key!(llm.idle_timeout, Text, Reader::timeout),
    key!(notify.command, List, Reader::optional_command),
    // A project cannot set who receives a person's questions, and with which secret.
    key!(
        notify.url,
        Text,
        |reader, value| reader.base_url(value).map(Some),
        |new, old| new != old
    ),
    key!(
        notify.secret_command,
        List,
        Reader::optional_command,
        |new, old| new != old
    ),
    key!(
        notify.secret_env,
        Text,
        |reader, value| reader.text(value).map(Some),
        |new, old| new != old
    ),
    key!(
        guard.mode,
        Text,
        |reader, value| reader.choice(value, &GuardMode::CHOICES),
        |new, old| new < old
    ),
    key!(guard.plan_mode, Literal, Reader::boolean, |new, old| new
        < old),
    // A layer adds to the list and takes nothing away.
    Key {
        section: "guard",
        name: "tools",
        kind: VariableKind::List,
        set: |reader, _, value, config| {
            let below = config.guard.tools.value.clone();
            reader.set(&mut config.guard.tools, value, |reader, value| {
                reader.guarded_tools(value, &below)
            });
        },
        show: |config, key| entry(key.dotted_name(), &config.guard.tools),
    },
    // People who are named here sign as persons: only the user's own file names them.
    key!(serve.people, List, Reader::people, |new, old| {
        new.iter().any(|(name, hash)| old.get(name) != Some(hash))
    }),
    // Only the user of this machine sets whom it works for and believes.
    key!(engine.url, Text, Reader::engine_url, |new, old| new != old),
    key!(
        engine.projects,
        List,
        Reader::shared_projects,
        |new, old| new != old
    ),
    key!(
        engine.orchestrators,
        List,
        Reader::machine_keys,
        |new, old| new != old
    ),
    key!(engine.workers, List, Reader::machine_keys, |new, old| new
        != old),
    key!(engine.verifier, Literal, Reader::boolean, |new, old| new
        != old),
    key!(
        engine.usd_per_day,
        Literal,
        |reader, value| reader.money(value).map(Some),
        |new, old| new != old
    ),
];

impl Key {
    /// The name of its variable, by the one rule there is.
    pub(super) fn variable(&self) -> String {
        format!("SIGNOFF_{}_{}", self.section, self.name).to_uppercase()
    }

    /// `section.key`
    fn dotted_name(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// As messages call it.
    pub(super) fn display_name(&self) -> String {
        format!("`[{}] {}`", self.section, self.name)
    }
}

/// Names of the keys of a section.
pub(super) fn names(section: &str) -> Vec<&'static str> {
    let keys = KEYS.iter().filter(|key| key.section == section);
    keys.map(|key| key.name).collect()
}

/// The setting of this name.
pub(super) fn find(section: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter()
        .find(|key| key.section == section && key.name == name)
}
