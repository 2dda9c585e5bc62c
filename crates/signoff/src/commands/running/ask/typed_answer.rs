//! Parses what a person typed as the answer to an item.

use signoff_engine::{Choice, InboxItem, InboxKind};

/// A parsed answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypedAnswer {
    Choice(Choice),
    /// The answer to a question.
    Reply(String),
    /// Not understood, and why.
    Unclear(String),
}

/// The possible answers; the part in brackets is enough to type.
pub(super) fn answer_words(item: &InboxItem) -> String {
    let words = item.answer_words();
    if takes_any_text(item) {
        let words = words.iter().filter(|word| **word != Choice::Reply.name());
        let words: Vec<&str> = words.copied().collect();
        return format!("type the answer, or {}", words.join(" "));
    }
    let shown = words.iter().map(|word| {
        let begin = shortest_prefix(word, &words);
        let rest = begin.and_then(|begin| Some((begin, word.strip_prefix(begin)?)));
        rest.map_or_else(
            || (*word).to_owned(),
            |(begin, rest)| format!("[{begin}]{rest}"),
        )
    });
    shown.collect::<Vec<String>>().join(" ")
}

/// Parses what was typed: a word, or its shortest unique prefix.
pub(super) fn parse_answer(item: &InboxItem, typed: &str) -> TypedAnswer {
    if takes_any_text(item) {
        let choice = Choice::from_name(typed).filter(|choice| *choice != Choice::Reply);
        let choice = choice.filter(|choice| item.choices.contains(choice));
        return choice.map_or_else(|| TypedAnswer::Reply(typed.to_owned()), TypedAnswer::Choice);
    }
    let words = item.answer_words();
    let exact = words.iter().copied().find(|word| *word == typed);
    let begun = || {
        let fits = |word: &&str| {
            shortest_prefix(word, &words)
                .is_some_and(|begin| typed.starts_with(begin) && word.starts_with(typed))
        };
        words.iter().copied().find(fits)
    };
    let Some(word) = exact.or_else(begun) else {
        return TypedAnswer::Unclear(format!("the possible answers are {}", answer_words(item)));
    };
    if item.options.iter().any(|option| option == word) {
        return TypedAnswer::Reply(word.to_owned());
    }
    Choice::from_name(word).map_or_else(|| TypedAnswer::Reply(word.to_owned()), TypedAnswer::Choice)
}

/// Can it be answered with any text?
fn takes_any_text(item: &InboxItem) -> bool {
    item.kind == InboxKind::Question && item.options.is_empty()
}

/// The shortest prefix that no other word has. `abort` must be typed in full, so that a typing error does not
/// end a run.
fn shortest_prefix<'w>(word: &'w str, words: &[&str]) -> Option<&'w str> {
    if word == Choice::Abort.name() {
        return None;
    }
    let ends = word.char_indices().map(|(at, first)| at + first.len_utf8());
    let unique = |begin: &&str| {
        let mut others = words.iter().filter(|other| **other != word);
        !others.any(|other| other.starts_with(begin))
    };
    ends.filter_map(|end| word.get(..end)).find(unique)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: InboxKind, choices: &[Choice], options: &[&str]) -> InboxItem {
        InboxItem {
            id: "x-1".to_owned(),
            kind,
            step: 0,
            steps: Vec::new(),
            question: String::new(),
            choices: choices.to_vec(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        }
    }

    #[test]
    fn enough_of_a_word_is_the_word_but_abort_is_typed_in_full() {
        let choices = [
            Choice::Accept,
            Choice::Refuse,
            Choice::Retry,
            Choice::Skip,
            Choice::Abort,
        ];
        let item = item(InboxKind::Acceptance, &choices, &[]);
        assert_eq!(
            answer_words(&item),
            "[ac]cept [ref]use [ret]ry [s]kip abort"
        );
        for (typed, choice) in [
            ("accept", Choice::Accept),
            ("ac", Choice::Accept),
            ("ret", Choice::Retry),
            ("refus", Choice::Refuse),
            ("s", Choice::Skip),
            ("abort", Choice::Abort),
        ] {
            assert_eq!(
                parse_answer(&item, typed),
                TypedAnswer::Choice(choice),
                "{typed}"
            );
        }
        for typed in ["a", "ab", "abor", "re", "x", "skipped", "Skip"] {
            assert!(
                matches!(parse_answer(&item, typed), TypedAnswer::Unclear(_)),
                "{typed}"
            );
        }
    }

    #[test]
    fn a_question_is_answered_with_an_offer_or_with_any_text() {
        let choices = [Choice::Reply, Choice::Skip, Choice::Abort];
        let reply = |text: &str| TypedAnswer::Reply(text.to_owned());
        let offer = item(InboxKind::Question, &choices, &["yes", "no", "skip it"]);
        assert_eq!(answer_words(&offer), "[y]es [n]o [skip ]it skip abort");
        for (typed, said) in [
            ("y", reply("yes")),
            ("no", reply("no")),
            ("skip i", reply("skip it")),
            ("skip", TypedAnswer::Choice(Choice::Skip)),
        ] {
            assert_eq!(parse_answer(&offer, typed), said, "{typed}");
        }
        let skip = item(InboxKind::Question, &choices, &["yes", "skip"]);
        assert_eq!(answer_words(&skip), "[y]es [s]kip abort");
        assert_eq!(parse_answer(&skip, "skip"), reply("skip"));
        let free = item(InboxKind::Question, &choices, &[]);
        assert_eq!(answer_words(&free), "type the answer, or skip abort");
        assert_eq!(parse_answer(&free, "s"), reply("s"));
        assert_eq!(parse_answer(&free, "reply"), reply("reply"));
        assert_eq!(
            parse_answer(&free, "skip"),
            TypedAnswer::Choice(Choice::Skip)
        );
    }
}
