//! The sections of the configuration and what is built in.

pub(super) mod agents;
pub(super) mod approvers;
pub(super) mod cluster;
pub(super) mod driver;
pub(super) mod guard;
pub(super) mod llm;
pub(super) mod mcp;
pub(super) mod policy;
pub(super) mod prices;
pub(super) mod serve;
pub(super) mod worktree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{
    ClusterSettings, Config, GuardSettings, Isolation, LandMode, LlmSettings, Policy,
    ServeSettings, Setting,
};
use crate::signatures::Proof;

/// `[plans]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlansSettings {
    /// A plan that waits for so long to be signed or run is cancelled, with a notice.
    pub stale_after_days: Setting<u32>,
    /// A finished plan may move to the archive after so long.
    pub archive_after_days: Setting<u32>,
    /// An archived plan is deleted by `prune` after so long.
    pub prune_after_days: Setting<u32>,
    /// The rejection that makes a plan `needs_review`.
    pub max_rejections: Setting<u32>,
    /// A run whose owner is silent for so long counts as stalled.
    pub executor_timeout_minutes: Setting<u32>,
}

/// `[approval]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalSettings {
    /// Without it every plan gets a signature of the policy.
    pub required: Setting<bool>,
    /// What signing asks for; see [`ApprovalSettings::required_proof`].
    pub proof: Setting<Proof>,
    /// What a signature must have at a run.
    pub minimum: Setting<Proof>,
    /// A plan that was approved is run at once.
    pub then_run: Setting<bool>,
    /// Plans that need no person.
    pub auto: Setting<Vec<Policy>>,
    /// Whose signatures count; empty = everybody's.
    pub from: Setting<Vec<String>>,
    /// How many different people have to sign.
    pub count: Setting<u32>,
    /// Whoever wrote the plan does not count.
    pub not_author: Setting<bool>,
    /// Signs new versions of a plan that only leave out, in a run, without a person.
    pub narrowing: Setting<bool>,
    /// Whose keys count for the proof `key`, as written (see [`ApprovalSettings::signers_file`]); without
    /// it, git's `gpg.ssh.allowedSignersFile`.
    pub allowed_signers: Setting<Option<PathBuf>>,
}

impl ApprovalSettings {
    /// The proof a signature needs so that it is enough when it is made and when it is used.
    pub fn required_proof(&self) -> Proof {
        self.proof.value.max(self.minimum.value)
    }

    /// The file of `allowed_signers`, with `~` in it resolved.
    pub fn signers_file(&self, home: Option<&Path>) -> Option<PathBuf> {
        let written = self.allowed_signers.value.as_ref()?;
        match written.strip_prefix("~") {
            Ok(below) => Some(home?.join(below)),
            Err(_) => Some(written.clone()),
        }
    }
}

/// `[run]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSettings {
    /// Steps that may be under way at once.
    pub jobs: Setting<u32>,
    /// Whether agents work in trees of their own.
    pub isolation: Setting<Isolation>,
    /// When what steps did comes into the checkout.
    pub land: Setting<LandMode>,
    /// How long the work of a step may take, where the step does not say.
    pub step_timeout: Setting<Duration>,
    /// The wait before the first retry; later ones wait longer.
    pub backoff: Setting<Duration>,
    /// How often a plan may be replanned in a run.
    pub max_replans: Setting<u32>,
    /// What a run's journal survives.
    pub durability: Setting<Durability>,
    /// Command lines for the contracts' shell, run in each new worktree.
    pub prepare: Setting<Vec<String>>,
    /// Paths and patterns of the workspace that git ignores and each new worktree gets a copy of.
    pub copy: Setting<Vec<String>>,
}

/// `[run] durability`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The loss of power: what must survive is synced to disk before anything follows from it.
    Power,
    /// The end of the process (`kill -9`), not of the machine.
    Process,
}

