//! What is kept about a plan or a step and decides nothing.

/// What such a field holds in dialects that have a place of its own for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetadataShape {
    /// Text.
    Text,
    /// A list of texts.
    List,
    /// A whole number.
    Index,
    /// A number; the words for it in a message.
    Number(&'static str),
    /// Anything.
    Any,
}

/// What a field of [`crate::model::PLAN_RECORD`] or [`crate::model::STEP_RECORD`] holds.
pub(crate) fn metadata_shape(name: &str) -> MetadataShape {
    match name {
        "affected_files" | "informed_by" | "tags" => MetadataShape::List,
        "complexity" => MetadataShape::Number("a number"),
        "current_step_index" => MetadataShape::Index,
        "estimated_duration" => MetadataShape::Number("a number of seconds"),
        "result" => MetadataShape::Any,
        _ => MetadataShape::Text,
    }
}
