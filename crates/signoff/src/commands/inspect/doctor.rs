//! `doctor`: what this machine can do for a run.

mod agents;
mod guard;
mod probe;

use signoff_api::doctor::{
    Doctor, HelperState, HiddenHome, LevelState, Project, RoomReport, Sandbox, UNKNOWN, Worktrees,
};
use signoff_runtime::Error;
use signoff_runtime::confinement::levels::Machine;
use signoff_runtime::doctor::Section;
use signoff_runtime::project::load_config;
use signoff_store::root::discover;

pub(crate) use self::agents::login_text;
use self::guard::GuardOptions;
use crate::args::{Doctor as Args, DoctorSection};
use crate::commands::share;
use crate::failure::{ACCEPT, Failure};
use crate::session::Session;
use crate::style::sanitize;

pub(crate) fn doctor(session: &mut Session, args: &Args) -> Result<u8, Failure> {
    if args.section == Some(DoctorSection::Engine) {
        return share::doctor(session);
    }
    // The report is about the machine, so it needs no project; a project's settings may require more.
    let store = discover(&session.process.directory).map_err(Error::from)?;
    let config = load_config(&session.process, store.as_ref())?;
    let project = store.map(|_| session.project()).transpose()?;
    let machine = Machine {
        process: &session.process.clone(),
        config: &config,
        project: project.as_ref(),
    };
    if args.accept_level {
        accept(session, machine)?;
    }
    let mut found = signoff_runtime::doctor::doctor(machine, &sections(args))?;
    if let (Some(named), Some(agents)) = (&args.probe, &found.agents) {
        found.probe = Some(probe::probe(session, agents, named)?);
    }
    if args.section == Some(DoctorSection::Guard)
        && let Some(agents) = found.agents.take()
    {
        let options = GuardOptions {
            agents: &args.agents,
            answers: args.answers,
            workspace: project.as_ref().map(|project| project.store.workspace()),
        };
        found.guard = Some(guard::probe(session, &agents, options)?);
    }
    if session.is_json() {
        session.json(&found);
    } else {
        for line in doctor_lines(&found) {
            session.out.answer(line);
        }
    }
    let obstacles = obstacles(&found, args.probe.as_deref().unwrap_or_default());
    for obstacle in &obstacles {
        session.out.say(obstacle);
    }
    Ok(match found.weaker.as_slice() {
        _ if !obstacles.is_empty() => 6,
        [] => 0,
        _ => 4,
    })
}

fn sections(args: &Args) -> Vec<Section> {
    match args.section {
        None if args.probe.is_some() => vec![Section::Agents],
        None => Section::CHEAP.to_vec(),
        Some(DoctorSection::Sandbox) if args.probe.is_some() => Section::CHEAP.to_vec(),
        Some(DoctorSection::Sandbox) => vec![Section::Sandbox],
        // Which agents there are; only the guard is reported.
        Some(DoctorSection::Agents | DoctorSection::Guard) => vec![Section::Agents],
        // It has a report of its own.
        Some(DoctorSection::Engine) => Vec::new(),
    }
}

/// What keeps plans from running here; `named` are the agents that were asked about.
fn obstacles(found: &Doctor, named: &[String]) -> Vec<String> {
    let sandbox = found.sandbox.as_ref().and_then(|sandbox| {
        let text = if sandbox.level == UNKNOWN {
            "could not try what this machine can enforce: no plan will run here"
        } else if sandbox.mode == "required" && !confines(sandbox) {
            "`[sandbox] mode = \"required\"` cannot be met: no plan will run here"
        } else {
            return None;
        };
        Some(text.to_owned())
    });
    let agents = found.agents.as_ref().and_then(agents::missing_line);
    let probe = probe::failed_lines(found, named);
    let guard = found.guard.as_deref().and_then(guard::holes_line);
    sandbox
        .into_iter()
        .chain(agents)
        .chain(probe)
        .chain(guard)
        .collect()
}

/// Records that a person accepts the present level.
fn accept(session: &mut Session, machine: Machine<'_>) -> Result<(), Failure> {
    session.require_person("accept a weaker level")?;
    let Some(weaker) = machine.weaker_confinement()? else {
        session
            .out
            .say("there is nothing to accept: this machine confines as much as before");
        return Ok(());
    };
    machine.accept(&weaker)?;
    for lost in &weaker.lost {
        let (what, now) = (lost.what, &lost.now);
        session
            .out
            .say(format!("accepted: the {what} is `{now}` from now on"));
    }
    Ok(())
}

/// The lines about what is weaker than before, and how to accept it.
fn weaker_lines(found: &Doctor) -> Vec<String> {
    let line = |lost: &signoff_api::doctor::LostCapability| {
        format!(
            "weaker than before: the {} was `{}` and is `{}`; no run starts until you accept it: `{ACCEPT}`",
            lost.what,
            sanitize(&lost.before),
            lost.now
        )
    };
    found.weaker.iter().map(line).collect()
}

/// How many names of the home are listed.
const LISTED: usize = 24;

