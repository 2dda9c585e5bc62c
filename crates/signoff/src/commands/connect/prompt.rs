//! `prompt`: what an agent or a model is told.

use signoff_api::threads::{PROMPT_SCHEMA, Prompt as Shape};
use signoff_llm::PromptName as Template;
use signoff_runtime::advice::next_arbiter_prompt;
use signoff_runtime::planning::prompts;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::threads::overseer;

use crate::args::{Prompt, PromptName};
use crate::commands::connect::agentctl::planning;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::sanitize;

pub(crate) fn prompt(session: &mut Session, args: &Prompt) -> Result<u8, Failure> {
    let shape = match args.name {
        PromptName::Overseer => overseer_prompt(session)?,
        PromptName::Arbiter => arbiter_prompt(session, args.about.as_deref())?,
        PromptName::Template => template(session, args.about.as_deref())?,
    };
    if session.is_json() {
        session.json(&shape);
    } else {
        session.out.write_unredacted(shape.text.as_bytes());
    }
    Ok(0)
}

fn overseer_prompt(session: &Session) -> Result<Shape, Failure> {
    let mut planning = planning(&session.process)?;
    let current = planning.current()?;
    let additional = planning.additional()?;
    let text = overseer(&current, &additional);
    Ok(Shape {
        schema: PROMPT_SCHEMA.to_owned(),
        name: "overseer".to_owned(),
        current_plan_dir: Some(current.plan_dir),
        additional_plan_dirs: Some(additional),
        text,
    })
}

/// What an arbiter would be told before the next step of a run.
fn arbiter_prompt(session: &Session, run: Option<&str>) -> Result<Shape, Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, run)?;
    Ok(Shape {
        schema: PROMPT_SCHEMA.to_owned(),
        name: "arbiter".to_owned(),
        current_plan_dir: None,
        additional_plan_dirs: None,
        text: next_arbiter_prompt(&project, &view.run)?,
    })
}

/// A template as it is in force, or the names of all.
fn template(session: &Session, name: Option<&str>) -> Result<Shape, Failure> {
    let shape = |name: &str, text: String| Shape {
        schema: PROMPT_SCHEMA.to_owned(),
        name: name.to_owned(),
        current_plan_dir: None,
        additional_plan_dirs: None,
        text,
    };
    let names = Template::ALL.map(|template| template.file().trim_end_matches(".md"));
    let Some(name) = name else {
        return Ok(shape("template", format!("{}\n", names.join("\n"))));
    };
    let wanted = name.trim_end_matches(".md");
    let found = Template::ALL.into_iter().zip(names);
    let Some((template, name)) = found.into_iter().find(|(_, known)| *known == wanted) else {
        let message = format!("there is no template `{}`", sanitize(wanted));
        let failure = Failure::new(2, "unknown-template", message);
        return Err(failure.hint("`signoff prompt template` lists them"));
    };
    let prompts = prompts(&session.project()?)?;
    Ok(shape(name, prompts.template(template).to_owned()))
}
