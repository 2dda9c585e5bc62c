//! Replacing stretches of bytes.

use crate::source::{Source, Span};

/// Bytes that are replaced, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) span: Span,
    pub(crate) text: String,
}

impl Splice {
    pub(crate) fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self::replace(Span::at(offset), text)
    }

    pub(crate) fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }

    pub(crate) fn replace(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }
}

/// The source with every splice made. Of a directory each file keeps its own bytes: a splice that
/// reaches over the end of one is left out.
pub(crate) fn apply_to(source: &Source, splices: Vec<Splice>) -> Source {
    if source.parts().is_empty() {
        return Source::new(source.name(), apply(source.bytes(), splices));
    }
    let mut files = Vec::new();
    for part in source.parts() {
        let inside = |splice: &&Splice| {
            part.span.start <= splice.span.start && splice.span.end <= part.span.end
        };
        let moved = |splice: &Splice| {
            let start = splice.span.start - part.span.start;
            let span = Span::new(start, start + splice.span.len());
            Splice::replace(span, splice.text.as_str())
        };
        let own = splices.iter().filter(inside).map(moved).collect();
        files.push((part.name.clone(), apply(source.part_bytes(part), own)));
    }
    Source::directory(source.name(), files)
}

/// The bytes with every splice made. Splices do not overlap; one that does is left out.
pub(super) fn apply(bytes: &[u8], mut splices: Vec<Splice>) -> Vec<u8> {
    splices.sort_by_key(|splice| splice.span);
    let mut out = Vec::with_capacity(bytes.len() + 64);
    let mut at = 0;
    for Splice { span, text } in splices {
        if span.start < at {
            continue;
        }
        out.extend_from_slice(bytes.get(at..span.start).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
        at = span.end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_directory_stay_apart() {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let source = Source::directory("d", vec![file("a", "one"), file("b", "two")]);
        let splices = vec![
            Splice::insert(3, "!"),
            Splice::replace(Span::new(4, 5), "T"),
            Splice::remove(Span::new(2, 5)),
        ];
        let spliced = apply_to(&source, splices);
        let expected = [("a", b"one!".as_slice()), ("b", b"Two".as_slice())];
        assert_eq!(spliced.split().collect::<Vec<_>>(), expected);
    }
}
