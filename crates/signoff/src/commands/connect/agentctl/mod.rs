//! `agentctl`: a command for agents that plan threads. The runtime decides what is allowed.

mod commit;
mod messages;

use std::ffi::OsStr;
use std::path::PathBuf;

use signoff_api::threads::{TOPIC_SCHEMA, ThreadDir, Topic};
use signoff_runtime::SystemClock;
use signoff_runtime::project::ProcessContext;
use signoff_runtime::threads::{Planning, ROOT_VARIABLE, plans_root};

use crate::args::{Agentctl, AgentctlCommand, ThreadCommand};
use crate::failure::Failure;
use crate::session::Session;

/// Names the session.
const SESSION: &str = "AGENTCTL_SESSION_ID";

pub(crate) fn agentctl(session: &mut Session, args: &Agentctl) -> Result<u8, Failure> {
    match &args.command {
        AgentctlCommand::SetTopic(args) => set_topic(session, &args.text),
        AgentctlCommand::Plan(plan) => match &plan.command {
            ThreadCommand::Dir(_) => dir(session),
            ThreadCommand::RequestThreadDir(_) => request(session),
            ThreadCommand::RemoveThread(args) => remove(session, &args.thread_id),
            ThreadCommand::ClearCurrent(_) => clear(session),
            ThreadCommand::Commit(_) => commit::commit(session),
        },
    }
}

/// The threads of the session that the environment names.
pub(crate) fn planning(process: &ProcessContext) -> Result<Planning, Failure> {
    let session = session_id(process)?;
    Ok(Planning::open(&root(process)?, &session)?)
}

fn session_id(process: &ProcessContext) -> Result<String, Failure> {
    let value = process.variables.get(OsStr::new(SESSION));
    match value.filter(|value| !value.is_empty()) {
        // A value that is not UTF-8 is refused as a bad id.
        Some(value) => Ok(value.to_string_lossy().into_owned()),
        None => Err(
            Failure::new(2, "no-session", format!("no session: {SESSION} is not set")).hint(
                format!("the program that starts the agent sets it: `export {SESSION}=…`"),
            ),
        ),
    }
}

/// The directory that holds the directories of all threads.
fn root(process: &ProcessContext) -> Result<PathBuf, Failure> {
    plans_root(&process.variables).ok_or_else(|| {
        let is_set = |value: &std::ffi::OsString| !value.is_empty();
        let named = process.variables.get(OsStr::new(ROOT_VARIABLE));
        let name = if named.is_some_and(is_set) {
            ROOT_VARIABLE
        } else {
            "HOME"
        };
        Failure::new(
            2,
            "no-plans-dir",
            format!("{name} is not an absolute path, so there is no directory for plans"),
        )
        .hint(format!("`export {ROOT_VARIABLE}=/some/directory`"))
    })
}

fn dir(session: &mut Session) -> Result<u8, Failure> {
    let current = planning(&session.process)?.current()?;
    if session.is_json() {
        session.json(&current);
    } else {
        session.out.answer(&current.plan_dir);
    }
    Ok(0)
}

/// Prints JSON in every format: `agentctl` defines this output, and it has two values to name.
fn request(session: &mut Session) -> Result<u8, Failure> {
    let dir = planning(&session.process)?.request()?;
    session.json(&dir);
    Ok(0)
}

fn remove(session: &mut Session, thread: &str) -> Result<u8, Failure> {
    let process = session.process.clone();
    let withdrawn = planning(&process)?.remove(&process, &SystemClock::new(), thread)?;
    messages::say_withdrawn(session, &withdrawn);
    print_thread(session, &withdrawn.thread, "removed");
    Ok(0)
}

fn clear(session: &mut Session) -> Result<u8, Failure> {
    let process = session.process.clone();
    let withdrawn = planning(&process)?.clear_current(&process, &SystemClock::new())?;
    messages::say_withdrawn(session, &withdrawn);
    print_thread(session, &withdrawn.thread, "cleared");
    Ok(0)
}

fn print_thread(session: &mut Session, dir: &ThreadDir, word: &str) {
    if session.is_json() {
        session.json(dir);
    } else {
        let line = format!("{word} {}: {}", dir.thread_id, dir.plan_dir);
        session.out.answer(line);
    }
}

fn set_topic(session: &mut Session, text: &str) -> Result<u8, Failure> {
    let session_id = session_id(&session.process)?;
    let topic = planning(&session.process)?.set_topic(text)?;
    if session.is_json() {
        let shape = Topic {
            schema: TOPIC_SCHEMA.to_owned(),
            session_id,
            topic,
        };
        session.json(&shape);
    } else {
        session
            .out
            .answer(format!("topic: {}", messages::one_line(&topic)));
    }
    Ok(0)
}
