//! The text of a plan's file that was last found to say what was signed.

use std::sync::{Arc, Mutex, PoisonError};

use signoff_plan::dialect::Dialect;
use signoff_plan::digest::Digest;
use signoff_plan::edit::ParsedFile;
use signoff_plan::source::Source;

/// A text of the plan's file that says what was signed: if the file has it again, it need not be compared again. Shared
/// by those who read the file during a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignedText(Arc<Mutex<Option<KnownText>>>);

#[derive(Debug)]
struct KnownText {
    source: Source,
    dialect: Dialect,
    /// A run that goes on under another version of its plan knows texts of both.
    digest: Digest,
    /// What the comparison parsed, for the first who wants to change the file. It takes too much memory to be kept
    /// longer than that.
    parsed: Option<ParsedFile>,
}

impl SignedText {
    /// Remembers a text that was found to say what was signed.
    pub(crate) fn set(&self, source: Source, dialect: Dialect, digest: Digest) {
        self.remember(KnownText {
            source,
            dialect,
            digest,
            parsed: None,
        });
    }

    fn remember(&self, known: KnownText) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }

    /// The dialect of a file, if it says what was signed. Nothing that `check` reports changes that.
    pub(crate) fn dialect_of(&self, source: &Source, signed: Digest) -> Option<Dialect> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known_dialect = known.as_ref().and_then(|known| {
            (known.digest == signed && known.source.bytes() == source.bytes())
                .then_some(known.dialect)
        });
        drop(known);
        if known_dialect.is_some() {
            return known_dialect;
        }
        let parsed = ParsedFile::new(source.clone());
        if Digest::of_plan(&parsed.plan()) != signed {
            return None;
        }
        let dialect = parsed.dialect();
        self.remember(KnownText {
            source: source.clone(),
            dialect,
            digest: signed,
            parsed: Some(parsed),
        });
        Some(dialect)
    }

    /// The remembered text, if this is the same: two of a large plan take too much memory.
    pub(crate) fn reuse(&self, source: Source) -> Source {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref().map(|known| &known.source);
        known
            .filter(|known| **known == source)
            .cloned()
            .unwrap_or(source)
    }

    /// What a file says that [`SignedText::dialect_of`] has just found signed.
    pub(crate) fn take_parsed(&self, source: Source) -> ParsedFile {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parsed = known.as_mut().and_then(|known| known.parsed.take());
        drop(known);
        parsed
            .filter(|parsed| parsed.source().bytes() == source.bytes())
            .unwrap_or_else(|| ParsedFile::new(source))
    }
}

#[cfg(test)]
mod tests {
    use signoff_plan::check::resolved_plan;
    use signoff_plan::dialect::parse;

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

    #[test]
    fn of_one_text_there_is_one_in_memory() {
        let digest = Digest::of_plan(&resolved_plan(&parse(&source(PLAN))));
        let text = SignedText::default();
        let first = source(PLAN);
        let place = |source: &Source| source.bytes().as_ptr();
        text.set(first.clone(), Dialect::Toolplan, digest);
        assert_eq!(place(&text.reuse(source(PLAN))), place(&first));
        let other = source(&PLAN.replace("Look", "Search"));
        assert_eq!(place(&text.reuse(other.clone())), place(&other));
        let elsewhere = Source::new("copy.json", PLAN.as_bytes().to_vec());
        assert_eq!(place(&text.reuse(elsewhere.clone())), place(&elsewhere));
    }

    #[test]
    fn what_was_parsed_is_handed_on_once_and_only_for_its_own_text() {
        let digest = Digest::of_plan(&resolved_plan(&parse(&source(PLAN))));
        let is_kept = |text: &SignedText| {
            let known = text.0.lock().expect("not poisoned");
            known.as_ref().is_some_and(|known| known.parsed.is_some())
        };
        let text = SignedText::default();
        assert!(text.dialect_of(&source(PLAN), digest).is_some());
        assert!(is_kept(&text));
        let other = source(&PLAN.replace("Look", "Search"));
        let taken = text.take_parsed(other.clone());
        assert_eq!(taken.source().bytes(), other.bytes());
        assert_eq!(taken.plan(), resolved_plan(&parse(&other)));
        assert!(!is_kept(&text));
    }
}
