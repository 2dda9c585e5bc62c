//! Settings that the documentation of the whole product has and this version does not honour.
//!
//! Accepting one would promise what does not happen; calling it unknown would send its writer
//! looking for a typing error.

/// Whole sections.
const SECTIONS: [&str; 1] = ["engine"];

/// What to do about one.
pub(in crate::config) const HINT: &str = "take it out until a later version has it";

pub(in crate::config) fn is_section(name: &str) -> bool {
    SECTIONS.contains(&name)
}

/// Whether a variable's name, without `SIGNOFF_`, is that of such a setting.
pub(in crate::config) fn is_variable(name: &str) -> bool {
    SECTIONS.iter().any(|section| in_section(name, section))
}

/// Whether a variable's name, without `SIGNOFF_`, begins with a section.
pub(in crate::config) fn in_section(name: &str, section: &str) -> bool {
    name.strip_prefix(&section.to_uppercase())
        .is_some_and(|rest| rest.starts_with('_'))
}

pub(in crate::config) fn message(what: &str) -> String {
    format!("{what} is a setting that this version does not honour")
}
