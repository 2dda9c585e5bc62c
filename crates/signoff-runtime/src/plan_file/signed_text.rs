//! What a plan's file said when it was last found to say what was signed.

use std::sync::{Arc, Mutex, PoisonError};

use signoff_plan::check::resolved_plan;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::digest::Digest;
use signoff_plan::source::Source;

/// A text of the plan's file that says what was signed: if the file has it again, it need not be parsed again. Shared by
/// those who read the file during a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignedText(Arc<Mutex<Option<Known>>>);

#[derive(Debug)]
struct Known {
    bytes: Vec<u8>,
    dialect: Dialect,
    /// A run that goes on under another version of its plan knows texts of both.
    digest: Digest,
}

impl SignedText {
    /// Remembers a text that was found to say what was signed.
    pub(crate) fn set(&self, bytes: Vec<u8>, dialect: Dialect, digest: Digest) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Known {
            bytes,
            dialect,
            digest,
        });
    }

    /// The dialect of a file, if it says what was signed. Nothing that `check` reports changes that.
    pub(crate) fn dialect_of(&self, source: &Source, signed: Digest) -> Option<Dialect> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known
            .as_ref()
            .filter(|known| known.digest == signed && known.bytes == source.bytes())
        {
            return Some(known.dialect);
        }
        drop(known);
        let draft = parse(source);
        if Digest::of_plan(&resolved_plan(&draft)) != signed {
            return None;
        }
        self.set(source.bytes().to_vec(), draft.dialect, signed);
        Some(draft.dialect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{"id": "p", "version": 1, "steps": [{"id": "a", "description": "Look", "contract": "true"}]}"#;

    fn source(text: &str) -> Source {
        Source::new("plan.json", text.as_bytes().to_vec())
    }

    #[test]
    fn only_what_says_the_same_is_signed() {
        let digest = Digest::of_plan(&resolved_plan(&parse(&source(PLAN))));
        let text = SignedText::default();
        let shared = text.clone();
        let signed = Some(Dialect::Toolplan);
        let other = source(&PLAN.replace("true", "false"));
        assert_eq!(text.dialect_of(&other, digest), None);
        assert_eq!(text.dialect_of(&source(PLAN), digest), signed);
        // Not even after a text was found signed.
        assert_eq!(shared.dialect_of(&other, digest), None);
        let spaced = source(&PLAN.replace(": ", ":  "));
        assert_eq!(shared.dialect_of(&spaced, digest), signed);
        assert_eq!(text.dialect_of(&source(PLAN), digest), signed);
        // Nor what was found signed for another version.
        let next = Digest::of_plan(&resolved_plan(&parse(&other)));
        assert_eq!(text.dialect_of(&other, next), signed);
        assert_eq!(text.dialect_of(&other, digest), None);
    }
}
