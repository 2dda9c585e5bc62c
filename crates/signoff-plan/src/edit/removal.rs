//! Keys taken away, with the commas and lines that were there for them.

use super::members::{MemberEditor, not_shared};
use super::{EditRefused, Splice};
use crate::node::{Entry, Node};
use crate::source::{Span, text_from, text_up_to};

impl MemberEditor<'_> {
    /// What to take away so that a mapping is without its entry at `at`.
    pub(super) fn remove(
        self,
        mapping: &Node,
        entries: &[Entry],
        at: usize,
    ) -> Result<Vec<Splice>, EditRefused> {
        let Some(gone) = entries.get(at) else {
            return Ok(Vec::new());
        };
        not_shared(gone)?;
        let before = at.checked_sub(1).and_then(|at| entries.get(at));
        let span = match (entries.get(at + 1), before) {
            (Some(next), _) => Span::new(self.key_start(gone), self.key_start(next)),
            (None, Some(before)) if self.is_flow(mapping) => {
                Span::new(self.end(before), self.end(gone))
            }
            (None, Some(_)) => self.line_of(gone),
            (None, None) if self.is_flow(mapping) => {
                Span::new(self.key_start(gone), self.end(gone))
            }
            (None, None) => {
                return Err(EditRefused::NotOnlyField(
                    "the shape of the file".to_owned(),
                ));
            }
        };
        let raw = gone.value.span.slice(self.text).trim_end();
        let rest = span.slice(self.text).replacen(raw, "", 1);
        let comment = rest.contains('#') || rest.contains("//");
        if comment || self.has_comment(&gone.value, raw) {
            return Err(EditRefused::NotOnlyField("a comment".to_owned()));
        }
        Ok(vec![Splice::remove(span)])
    }

    /// Where an entry ends; one without a value ends behind its colon.
    fn end(self, entry: &Entry) -> usize {
        let raw = entry.value.span.slice(self.text).trim_end();
        let end = entry.value.span.start + raw.len();
        if raw.is_empty() {
            entry.after_colon(self.text)
        } else {
            end
        }
    }

    /// The lines of an entry with the line end before them, up to the next line end.
    fn line_of(self, entry: &Entry) -> Span {
        let start = self.line_start(entry.key.span.start);
        let before = text_up_to(self.text, start);
        let kept = before.strip_suffix('\n').unwrap_or(before);
        let kept = kept.strip_suffix('\r').unwrap_or(kept);
        let end = self.end(entry);
        let rest = text_from(self.text, end);
        let rest = rest.split('\n').next().unwrap_or_default();
        let rest = rest.strip_suffix('\r').unwrap_or(rest);
        Span::new(kept.len(), end + rest.len())
    }
}
