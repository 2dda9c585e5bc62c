//! What is asked of the planner, as it was typed or as it waited for answers.

use std::path::PathBuf;

use signoff_api::planning_request::{ModelUse, NamedText, PlanningRequest, SCHEMA};
use signoff_llm::{InterviewAnswer, Memory, Usage};
use signoff_plan::dialect::Dialect;
use signoff_runtime::plan_file::read_stream;
use signoff_runtime::planning::{DraftOptions, ParkedPlanning};

use crate::args::PlanTask;
use crate::failure::Failure;
use crate::session::Session;

/// Bytes of a file that a planner is shown.
const LARGEST: usize = 64 * 1024;

/// A request for a plan.
pub(super) struct Planning {
    pub(super) options: DraftOptions,
    /// What the person answered before.
    pub(super) answers: Vec<InterviewAnswer>,
    /// What the planner used to ask.
    pub(super) used: Usage,
    pub(super) agent: Option<String>,
    pub(super) output: Option<PathBuf>,
    pub(super) force: bool,
    pub(super) try_contracts: bool,
}

impl Planning {
    pub(super) fn from_arguments(session: &Session, args: &PlanTask) -> Result<Self, Failure> {
        let typed = args.task.as_deref();
        let typed = typed.expect("clap requires a task unless one waits for answers");
        Ok(Self {
            options: DraftOptions {
                task: task(typed)?,
                dialect: args.dialect,
                memories: files(session, &args.memory)?,
                existing_code: files(session, &args.code)?,
                constraints: args.constraint.clone(),
            },
            answers: Vec::new(),
            used: Usage::default(),
            agent: args.agent.clone(),
            output: args.output.clone(),
            force: args.force,
            try_contracts: args.try_contracts,
        })
    }

    pub(super) fn from_answers(parked: &ParkedPlanning) -> Result<Self, Failure> {
        let request = &parked.request;
        let name = &request.dialect;
        let dialect = Dialect::from_name(name).ok_or_else(|| {
            let message = format!("`{}` asks for the dialect `{name}`", parked.id);
            Failure::new(6, "unreadable", message).hint("give the request again")
        })?;
        let memories = |texts: &[NamedText]| texts.iter().map(memory).collect();
        Ok(Self {
            options: DraftOptions {
                task: request.task.clone(),
                dialect,
                memories: memories(&request.memories),
                existing_code: memories(&request.existing_code),
                constraints: request.constraints.clone(),
            },
            answers: parked.answers(),
            used: request.used.as_ref().map(usage).unwrap_or_default(),
            agent: request.agent.clone(),
            output: request.output.as_deref().map(PathBuf::from),
            force: request.force,
            try_contracts: request.try_contracts,
        })
    }

    /// The request as it waits. Its file goes where it would have gone from here.
    pub(super) fn to_park(&self, session: &Session, used: &Usage) -> PlanningRequest {
        let texts = |memories: &[Memory]| memories.iter().map(named_text).collect();
        let output = self.output.as_ref();
        let output = output.map(|path| session.process.directory.join(path));
        PlanningRequest {
            schema: SCHEMA.to_owned(),
            task: self.options.task.clone(),
            dialect: self.options.dialect.as_str().to_owned(),
            memories: texts(&self.options.memories),
            existing_code: texts(&self.options.existing_code),
            constraints: self.options.constraints.clone(),
            agent: self.agent.clone(),
            output: output.map(|path| path.display().to_string()),
            force: self.force,
            try_contracts: self.try_contracts,
            questions: Vec::new(),
            used: (*used != Usage::default()).then(|| model_use(used)),
        }
    }
}

fn usage(used: &ModelUse) -> Usage {
    Usage {
        model: used.model.clone(),
        tokens: used.tokens,
        usd_e6: used.usd_e6,
    }
}

fn model_use(usage: &Usage) -> ModelUse {
    ModelUse {
        model: usage.model.clone(),
        tokens: usage.tokens,
        usd_e6: usage.usd_e6,
    }
}

fn memory(one: &NamedText) -> Memory {
    Memory {
        name: one.name.clone(),
        text: one.text.clone(),
    }
}

fn named_text(one: &Memory) -> NamedText {
    NamedText {
        name: one.name.clone(),
        text: one.text.clone(),
    }
}

/// The request, as it was typed or from stdin.
fn task(typed: &str) -> Result<String, Failure> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let read = read_stream(std::io::stdin().lock());
    let bytes = read.map_err(|why| Failure::new(6, "unreadable", format!("stdin: {why}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::new(2, "not-utf8", "the task is not UTF-8"))
}

fn files(session: &Session, paths: &[PathBuf]) -> Result<Vec<Memory>, Failure> {
    let read = |path: &PathBuf| {
        let shown = path.display();
        let failed = |why: String| Failure::new(6, "unreadable", format!("{shown}: {why}"));
        let bytes = std::fs::read(session.process.directory.join(path));
        let bytes = bytes.map_err(|why| failed(why.to_string()))?;
        if bytes.len() > LARGEST {
            let (found, limit) = (bytes.len() / 1024, LARGEST / 1024);
            let message = format!("it has {found} KB, and a planner is shown at most {limit} KB");
            return Err(failed(message).hint("give it an excerpt"));
        }
        let text = String::from_utf8(bytes);
        Ok(Memory {
            name: shown.to_string(),
            text: text.map_err(|_| failed("it is not UTF-8".to_owned()))?,
        })
    };
    paths.iter().map(read).collect()
}
