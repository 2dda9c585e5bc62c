//! "Did you mean …?"

use crate::source::Span;

/// The candidate that `written` was most likely meant to be, if one is near enough.
pub(crate) fn nearest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = (written.chars().count() / 3).clamp(1, 3);
    nearest_within(allowed, written, candidates)
}

/// The nearest candidate that is at most so many slips away.
pub(crate) fn nearest_within<'a>(
    allowed: usize,
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = written.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != written)
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = strsim::damerau_levenshtein(&wanted, &lower);
            (distance, candidate, lower)
        })
        .filter(|(distance, ..)| *distance <= allowed)
        // Of several, the one of the same letters: fingers exchange them or leave one out sooner
        // than they hit another.
        .min_by_key(|(distance, candidate, lower)| (*distance, extra_letters(&wanted, lower), *candidate))
        .map(|(_, candidate, _)| candidate)
}

/// The word of a text that keeps it from being read, and the known one that it was meant to be: with
/// that in its place, `reads` takes the text.
pub(crate) fn misspelt_word<'a>(
    text: &str,
    known: &[&'a str],
    reads: impl Fn(&str) -> bool,
) -> Option<(Span, &'a str)> {
    let is_part = |c: char| c.is_ascii_alphabetic() || c == '_';
    let mut start = 0;
    while let Some(found) = text.get(start..)?.find(is_part) {
        let rest = text.get(start + found..)?;
        let word = rest.split(|c| !is_part(c)).next()?;
        let span = Span::new(start + found, start + found + word.len());
        start = span.end;
        if let Some(meant) = nearest(word, known.iter().copied()) {
            let mut whole = text.to_owned();
            whole.replace_range(span.start..span.end, meant);
            if reads(&whole) {
                return Some((span, meant));
            }
        }
    }
    None
}

/// How many letters one of two words has more than the other.
fn extra_letters(one: &str, other: &str) -> usize {
    let mut left: Vec<char> = other.chars().collect();
    let mut count = 0;
    for letter in one.chars() {
        match left.iter().position(|found| *found == letter) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => count += 1,
        }
    }
    count + left.len()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[track_caller]
    fn check(written: &str, expected: Option<&str>) {
        let candidates = ["build", "deploy", "depends_on", "task"];
        assert_eq!(nearest(written, candidates), expected);
    }

    #[test]
    fn only_near_names_are_suggested() {
        check("biuld", Some("build"));
        check("Build", Some("build"));
        check("dependson", Some("depends_on"));
        check("tasks", Some("task"));
        // Two are as near; one has the same letters.
        assert_eq!(nearest("atsk", ["ask", "task"]), Some("task"));
        assert_eq!(nearest("toos", ["tool", "tools"]), Some("tools"));
        check("note", None);
        check("build", None);
        check("", None);
    }
}
