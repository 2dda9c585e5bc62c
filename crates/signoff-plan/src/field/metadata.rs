//! Metadata of a plan or a step: it is kept, but decides nothing.

/// The type of a metadata field, in dialects that have a field of their own for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetadataShape {
    /// Text.
    Text,
    /// A list of texts.
    List,
    /// A whole number.
    Index,
    /// A number; its name in messages.
    Number(&'static str),
    /// A number from 1 to 10.
    Rating,
    /// Anything.
    Any,
}

/// The type of a field of [`crate::model::PLAN_RECORD`] or [`crate::model::STEP_RECORD`].
pub(crate) fn metadata_shape(name: &str) -> MetadataShape {
    match name {
        "affected_files" | "informed_by" | "tags" => MetadataShape::List,
        "complexity" => MetadataShape::Rating,
        "current_step_index" => MetadataShape::Index,
        "estimated_duration" => MetadataShape::Number("a number of seconds"),
        "result" => MetadataShape::Any,
        _ => MetadataShape::Text,
    }
}