/// The lines about the parts of the home that agents and contracts do not see; first what a contract missed.
fn home_lines(found: &HiddenHome) -> Vec<String> {
    let missed = found.missed.iter().map(|missed| {
        let (path, step) = (sanitize(&missed.path), sanitize(&missed.step));
        format!(
            "home: the contract of step `{step}` in run {} names {path}, which it does not see; `[sandbox] home = [{path:?}]` in your own configuration shows it",
            missed.run
        )
    });
    let mut lines: Vec<String> = missed.collect();
    if !found.unseen.is_empty() {
        let more = match found.unseen.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = found.unseen.iter().take(LISTED).cloned();
        let shown = sanitize(&shown.collect::<Vec<_>>().join(", "));
        lines.push(format!(
            "home: agents and contracts do not see {shown}{more}; name what they need in `[sandbox] home` of your own configuration"
        ));
    }
    lines
}

/// The line about how processes see trees.
fn overlay_line(found: &RoomReport) -> String {
    let shown = match found.now.as_str() {
        "overlay" => "overlays, with their upper layers on disk",
        "overlay-tmpfs" => "overlays, with their upper layers in shared memory",
        "copy" => "copies, mounted at the checkout's path",
        _ => "none: steps work in the checkout itself, so nothing is `proved`",
    };
    let why = match found.why.as_slice() {
        [] => String::new(),
        why => format!(" ({})", sanitize(&why.join("; "))),
    };
    format!("trees are shown as: {shown}{why}")
}

fn confines(sandbox: &Sandbox) -> bool {
    matches!(sandbox.level.as_str(), "namespaces" | "bubblewrap")
}

/// The line about whether agents can work side by side.
pub(crate) fn worktrees_line(found: &Worktrees) -> String {
    let why = |why: &[String]| sanitize(&why.join("; "));
    if !found.possible {
        let why = why(&found.why);
        return format!("trees for agents: not available, so agents work one after another: {why}");
    }
    let possible = "trees for agents: available, so agents can work side by side";
    if found.private.is_empty() {
        return possible.to_owned();
    }
    let why = why(&found.private);
    format!("{possible}; their work is recorded outside your repository and lands as files: {why}")
}

fn doctor_lines(found: &Doctor) -> Vec<String> {
    let mut lines: Vec<String> = found.sandbox.iter().flat_map(sandbox_lines).collect();
    lines.extend(found.worktrees.as_ref().map(worktrees_line));
    lines.extend(found.room.as_ref().map(overlay_line));
    lines.extend(weaker_lines(found));
    lines.extend(found.home.iter().flat_map(home_lines));
    lines.extend(found.path_dropped.iter().map(|entry| path_line(entry)));
    lines.extend(found.project.iter().flat_map(project_lines));
    lines.extend(found.agents.iter().flat_map(agents::lines));
    lines.extend(found.probe.iter().flat_map(|found| probe::lines(found)));
    lines.extend(found.guard.iter().flat_map(|found| guard::lines(found)));
    lines
}

/// About an entry of PATH that is inside the project.
pub(crate) fn path_line(entry: &str) -> String {
    let entry = sanitize(entry);
    format!(
        "PATH: {entry} is inside the project, so Signoff does not search it; name its commands by their path"
    )
}

/// The lines about the levels of the sandbox.
fn sandbox_lines(sandbox: &Sandbox) -> Vec<String> {
    let network = if sandbox.network { "on" } else { "off" };
    let before = sandbox.before.as_ref();
    let before = before.filter(|before| **before != sandbox.level);
    let before = before.map(|before| format!("; `{}` when a run last began", sanitize(before)));
    let mut lines = vec![format!(
        "sandbox: {} (mode {}), network {network}{}",
        sandbox.level,
        sandbox.mode,
        before.unwrap_or_default()
    )];
    for level in &sandbox.levels {
        let (mark, more) = match level.state {
            LevelState::Works => ("✓", String::new()),
            LevelState::Fails => (
                "✗",
                format!(
                    "\n    does not work here: {}",
                    level.why.as_deref().unwrap_or("for an unknown reason")
                ),
            ),
            LevelState::NotTried => (
                "·",
                level
                    .why
                    .as_deref()
                    .map_or_else(String::new, |why| format!("\n    {}", sanitize(why))),
            ),
        };
        lines.push(format!(
            "  {mark} {:<11} {}{more}",
            level.level, level.enforces
        ));
    }
    lines
}

/// The lines about what the person trusts in the project.
fn project_lines(found: &Project) -> Vec<String> {
    let id = found.id.as_deref().unwrap_or("none yet");
    let copy = found.copy_of.as_ref().map(|of| {
        let of = sanitize(of);
        format!(", the same as that of {of}: signatures count here only after `signoff trust`")
    });
    let trust = match found.trust.as_str() {
        "not_needed" => "its configuration names no commands",
        "given" => "its commands are trusted",
        "changed" => {
            "files that its commands run have changed since you trusted them: `signoff trust`"
        }
        _ => "its commands are not trusted: `signoff trust`",
    };
    let mut lines = vec![format!(
        "project: id {id}{}; {trust}",
        copy.unwrap_or_default()
    )];
    lines.extend(found.helpers.iter().map(|helper| {
        let (mark, state) = match helper.state {
            HelperState::Trusted => ("✓", "trusted"),
            HelperState::Changed => ("✗", "changed since it was trusted"),
            HelperState::New => ("✗", "not trusted"),
        };
        let path = sanitize(&helper.path);
        format!("  {mark} {path} ({}): {state}", sanitize(&helper.command))
    }));
    lines
}
