//! `doctor guard`: fires canaries through each installed agent, for real, with a model on loopback. It costs nothing: the
//! agents see neither a key nor a setting of the person.

mod agent_setup;
mod bypass;
mod canary;
mod connected;
mod holes;
mod situation;

use std::path::{Path, PathBuf};
use std::time::Instant;

use signoff_api::doctor::{AgentsReport, Canary, GuardHole, GuardProbe, KnownAgent};
use signoff_plan::guard::Agent;

use self::bypass::{Bypass, SKIP_TRUST};
use self::canary::{CanarySubject, run_canary};
use self::connected::AgentSettings;
use self::situation::{HookReply, Situation};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::sanitize;

/// What is asked of the section.
#[derive(Debug, Clone, Copy)]
pub(super) struct GuardOptions<'a> {
    /// Only these; none means all that are installed.
    pub(super) agents: &'a [String],
    /// Also with answers that the guard never gives.
    pub(super) answers: bool,
    /// The project's root.
    pub(super) workspace: Option<&'a Path>,
}

/// Tries every agent that is installed and asked for.
pub(super) fn probe(
    session: &Session,
    found: &AgentsReport,
    options: GuardOptions<'_>,
) -> Result<Vec<GuardProbe>, Failure> {
    let is_asked =
        |agent: &&KnownAgent| options.agents.is_empty() || options.agents.contains(&agent.name);
    let mut probes = Vec::new();
    for known in found.known.iter().filter(is_asked) {
        let agent = Agent::of_name(&known.name);
        if let (Some(agent), Some(path)) = (agent, &known.path) {
            let probe = probe_one(session, known, agent, &PathBuf::from(path), options);
            probes.push(probe?);
        }
    }
    Ok(probes)
}

fn probe_one(
    session: &Session,
    known: &KnownAgent,
    agent: Agent,
    program: &Path,
    options: GuardOptions<'_>,
) -> Result<GuardProbe, Failure> {
    let cannot = |why: std::io::Error| {
        Failure::new(6, "canary", format!("the canaries cannot be set up: {why}"))
    };
    let binary = std::env::current_exe().map_err(cannot)?;
    let begun = Instant::now();
    let subject = CanarySubject {
        process: &session.process,
        agent,
        program,
        binary: &binary,
    };
    let situations = Situation::of_agent(agent, options.answers);
    let fired: Result<Vec<(Situation, Canary)>, _> = (situations.into_iter())
        .map(|situation| Ok((situation, run_canary(subject, situation)?)))
        .collect();
    let fired = fired.map_err(cannot)?;
    let settings = AgentSettings::of(&session.process, options.workspace, agent);
    let guarded = settings.with_guard();
    let mut holes: Vec<GuardHole> = fired
        .iter()
        .filter_map(|(_, canary)| canary_hole(canary))
        .collect();
    if !guarded.is_empty() {
        let is_made = |bypass: &Bypass| {
            (fired.iter()).any(|(situation, canary)| {
                matches!(situation, Situation::Bypassed(tried) if *tried == bypass)
                    && canary.ran != Some(false)
            })
        };
        let skips_project = is_made(&SKIP_TRUST);
        holes.extend(holes::holes(&settings, &guarded, program, skips_project));
    }
    Ok(GuardProbe {
        name: known.name.clone(),
        version: known.version.clone(),
        connected: !guarded.is_empty(),
        ways_around: fired.iter().filter_map(way_around).collect(),
        canaries: fired.into_iter().map(|(_, canary)| canary).collect(),
        holes,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// A canary that came out otherwise than it must with the guard in front.
fn canary_hole(canary: &Canary) -> Option<GuardHole> {
    let what = match canary.ran {
        _ if !canary.ours => return None,
        Some(ran) if ran == canary.should_run => return None,
        Some(true) => format!("the call was made although {}", canary.situation),
        Some(false) => format!("the call was not made although {}", canary.situation),
        None => {
            let why = canary.problem.as_deref().unwrap_or("for an unknown reason");
            format!(
                "nothing is known of the case that {}: {why}",
                canary.situation
            )
        }
    };
    let fix = match canary.ran {
        Some(true) => {
            "do not rely on the guard in this version of the agent; use another version, or `signoff run`, which confines it"
        }
        Some(false) | None => {
            "see that the agent starts (`signoff doctor agents --probe`), and try again"
        }
    };
    Some(GuardHole {
        what,
        fix: fix.to_owned(),
    })
}

fn way_around((situation, canary): &(Situation, Canary)) -> Option<String> {
    canary.ran.filter(|ran| *ran)?;
    let text = match situation {
        Situation::Bypassed(bypass) => bypass.note,
        Situation::Untrusted => "a hook that you have not trusted (`/hooks`) is skipped silently",
        Situation::Answer(HookReply::Ask) => {
            "a hook that answers `ask` lets the call pass; Signoff never does"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// The lines about what was seen.
pub(super) fn lines(found: &[GuardProbe]) -> Vec<String> {
    let mut lines =
        vec!["guard: calls through each agent, with a model on this machine".to_owned()];
    if found.is_empty() {
        lines.push("  · no agent is installed here".to_owned());
    }
    lines.extend(found.iter().flat_map(agent_lines));
    lines
}

fn agent_lines(probe: &GuardProbe) -> Vec<String> {
    let mark = if probe.holes.is_empty() { "✓" } else { "✗" };
    let version = probe.version.as_deref().unwrap_or("of unknown version");
    let connected = if probe.connected {
        "connected".to_owned()
    } else {
        format!("not connected (`signoff connect {}`)", probe.name)
    };
    let mut lines = vec![format!("  {mark} {:<8} {version}, {connected}", probe.name)];
    let canaries = probe.canaries.iter().map(|canary| {
        let became = match canary.ran {
            Some(true) => "the call was made",
            Some(false) => "the call was not made",
            None => "nothing is known",
        };
        format!("    {}: {became}", canary.situation)
    });
    lines.extend(canaries);
    lines.extend(probe.holes.iter().map(|hole| {
        let (what, fix) = (sanitize(&hole.what), sanitize(&hole.fix));
        format!("    HOLE: {what}\n      {fix}")
    }));
    lines.extend((probe.ways_around.iter()).map(|way| format!("    note: {way}")));
    lines
}

/// The line about holes, if there are any.
pub(super) fn holes_line(found: &[GuardProbe]) -> Option<String> {
    let holed = found.iter().filter(|probe| !probe.holes.is_empty());
    let names: Vec<&str> = holed.map(|probe| probe.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("the guard does not hold in front of {}", names.join(", ")))
}