impl Durability {
    pub(super) const CHOICES: [(&'static str, Self); 2] =
        [("power", Self::Power), ("process", Self::Process)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Process => "process",
        }
    }
}

/// `[contract]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractSettings {
    pub shell: Setting<String>,
    pub timeout: Setting<Duration>,
    pub baseline: Setting<bool>,
    /// What becomes of an agent step whose contract holds before the work.
    pub green: Setting<GreenBaseline>,
    /// What becomes of a plan with agent steps that have no contract.
    pub unverified: Setting<UnverifiedPolicy>,
    /// When a person is asked whether such steps are done.
    pub accept: Setting<AcceptTime>,
    /// Whether they find what earlier contracts of the run built.
    pub cache: Setting<ContractCache>,
    /// Whose ignored files contracts find.
    pub ignored: Setting<IgnoredFiles>,
}

/// `[contract] green`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GreenBaseline {
    /// Its agent works all the same; what it does is not proved by that contract.
    Run,
    /// It is skipped.
    Skip,
    /// A person decides.
    Ask,
}

impl GreenBaseline {
    pub(super) const CHOICES: [(&'static str, Self); 3] =
        [("run", Self::Run), ("skip", Self::Skip), ("ask", Self::Ask)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Skip => "skip",
            Self::Ask => "ask",
        }
    }
}

/// `[contract] unverified`, from the looser to the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnverifiedPolicy {
    /// A person accepts what the agent did.
    Ask,
    /// It is not run.
    Refuse,
}

impl UnverifiedPolicy {
    pub(super) const CHOICES: [(&'static str, Self); 2] =
        [("ask", Self::Ask), ("refuse", Self::Refuse)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        }
    }
}

/// `[contract] accept`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptTime {
    /// Once, about all of them; until then their dependents go on provisionally.
    End,
    /// At each step, before its dependents start.
    Step,
}

impl AcceptTime {
    pub(super) const CHOICES: [(&'static str, Self); 2] =
        [("end", Self::End), ("step", Self::Step)];

    pub fn name(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Step => "step",
        }
    }
}

/// `[contract] cache`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractCache {
    /// Each contract builds for itself.
    Cold,
    /// They find what earlier ones built, and are run once more without it at the end; nothing lands before.
    Warm,
}

impl ContractCache {
    pub(super) const CHOICES: [(&'static str, Self); 2] =
        [("cold", Self::Cold), ("warm", Self::Warm)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

/// `[contract] ignored`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredFiles {
    /// Those of the checkout, and what `prepare` made.
    Checkout,
    /// As the attempt left them; that proves nothing.
    Attempt,
}

impl IgnoredFiles {
    pub(super) const CHOICES: [(&'static str, Self); 2] =
        [("checkout", Self::Checkout), ("attempt", Self::Attempt)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Checkout => "checkout",
            Self::Attempt => "attempt",
        }
    }
}

/// `[sandbox]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSettings {
    /// Whether agents and contracts are confined.
    pub mode: Setting<SandboxMode>,
    /// Whether they may talk to others.
    pub network: Setting<bool>,
    /// Processes and threads that one of them may have at once.
    pub processes: Setting<u32>,
    /// MiB of memory that each process of theirs may have.
    pub memory_mb: Setting<Option<u32>>,
    /// What is not shown, besides what looks like a secret: regular expressions.
    pub redact: Setting<Vec<String>>,
    /// Names of the variables that agents and contracts get to see.
    pub env: Setting<Vec<String>>,
    /// Paths of the person's home (`~/…`) that agents and contracts can read, besides the tools that they find there.
    pub home: Setting<Vec<String>>,
    /// Directories that they can write to, besides what is theirs.
    pub writable: Setting<Vec<String>>,
}

/// Whether what is started is confined. A later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxMode {
    /// It has the person's rights.
    Off,
    /// As far as this machine can.
    Auto,
    /// Wholly, or nothing is started.
    Required,
}

impl SandboxMode {
    pub(super) const CHOICES: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("auto", Self::Auto),
        ("required", Self::Required),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Auto => "auto",
            Self::Required => "required",
        }
    }
}

