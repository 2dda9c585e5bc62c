//! The block between two `---` lines at the top of a file.

use crate::source::Span;

/// Where the frontmatter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrontmatterSpans {
    /// The lines between the fences.
    pub(crate) yaml: Span,
    /// The opening fence.
    pub(crate) opening: Span,
    /// Whether there is a closing fence.
    pub(crate) closed: bool,
    /// Where the body begins.
    pub(crate) body: usize,
}

/// Finds the frontmatter of a text that begins at `start`.
pub(crate) fn find_frontmatter(text: &str, start: usize) -> Option<FrontmatterSpans> {
    let mut at = start;
    let mut lines = text.get(start..)?.split_inclusive('\n');
    let first = lines.next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let opening = Span::new(start, start + 3);
    at += first.len();
    let inside = at;
    for line in lines {
        if line.trim_end() == "---" {
            return Some(FrontmatterSpans {
                yaml: Span::new(inside, at),
                opening,
                closed: true,
                body: at + line.len(),
            });
        }
        at += line.len();
    }
    Some(FrontmatterSpans {
        yaml: Span::at(inside),
        opening,
        closed: false,
        body: inside,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, bool, &str)>) {
        let found = find_frontmatter(text, 0);
        let found = found.map(|at| {
            let body = text.get(at.body..).unwrap_or_default();
            (at.yaml.slice(text), at.closed, body)
        });
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn two_fences_hold_it() {
        check("---\na: b\n---\nx\n", Some(("a: b\n", true, "x\n")));
        check("---\r\na: b\r\n---\r\nx", Some(("a: b\r\n", true, "x")));
        check("---\na: b\n---", Some(("a: b\n", true, "")));
        check("---\n---\n", Some(("", true, "")));
        check("--- \na: b\n", Some(("", false, "a: b\n")));
        check("a: b\n---\n", None);
        check("", None);
    }
}
