//! How many there are, with the word in its right form.

/// `1 step`, `2 steps`
pub fn count(number: usize, word: &str) -> String {
    count_of(number, word, &format!("{word}s"))
}

/// `1 file is`, `2 files are`
pub fn count_of(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
