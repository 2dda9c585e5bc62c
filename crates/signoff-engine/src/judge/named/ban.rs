//! From where on a sentence forbids what it names.

use super::sentences::Word;

/// Words that join what is forbidden to what is told: `…, but do not touch it`.
const JOINTS: [&str; 5] = ["but", "and", "then", "yet", "so"];

/// These forbid all that their part of the sentence names, on both sides of them. Where it is not
/// clear they do: a file that a step may change can be put into `produces`.
const ALL: [&[&str]; 55] = [
    &["do", "not"],
    &["dont"],
    &["must", "not"],
    &["mustnt"],
    &["should", "not"],
    &["shouldnt"],
    &["shall", "not"],
    &["shant"],
    &["may", "not"],
    &["can", "not"],
    &["cannot"],
    &["cant"],
    &["need", "not"],
    &["neednt"],
    &["not", "to"],
    &["not", "be"],
    &["not", "touch"],
    &["not", "change"],
    &["not", "edit"],
    &["not", "modify"],
    &["not", "alter"],
    &["not", "allowed"],
    &["never"],
    &["neither"],
    &["nor"],
    &["leave"],
    &["leaving"],
    &["alone"],
    &["untouched"],
    &["unchanged"],
    &["unmodified"],
    &["unaltered"],
    &["intact"],
    &["avoid"],
    &["forbidden"],
    &["prohibited"],
    &["off-limits"],
    &["off", "limits"],
    &["hands", "off"],
    &["stay", "away"],
    &["read-only"],
    &["as", "is"],
    &["as-is"],
    &["as", "it", "is"],
    &["as", "they", "are"],
    &["no", "change"],
    &["no", "changes"],
    &["no", "edit"],
    &["no", "edits"],
    &["without", "changing"],
    &["without", "touching"],
    &["without", "editing"],
    &["without", "modifying"],
    &["without", "altering"],
    &["without", "changes"],
];

/// These forbid what comes after them.
const REST: [&[&str]; 11] = [
    &["without"],
    &["except"],
    &["excluding"],
    &["instead", "of"],
    &["rather", "than"],
    &["other", "than"],
    &["apart", "from"],
    &["anything", "but"],
    &["everything", "but"],
    &["nothing", "but"],
    &["all", "but"],
];

/// The first word that is forbidden; all after it are.
pub(super) fn banned_from(words: &[Word]) -> Option<usize> {
    let mut first: Option<usize> = None;
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, from) = if let Some(length) = begun_with(rest, &ALL) {
            (length, Some(beginning(words, at)))
        } else {
            let length = begun_with(rest, &REST);
            (length.unwrap_or(1), length.map(|_| at))
        };
        first = first.into_iter().chain(from).min();
        // `do not touch` is one phrase, not also `not touch`.
        at += length;
    }
    first
}

/// Words of the phrase that these begin with.
fn begun_with(words: &[Word], phrases: &[&[&str]]) -> Option<usize> {
    let is_there = |phrase: &&&[&str]| {
        words.len() >= phrase.len()
            && words
                .iter()
                .zip(**phrase)
                .all(|(word, of)| word.text == *of)
    };
    Some(phrases.iter().find(is_there)?.len())
}

/// Where the part of the sentence begins that this word stands in.
fn beginning(words: &[Word], at: usize) -> usize {
    let before = words.get(..at).unwrap_or_default();
    if before
        .last()
        .is_some_and(|word| JOINTS.contains(&word.text.as_str()))
    {
        return at;
    }
    let upto = words.get(..=at).unwrap_or_default();
    upto.iter().rposition(|word| word.is_apart).unwrap_or(0)
}
