//! Which files a text names.

use super::calls::{CallCollector, is_file_operator};
use super::syntax::Word;
use crate::source::Spanned;

/// Notes the arguments of a command that are files.
pub(super) fn note_arguments(words: &[Word<'_>], found: &mut CallCollector) {
    let name = words.first().and_then(Word::text).unwrap_or_default();
    let file_test = matches!(name, "test" | "[");
    for pair in words.windows(2) {
        let [before, word] = pair else { continue };
        if is_path(word) || (file_test && before.text().is_some_and(is_file_operator)) {
            note_file(word, found);
        }
    }
}

/// Notes the files that `[[ -e … ]]` asks for.
pub(super) fn note_operands(words: &[Word<'_>], found: &mut CallCollector) {
    for pair in words.windows(2) {
        if let [operator, operand] = pair
            && !operator.quoted
            && operator.text().is_some_and(is_file_operator)
        {
            note_file(operand, found);
        }
    }
}

/// Whether an argument is so written that it can only be meant as a path.
fn is_path(word: &Word<'_>) -> bool {
    let Some(text) = word.text() else {
        return false;
    };
    let clean =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@' | '~');
    let name = text.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let simple = text.chars().all(clean) && !text.starts_with('-');
    simple && (text.contains('/') || (extension && !word.quoted))
}

/// Notes a file, unless it is a pattern or no file of the workspace.
pub(super) fn note_file(word: &Word<'_>, found: &mut CallCollector) {
    let Some(text) = word.text() else {
        return;
    };
    let pattern = !word.quoted && text.contains(['*', '?', '[']);
    if !text.is_empty() && !pattern && !text.starts_with("/dev/") {
        found.files.push(Spanned::new(text.to_owned(), word.span));
    }
}
