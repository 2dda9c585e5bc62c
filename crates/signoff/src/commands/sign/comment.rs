//! `comment`: says something about a plan or one of its steps.

use signoff_api::comments::Comments;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{ActorContext, CommentReport, NewComment};

use super::locate_plan;
use crate::agent_check::actor;
use crate::args::Comment;
use crate::failure::Failure;
use crate::report::comments::comment_lines;
use crate::session::Session;
use crate::style::{CARE, paint};

pub(crate) fn comment(session: &mut Session, args: &Comment) -> Result<u8, Failure> {
    if args.resolve.is_some() {
        session.require_person("resolve a comment")?;
    }
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &clock,
    };
    let (path, name) = locate_plan(&project, &args.plan)?;
    let done = if let Some(id) = &args.resolve {
        signoff_runtime::plans::resolve_comment(context, &path, &name, id)?
    } else if let Some((text, step)) = args.words.split_last() {
        let new = NewComment {
            step: step.first().cloned(),
            text: text.clone(),
            ..NewComment::default()
        };
        signoff_runtime::plans::comment(context, &path, &name, &[new])?
    } else {
        let plan = PlanFile::read(&path, &name, &project.workspace())?;
        CommentReport {
            comments: signoff_runtime::plans::comments(&project, &plan)?,
            notes: Vec::new(),
        }
    };
    for note in &done.notes {
        let word = paint(CARE, "note:");
        session.out.say(format!("{word} {note}"));
    }
    show(session, &done.comments, args.list);
    Ok(0)
}

/// All comments if they were asked for, else those that are open.
fn show(session: &mut Session, all: &Comments, every: bool) {
    if session.is_json() {
        session.json(all);
        return;
    }
    let shown = all.comments.iter();
    let shown: Vec<_> = shown
        .filter(|one| every || one.resolved_by.is_none())
        .collect();
    if shown.is_empty() {
        session
            .out
            .answer(format!("{}: no open comments", all.plan));
    }
    for comment in shown {
        for line in comment_lines(comment) {
            session.out.answer(line);
        }
    }
}
