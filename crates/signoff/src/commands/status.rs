//! `status`: where a run stands.

use signoff_api::event::Outcome;
use signoff_engine::PauseReason;
use signoff_runtime::project::minimum_proof;
use signoff_runtime::proof::counted;
use signoff_runtime::view::View;

use crate::failure::Failure;
use crate::report::signature::signature;
use crate::report::style::{CARE, DIM, TITLE, harmless, paint};
use crate::report::table::table;
use crate::session::Session;

pub(crate) fn status(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = View::find(&project, run)?;
    if session.is_json() {
        session.json(&view.to_api());
        return Ok(0);
    }
    let shape = view.to_api();
    session.out.answer(paint(TITLE, harmless(&shape.title)));
    session.out.answer(format!(
        "{} · run {} · {}",
        shape.status,
        shape.run,
        paint(DIM, &shape.plan)
    ));
    let signed = view.run.signed();
    let digests = (&signed.digest(), &signed.terms());
    let counted = counted(&project, &view.key, digests, minimum_proof(&project))?;
    for line in signature(&counted) {
        session.out.answer(line);
    }
    let columns = session.out.columns();
    session
        .out
        .answer_lines(&table(&view.run, view.driven, columns));
    for item in &shape.inbox {
        session
            .out
            .answer(format!("{} {}", paint(CARE, "?"), harmless(&item.question)));
        session.out.answer(format!(
            "  answer `{}` with {}",
            item.id,
            harmless(&item.choices.join(", "))
        ));
    }
    let answered = shape.inbox.is_empty() && view.run.paused() == Some(&PauseReason::Waiting);
    let resting = !view.driven && !view.over && shape.outcome.is_none();
    match pause_word(view.run.paused()).filter(|_| resting) {
        Some(_) if answered => session.out.answer(format!(
            "everything is answered: `signoff resume {}` goes on",
            shape.run
        )),
        Some(word) => session.out.answer(word),
        None => {}
    }
    if shape.outcome == Some(Outcome::Partial) {
        session
            .out
            .answer("completed in part: steps that are not critical failed");
    }
    if shape.status == "stalled" {
        session.out.answer(format!(
            "nobody drives this run: `signoff resume {}` goes on",
            shape.run
        ));
    }
    Ok(0)
}

fn pause_word(reason: Option<&PauseReason>) -> Option<&'static str> {
    Some(match reason? {
        PauseReason::Waiting => "it waits on a person",
        PauseReason::Interrupted => "it was stopped (Ctrl-C, a signal or `signoff stop`)",
        PauseReason::Changed => "it stopped because the plan or its terms were not what was signed",
        PauseReason::Requested => "somebody paused it",
        PauseReason::Limited => "it was to go only so far",
    })
}
