//! Guesses the dialect of files that look like plans but are not recognised: a typing error in the line that names the
//! type must not hide a plan from a search.
//!
//! Prose, pipelines and package files have some of these signs too. So a guess needs a sign that only plans have, and a
//! second one.

mod markdown;
mod object;

use std::path::Path;

use signoff_plan::dialect::Dialect;
use signoff_plan::source::Source;

/// Only the beginning of a large file is searched for signs.
const MAX_BYTES: usize = 256 * 1024;

/// The most likely dialect of a text that is not recognised.
pub(crate) fn guess_dialect(source: &Source) -> Option<Dialect> {
    let bytes = source.bytes();
    let bytes = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    // UTF-16 has zeros between the letters; the checks report the encoding.
    let text = String::from_utf8_lossy(bytes).replace('\0', "");
    let text = text.trim_start_matches(['\u{feff}', '\u{fffd}']);
    match extension(Path::new(source.name())).as_str() {
        "yaml" | "yml" => object::guess_dialect(text, object::Form::Yaml),
        "json" => object::guess_dialect(text, object::Form::Json),
        "md" | "markdown" => markdown::guess_dialect(text),
        _ => markdown::guess_dialect(text).or_else(|| {
            let form = if text.trim_start().starts_with(['{', '[']) {
                object::Form::Json
            } else {
                object::Form::Yaml
            };
            object::guess_dialect(text, form)
        }),
    }
}

/// Does this look like a task file of a thread?
pub(crate) fn is_task(source: &Source) -> bool {
    let keys = markdown::leading(source.text());
    let has = |name: &str| keys.iter().any(|(key, _)| *key == name);
    has("id")
        && ["depends_on", "agent", "subtasks", "contract", "on_fail"]
            .map(has)
            .contains(&true)
}

/// The extension of a path, in lower case.
pub(crate) fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Could the written word be a misspelling of the meant one?
fn is_slip(written: &str, meant: &str) -> bool {
    strsim::damerau_levenshtein(&written.to_lowercase(), meant) <= 1
}

#[cfg(test)]
mod tests;
