//! The text of a plan in the person's editor.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{ActorContext, edit_text};
use signoff_sandbox::run_in_foreground;

use crate::failure::Failure;

/// Opens a copy, and puts it in the plan's place. A text that cannot take its place is kept, and the error says where.
pub(super) fn edit(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    plan: &PlanFile,
) -> Result<String, Failure> {
    if path.is_dir() {
        let message =
            format!("{name} is a directory: edit its files, then read the plan again (R)");
        return Err(Failure::new(2, "thread", message));
    }
    let unwritable =
        |why: std::io::Error| Failure::new(6, "editor", format!("a copy for the editor: {why}"));
    let file_name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut copy = tempfile::Builder::new()
        .prefix("signoff-")
        .suffix(&format!("-{file_name}"))
        .tempfile()
        .map_err(unwritable)?;
    copy.write_all(plan.source.bytes())
        .and_then(|()| copy.flush())
        .map_err(unwritable)?;
    let editor = editor_words(context);
    let ended = run_in_foreground(&editor, copy.path());
    let shown = editor
        .first()
        .map(|word| word.to_string_lossy().into_owned())
        .unwrap_or_default();
    match ended {
        Ok(true) => {}
        Ok(false) => {
            return Err(Failure::new(
                6,
                "editor",
                format!("{shown} failed; nothing was changed"),
            ));
        }
        Err(why) => {
            return Err(
                Failure::new(6, "editor", format!("{shown} cannot be started: {why}"))
                    .hint("set EDITOR"),
            );
        }
    }
    let text = std::fs::read(copy.path()).map_err(unwritable)?;
    if text == plan.source.bytes() {
        return Ok("nothing changed".to_owned());
    }
    match edit_text(context, path, name, &text, &plan.source) {
        Ok(_) => Ok("edited".to_owned()),
        Err(error) => {
            let failure = Failure::from(error);
            let kept = copy.keep().map(|(_, path)| path.display().to_string());
            let kept = kept.unwrap_or_else(|error| error.to_string());
            let message = format!("{}; your text is kept: {kept}", failure.message);
            Err(Failure { message, ..failure })
        }
    }
}

fn editor_words(context: ActorContext<'_>) -> Vec<OsString> {
    let variables = &context.project.process.variables;
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| {
        let value = variables.get(OsString::from(name).as_os_str())?.to_str()?;
        (!value.trim().is_empty()).then(|| value.to_owned())
    });
    let named = named.unwrap_or_else(|| "vi".to_owned());
    named.split_whitespace().map(OsString::from).collect()
}
