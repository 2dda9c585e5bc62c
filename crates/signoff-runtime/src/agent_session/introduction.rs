//! The text that a session gets at its start.

use std::fmt::Write as _;

use signoff_api::threads::ThreadDir;
use signoff_engine::Actor;

use super::{AgentSession, stuck_plans, tool_inventory};
use crate::clock::SystemClock;
use crate::plans::{ActorContext, ListOptions, Listing, list};
use crate::project::Project;
use crate::threads::{Planning, overseer, plans_root};

/// More than this is cut: it is put in front of everything that the agent reads.
const LONGEST: usize = 8 * 1024;
/// How many notes of the housekeeping it contains.
const NOTES: usize = 5;

/// What a session is told when it begins.
#[derive(Debug)]
pub struct Introduction {
    /// For the agent.
    pub text: String,
    /// For the person, who has to do something about it; often empty.
    pub to_person: String,
}

/// The texts for the start of a session. `None` if there is no store: such a directory is not our concern.
///
/// Whatever cannot be read is left out; the session begins nevertheless.
pub fn introduction(session: &AgentSession<'_>) -> Option<Introduction> {
    let project = Project::open(session.process).ok()?;
    let mut text = String::from(
        "Signoff is set up in this project: work that is large, risky or reaches outside of the project is planned, signed by a person and then run by `signoff run`. The skill `signoff` says when and how.\n",
    );
    let directories = directories(session);
    match (&directories, session.in_plan_mode) {
        (Some(directories), true) => {
            text.push('\n');
            text.push_str(&overseer(&directories.current, &directories.additional));
            text.push_str(&directories.session_line());
        }
        (Some(directories), false) => text.push_str(&directories.lines()),
        (None, true) => text.push_str(PLAN_MODE),
        (None, false) => {}
    }
    text.push_str(&tool_inventory::lines(&project));
    let mut to_person = String::new();
    if let Ok(listing) = plans(&project) {
        push_pending(&mut text, listing.pending);
        to_person = urgent(&project, &listing);
        text.push_str(&to_person);
    }
    Some(Introduction {
        text: truncate(text),
        to_person: truncate(to_person),
    })
}

const PLAN_MODE: &str = "Plan mode is on: only reading and planning pass until a person ends it.\n";

/// What is said with every prompt while plan mode is on, because it may have been switched on after the start.
pub fn reminder(session: &AgentSession<'_>) -> Option<String> {
    if !session.in_plan_mode {
        return None;
    }
    Project::open(session.process).ok()?;
    let mut text = format!(
        "{PLAN_MODE}Write the plan as the skill `signoff` says and submit it with `plan_propose`.\n"
    );
    if let Some(directories) = directories(session) {
        text.push_str(&directories.lines());
    }
    Some(truncate(text))
}

/// The directories of the session's threads.
struct PlanDirectories {
    session: String,
    current: ThreadDir,
    additional: Vec<ThreadDir>,
}

impl PlanDirectories {
    /// Not every agent can be made to set a variable for its commands, and the link `agentctl` is a person's to make.
    fn session_line(&self) -> String {
        let id = &self.session;
        format!(
            "AGENTCTL_SESSION_ID: {id} (where that is not set, or there is no `agentctl`: `AGENTCTL_SESSION_ID={id} signoff agentctl …`)\n"
        )
    }

    fn lines(&self) -> String {
        let additional: Vec<String> = self
            .additional
            .iter()
            .map(|dir| format!("{}: {}", dir.thread_id, dir.plan_dir))
            .collect();
        let additional = match additional.as_slice() {
            [] => "none".to_owned(),
            list => list.join(", "),
        };
        format!(
            "\n{}CURRENT_PLAN_DIR: {}\nADDITIONAL_PLAN_DIRS: {additional}\n",
            self.session_line(),
            self.current.plan_dir
        )
    }
}

fn directories(session: &AgentSession<'_>) -> Option<PlanDirectories> {
    let id = session.id?;
    let root = plans_root(&session.process.variables)?;
    let mut planning = Planning::open(&root, id).ok()?;
    Some(PlanDirectories {
        session: id.to_owned(),
        current: planning.current().ok()?,
        additional: planning.additional().ok()?,
    })
}

fn plans(project: &Project) -> Result<Listing, crate::error::Error> {
    let clock = SystemClock::new();
    let context = ActorContext {
        project,
        actor: Actor::Harness,
        clock: &clock,
    };
    list(context, &ListOptions::default())
}

fn push_pending(text: &mut String, pending: usize) {
    if pending == 0 {
        return;
    }
    let plans = if pending == 1 {
        "plan waits"
    } else {
        "plans wait"
    };
    writeln!(
        text,
        "\n{pending} {plans} for a person: `signoff list` shows them."
    )
    .expect("a string grows");
}

/// Plans that are stuck or have expired. Their names are other people's: a terminal must not act on them.
fn urgent(project: &Project, listing: &Listing) -> String {
    let mut text = stuck_plans::lines(project, &listing.plans);
    for note in listing.notes.iter().take(NOTES) {
        writeln!(text, "Note: {note}").expect("a string grows");
    }
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

fn truncate(mut text: String) -> String {
    if text.len() > LONGEST {
        let mut end = LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("\n…\n");
    }
    text
}
