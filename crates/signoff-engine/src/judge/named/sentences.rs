//! A text as sentences of words, as far as that can be told without understanding them.

/// What kind of paragraph a sentence stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    /// An item of a list.
    Item,
    Plain,
}

/// One sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    pub(super) kind: Kind,
    pub(super) words: Vec<Word>,
    /// It ends as sentences do; one that does not may lead over to a list.
    pub(super) is_closed: bool,
}

/// A stretch of a sentence that could be a path or a word.
#[derive(Debug)]
pub(super) struct Word {
    /// In lower case: people write `makefile` and mean `Makefile`.
    pub(super) text: String,
    /// More than a comma stands before it.
    pub(super) is_apart: bool,
}

/// The sentences of a text.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (kind, paragraph) in paragraphs(text) {
        let mut rest = paragraph.as_str();
        while !rest.trim().is_empty() {
            let (one, more) = rest.split_at(end_of_sentence(rest));
            found.push(Sentence {
                kind,
                words: words(one),
                is_closed: one.trim_end_matches(is_closing).ends_with(['.', '!', '?']),
            });
            rest = more;
        }
    }
    found
}

/// Lines that belong together, without what markdown puts before them.
fn paragraphs(text: &str) -> Vec<(Kind, String)> {
    let mut found: Vec<(Kind, String)> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim) {
        let begun = begins(line);
        match found.last_mut().filter(|_| is_open && begun.is_none()) {
            _ if line.is_empty() => is_open = false,
            Some((_, paragraph)) => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            None => {
                is_open = begun != Some(Kind::Heading);
                found.push((begun.unwrap_or(Kind::Plain), line.to_owned()));
            }
        }
    }
    found
}

/// What begins with this line, if something does whatever came before.
fn begins(line: &str) -> Option<Kind> {
    let (mark, _) = line.split_once(' ')?;
    let number = mark.strip_suffix(['.', ')']);
    let is_number = number.is_some_and(|number| number.parse::<u32>().is_ok());
    match mark {
        "-" | "*" | "+" => Some(Kind::Item),
        _ if is_number => Some(Kind::Item),
        _ if mark.chars().all(|c| c == '#') => Some(Kind::Heading),
        _ => None,
    }
}

/// Where the first sentence ends.
fn end_of_sentence(text: &str) -> usize {
    let ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let is_end = |end: &usize| {
        let (before, after) = text.split_at(*end);
        let after = after.trim_start_matches(is_closing);
        let next = after.trim_start();
        // A file's name may come after an abbreviation, and a name seldom begins a sentence.
        let anew = next.len() < after.len() && !next.starts_with(char::is_lowercase);
        anew && !is_abbreviated(before)
    };
    ends.into_iter().find(is_end).unwrap_or(text.len())
}

fn is_abbreviated(before: &str) -> bool {
    const KNOWN: [&str; 7] = ["e.g.", "i.e.", "etc.", "incl.", "esp.", "cf.", "vs."];
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let last = last.trim_start_matches('(').to_lowercase();
    KNOWN.contains(&last.as_str())
}

fn is_closing(c: char) -> bool {
    matches!(c, '`' | '"' | '\'' | '’' | '”' | ')' | ']' | '*' | '_')
}

fn words(sentence: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut is_apart = false;
    let mut rest = sentence;
    while !rest.is_empty() {
        let (between, more) = rest.split_at(rest.find(is_part).unwrap_or(rest.len()));
        is_apart |= between.contains([';', '—', '–']);
        let (word, more) = more.split_at(more.find(|c| !is_part(c)).unwrap_or(more.len()));
        let text = bare(word);
        // A dash of its own.
        let is_word = text.contains(char::is_alphanumeric);
        if is_word {
            found.push(Word { text, is_apart });
        }
        is_apart = !is_word && !word.is_empty();
        rest = more;
    }
    found
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '+' | '@' | '\'' | '’')
}

/// A word without what belongs to the sentence: a full stop at its end, apostrophes.
fn bare(word: &str) -> String {
    let word = word.to_lowercase().replace('’', "'");
    let word = word.trim_matches('\'').trim_end_matches('.');
    let word = word.trim_end_matches('\'');
    let word = word.strip_suffix("'s").unwrap_or(word);
    let word = word.strip_prefix("./").unwrap_or(word);
    word.replace("n't", "nt")
}
