//! `prompt`: the system prompt of an agent.

use signoff_api::threads::{PROMPT_SCHEMA, Prompt as Shape};
use signoff_runtime::threads::overseer;

use crate::args::{Prompt, PromptName};
use crate::commands::connect::agentctl::planning;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn prompt(session: &mut Session, args: &Prompt) -> Result<u8, Failure> {
    let PromptName::Overseer = args.name;
    let mut planning = planning(&session.process)?;
    let current = planning.current()?;
    let additional = planning.additional()?;
    let text = overseer(&current, &additional);
    if session.is_json() {
        session.json(&Shape {
            schema: PROMPT_SCHEMA.to_owned(),
            name: "overseer".to_owned(),
            current_plan_dir: current.plan_dir,
            additional_plan_dirs: additional,
            text,
        });
    } else {
        session.out.write_unredacted(text.as_bytes());
    }
    Ok(0)
}
