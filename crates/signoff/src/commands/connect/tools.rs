//! `tools`: the tools that plans can call.

use crate::failure::Failure;
use crate::report::tools::{lines, server_errors};
use crate::session::Session;

pub(crate) fn tools(session: &mut Session) -> Result<u8, Failure> {
    let project = session.project()?;
    let tools = signoff_runtime::tools::list(&project)?;
    let troubles = server_errors(&tools);
    if session.is_json() {
        session.json(&tools);
    } else {
        for line in lines(&tools) {
            session.out.answer(line);
        }
        for trouble in &troubles {
            session.out.say(trouble);
        }
    }
    // The tools of the other servers are listed anyway.
    Ok(if troubles.is_empty() { 0 } else { 6 })
}
