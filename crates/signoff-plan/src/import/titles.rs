//! Titles of plans and steps.

/// How many letters a title has at most.
const LONGEST: usize = 80;

/// In a heading it would mean that the step is done.
const TICK: char = '✅';

/// A text as a title: one line, not too long, with nothing that hides.
pub(super) fn short_title(text: &str) -> String {
    let text = first_words_in_bold(text).unwrap_or(text);
    let shown: String = text
        .chars()
        .map(|c| if c.is_control() || c == TICK { ' ' } else { c })
        .collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let title = words.join(" ");
    let title = title.trim_end_matches([':', '.', ';']).to_owned();
    if title.chars().count() <= LONGEST {
        return title;
    }
    let cut: String = title.chars().take(LONGEST).collect();
    let sentence = [". ", ": ", "; ", " – ", " — "]
        .iter()
        .filter_map(|end| cut.rfind(end))
        .max();
    let end = sentence.filter(|at| *at > LONGEST / 5);
    match end.or_else(|| cut.rfind(' ')).and_then(|at| cut.get(..at)) {
        Some(kept) if end.is_some() => kept.to_owned(),
        Some(kept) => format!("{kept} …"),
        None => format!("{cut}…"),
    }
}

/// The bold words that a text begins with, if more follows: people write titles so.
fn first_words_in_bold(text: &str) -> Option<&str> {
    let (bold, _) = text.trim().strip_prefix("**")?.split_once("**")?;
    let bold = bold.trim().trim_end_matches([':', '.']);
    (!bold.is_empty()).then_some(bold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(short_title(text), expected);
    }

    #[test]
    fn titles_are_one_short_line() {
        check(" Add\ta \u{7} model ", "Add a model");
        check("**Add a model**: with fields", "Add a model");
        check("****", "****");
        let long = format!(
            "Create the model with everything that it needs. {}",
            "word ".repeat(30)
        );
        check(&long, "Create the model with everything that it needs");
        let endless = "x".repeat(150);
        check(&endless, &format!("{}…", "x".repeat(80)));
    }
}
