//! `agentctl`: a command for agents that plan threads. The runtime decides what is allowed.

mod commit;
mod messages;

use signoff_api::threads::{TOPIC_SCHEMA, ThreadDir, Topic};
use signoff_runtime::SystemClock;
use signoff_runtime::project::ProcessContext;
use signoff_runtime::threads::Planning;

use crate::args::{Agentctl, AgentctlCommand, ThreadCommand};
use crate::failure::Failure;
use crate::session::Session;

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
    Ok(Planning::of_process(process, None)?)
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
    let mut planning = planning(&session.process)?;
    let topic = planning.set_topic(text)?;
    if session.is_json() {
        let shape = Topic {
            schema: TOPIC_SCHEMA.to_owned(),
            session_id: planning.session_id().to_owned(),
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
