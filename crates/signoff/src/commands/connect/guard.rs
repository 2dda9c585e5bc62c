//! `guard`: the hook in front of coding agents, and what people ask of it.

pub(crate) mod hook;

use signoff_api::guard::{
    CHECK_SCHEMA, GuardCheck as CheckShape, GuardPlanMode, GuardReport, PLAN_MODE_SCHEMA,
};
use signoff_plan::guard::Agent;
use signoff_runtime::guard::{check_line, plan_mode, report};

use crate::args::{Guard, GuardCheck, GuardCommand, PlanMode, PlanModeSwitch};
use crate::failure::Failure;
use crate::report::guard::report_lines;
use crate::session::Session;
use crate::style::sanitize;

pub(crate) fn guard(session: &mut Session, args: &Guard) -> Result<u8, Failure> {
    match &args.command {
        None => {
            let agent = args.agent.as_deref().and_then(Agent::of_name);
            Ok(hook::answer_stdin(agent, args.project))
        }
        Some(GuardCommand::PlanMode(args)) => plan_mode(session, args),
        Some(GuardCommand::Check(args)) => Ok(check(session, args)),
        Some(GuardCommand::Report(_)) => sum_up(session),
    }
}

fn plan_mode(session: &mut Session, args: &PlanMode) -> Result<u8, Failure> {
    let id = &args.session;
    let on = match args.switch {
        PlanModeSwitch::Show => plan_mode::is_on(&session.process, id)?,
        PlanModeSwitch::On => {
            plan_mode::switch(session.state_dir()?, id, true)?;
            true
        }
        PlanModeSwitch::Off => {
            session.require_person("end plan mode")?;
            plan_mode::switch(session.state_dir()?, id, false)?;
            false
        }
    };
    if session.is_json() {
        session.json(&GuardPlanMode {
            schema: PLAN_MODE_SCHEMA.to_owned(),
            session: id.clone(),
            on,
        });
    } else {
        let now = if on { "on" } else { "off" };
        let line = format!("plan mode is {now} for session {}", sanitize(id));
        session.out.answer(line);
    }
    Ok(0)
}

fn check(session: &mut Session, args: &GuardCheck) -> u8 {
    let reason = check_line(&session.process, &args.text).err();
    let passes = reason.is_none();
    if session.is_json() {
        session.json(&CheckShape {
            schema: CHECK_SCHEMA.to_owned(),
            command: args.text.clone(),
            passes,
            reason,
        });
    } else {
        session.out.answer(match &reason {
            None => "passes in plan mode".to_owned(),
            Some(reason) => format!("denied in plan mode: {}", sanitize(reason)),
        });
    }
    if passes { 0 } else { 4 }
}

fn sum_up(session: &mut Session) -> Result<u8, Failure> {
    let report: GuardReport = report::report(session.state_dir()?)?;
    if session.is_json() {
        session.json(&report);
    } else {
        for line in report_lines(&report) {
            session.out.answer(line);
        }
    }
    Ok(0)
}
