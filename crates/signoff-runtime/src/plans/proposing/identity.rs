//! New plans get an unused name, and a file of that name.

use std::path::PathBuf;

use serde_json::Value;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::edit::{Edit, apply_to};
use signoff_plan::source::Source;
use signoff_store::atomic::{self, ReplaceError};
use signoff_store::threads::copy::{self, Files};

use crate::error::Error;
use crate::plans::ActorContext;
use crate::project::random;

/// What a new plan consists of.
pub(crate) enum NewPlanContent {
    /// One file.
    File(Source),
    /// The directory of a thread.
    Thread(Files),
}

/// Keeps a text under a new name where proposals are kept. `text` is handed the name, so that it can
/// stand in it.
pub(crate) fn keep_proposal(
    context: ActorContext<'_>,
    text: impl Fn(&str) -> Result<NewPlanContent, Error>,
) -> Result<PathBuf, Error> {
    let store = &context.project.store;
    store.create_missing()?;
    let directory = store.plans_dir();
    atomic::create_directories(&directory)?;
    atomic::clear_strays(&directory)?;
    loop {
        let id = format!("PLAN-{:08x}", random());
        // A name that was ever used is a plan's key, even when its file is gone.
        if store.log_path(&id).exists() {
            continue;
        }
        match text(&id)? {
            NewPlanContent::File(source) => {
                let path = directory.join(format!("{id}.{}", file_extension(&source)));
                match atomic::replace(&path, None, source.bytes(), true) {
                    Ok(_) => return Ok(path),
                    Err(ReplaceError::Changed { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            NewPlanContent::Thread(files) => {
                let path = directory.join(&id);
                if copy::replace(&path, &[], &files)? {
                    return Ok(path);
                }
            }
        }
    }
}

/// Keeps the plan that `text` makes for a new name, without handing it in.
pub(crate) fn keep_new_plan(
    context: ActorContext<'_>,
    text: impl Fn(&str) -> Source,
) -> Result<PathBuf, Error> {
    keep_proposal(context, |id| Ok(NewPlanContent::File(text(id))))
}

/// Gives a text this id, where it has none of its own and its dialect has a place for one.
pub(crate) fn with_id(source: &Source, id: &str) -> Source {
    if parse(source).id.is_some() {
        return source.clone();
    }
    let edit = Edit::SetPlan {
        field: "id".to_owned(),
        value: Value::from(id),
    };
    // Without a place for it the file's name has to do.
    apply_to(source, &[edit]).unwrap_or_else(|_| source.clone())
}

/// What files of this kind end in.
fn file_extension(source: &Source) -> &'static str {
    match parse(source).dialect {
        Dialect::Workunit | Dialect::Proposal | Dialect::Thread => "md",
        Dialect::Record => "yaml",
        Dialect::Toolplan if source.text().trim_start().starts_with(['{', '[']) => "json",
        Dialect::Toolplan => "yaml",
    }
}