/// `[notify]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifySettings {
    /// Program and arguments, run when something waits on a person; empty = nothing is.
    pub command: Setting<Vec<String>>,
    /// Where notifications are posted to.
    pub url: Setting<Option<String>>,
    /// Program and arguments that print the secret which signs them; empty = none does.
    pub secret_command: Setting<Vec<String>>,
    /// The name of the variable that has the secret.
    pub secret_env: Setting<Option<String>>,
}

/// `[mcp.servers.NAME]`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerSettings {
    /// Program and arguments; empty for one that has a `url`.
    pub command: Vec<String>,
    /// Where it is, if it is reached over HTTP.
    pub url: Option<String>,
    /// The name of the variable that has the token for it.
    pub token_env: Option<String>,
    /// It runs in the sandbox, as contracts do, and not with the person's rights.
    pub confined: bool,
    /// Names of variables that it gets to see, besides those that all do.
    pub env: Vec<String>,
    /// Names and patterns of tools that change nothing, so that a call needs no agreement.
    pub read_only: Vec<String>,
    /// Names and patterns of tools that may be called again when the end of a call is unknown.
    pub repeatable: Vec<String>,
    /// How long a call may take at most.
    pub timeout: Option<Duration>,
}

/// What the settings are where nothing says otherwise.
impl Default for Config {
    fn default() -> Self {
        let ten_minutes = Duration::from_mins(10);
        let env = ["PATH", "LANG", "TERM", "HOME"].map(str::to_owned);
        Self {
            plans: PlansSettings {
                stale_after_days: Setting::built_in(30),
                archive_after_days: Setting::built_in(90),
                prune_after_days: Setting::built_in(365),
                max_rejections: Setting::built_in(3),
                executor_timeout_minutes: Setting::built_in(30),
            },
            approval: ApprovalSettings {
                required: Setting::built_in(true),
                proof: Setting::built_in(Proof::Any),
                minimum: Setting::built_in(Proof::Any),
                then_run: Setting::built_in(false),
                auto: Setting::built_in(Vec::new()),
                from: Setting::built_in(Vec::new()),
                count: Setting::built_in(1),
                not_author: Setting::built_in(false),
                narrowing: Setting::built_in(false),
                allowed_signers: Setting::built_in(None),
            },
            run: RunSettings {
                jobs: Setting::built_in(4),
                isolation: Setting::built_in(Isolation::Auto),
                land: Setting::built_in(LandMode::Auto),
                step_timeout: Setting::built_in(ten_minutes),
                backoff: Setting::built_in(Duration::from_secs(1)),
                max_replans: Setting::built_in(3),
                durability: Setting::built_in(Durability::Power),
                prepare: Setting::built_in(Vec::new()),
                copy: Setting::built_in(Vec::new()),
            },
            contract: ContractSettings {
                shell: Setting::built_in("bash".to_owned()),
                timeout: Setting::built_in(ten_minutes),
                baseline: Setting::built_in(true),
                green: Setting::built_in(GreenBaseline::Run),
                unverified: Setting::built_in(UnverifiedPolicy::Ask),
                accept: Setting::built_in(AcceptTime::End),
                cache: Setting::built_in(ContractCache::Cold),
                ignored: Setting::built_in(IgnoredFiles::Checkout),
            },
            sandbox: SandboxSettings {
                mode: Setting::built_in(SandboxMode::Auto),
                network: Setting::built_in(true),
                processes: Setting::built_in(4096),
                memory_mb: Setting::built_in(None),
                redact: Setting::built_in(Vec::new()),
                env: Setting::built_in(env.to_vec()),
                home: Setting::built_in(Vec::new()),
                writable: Setting::built_in(Vec::new()),
            },
            llm: LlmSettings::default(),
            notify: NotifySettings {
                command: Setting::built_in(Vec::new()),
                url: Setting::built_in(None),
                secret_command: Setting::built_in(Vec::new()),
                secret_env: Setting::built_in(None),
            },
            guard: GuardSettings::default(),
            serve: ServeSettings {
                people: Setting::built_in(BTreeMap::new()),
            },
            engine: ClusterSettings::default(),
            agents: BTreeMap::new(),
            prices: BTreeMap::new(),
            servers: BTreeMap::new(),
            notes: Vec::new(),
            project: None,
        }
    }
}
