//! Files that are meant to be plans and are not recognised as one: a slip in the one line that says
//! what they are must not hide them from a search.
//!
//! Ordinary prose, pipelines and package files have some of these signs as well, so that it takes a
//! sign that only plans have, and another one beside it.

mod markdown;
mod object;

use std::path::Path;

use signoff_plan::dialect::Dialect;
use signoff_plan::source::Source;

/// Signs stand near the beginning; the rest of a large file would say the same.
const MAX_BYTES: usize = 256 * 1024;

/// The dialect that an unrecognised content was most likely meant to be.
pub(crate) fn guess_dialect(source: &Source) -> Option<Dialect> {
    let bytes = source.bytes();
    let bytes = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    // Other encodings have zeros between the letters; the checks say what is wrong with them.
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

/// Whether this is a file of `tasks/` that only a thread would have.
pub(crate) fn is_task(source: &Source) -> bool {
    let keys = markdown::leading(source.text());
    let has = |name: &str| keys.iter().any(|(key, _)| *key == name);
    has("id")
        && ["depends_on", "agent", "subtasks", "contract", "on_fail"]
            .map(has)
            .contains(&true)
}

/// How a name ends, in small letters.
pub(crate) fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Whether somebody may have meant the one word when writing the other.
fn is_slip(written: &str, meant: &str) -> bool {
    strsim::damerau_levenshtein(&written.to_lowercase(), meant) <= 1
}

#[cfg(test)]
mod tests;
