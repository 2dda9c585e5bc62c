//! Tidies a plan without changing what it says: white space, the spelling of labels, list marks,
//! the layout of JSON.
//!
//! Whatever a rule does is read again: a file that would say anything else stays as it is, and a
//! comment is never lost.

mod blank_lines;
mod json;
mod lines;
mod workunit;
mod yaml;

use crate::check::resolve::resolve;
use crate::dialect::{Dialect, parse_as, recognise};
use crate::draft::Draft;
use crate::edit::EditRefused;
use crate::source::Source;

/// The tidy bytes of a plan that is one file; see [`format_source`].
pub fn format(source: &Source) -> Result<Vec<u8>, EditRefused> {
    Ok(format_source(source)?.bytes().to_vec())
}

/// The tidy source of a plan; of a directory every file is there. What is tidy stays as it is.
pub fn format_source(source: &Source) -> Result<Source, EditRefused> {
    format_as(source, recognise(source).unwrap_or(Dialect::Workunit))
}

/// The same of a plan that is of this dialect, whatever it looks like.
pub fn format_as(source: &Source, dialect: Dialect) -> Result<Source, EditRefused> {
    let before = parse_as(source, dialect);
    crate::edit::require_readable(&before)?;
    // From the most to the least that can be done; each on its own must change nothing.
    let rules: &[FormatRule] = match dialect {
        Dialect::Workunit => &[workunit::format, lines::end_of_file],
        Dialect::Proposal | Dialect::Thread => &[
            lines::blank_lines_around_headings,
            lines::trailing_space,
            lines::end_of_file,
        ],
        Dialect::Record if !json::is_object(source) => {
            &[yaml::format, lines::trailing_space, lines::end_of_file]
        }
        Dialect::Record | Dialect::Toolplan => &[json::format],
    };
    let tidy = rules
        .iter()
        .filter_map(|rule| rule(source))
        .find(|tidy| says_the_same(&before, &parse_as(tidy, dialect)));
    let refused = || {
        let why = "it cannot be tidied without changing what it says";
        EditRefused::Unreadable(why.to_owned())
    };
    tidy.ok_or_else(refused)
}

/// Something that tidies a source; `None` where it does not apply.
type FormatRule = fn(&Source) -> Option<Source>;

fn says_the_same(before: &Draft, after: &Draft) -> bool {
    let codes = |draft: &Draft| {
        let mut codes: Vec<_> = draft.problems.iter().map(|problem| problem.code).collect();
        codes.sort_unstable();
        codes
    };
    let plan = |draft: &Draft| resolve(draft, &mut Vec::new());
    codes(before) == codes(after) && plan(before) == plan(after)
}

#[cfg(test)]
mod tests;
