//! Characters of somebody else's text as a person may be shown them before deciding.

/// The character to show for this one; `None` for what a terminal would act on.
///
/// What turns the direction of reading or takes no place could make a text read as another one: it
/// becomes visible.
pub fn shown(letter: char) -> Option<char> {
    match letter {
        '\t' => Some('\t'),
        letter if letter.is_control() => None,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some('\u{fffd}'),
        letter => Some(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn nothing_hides_and_nothing_turns_the_text_around() {
        let text = |text: &str| text.chars().filter_map(shown).collect::<String>();
        assert_eq!(text("a\tb ä 漢 👩\u{200d}🔧"), "a\tb ä 漢 👩\u{200d}🔧");
        assert_eq!(text("\u{1b}[2Jx\r\u{7}"), "[2Jx");
        assert_eq!(
            text("send \u{202e}001\u{202c} \u{200b}to\u{e0041}"),
            "send \u{fffd}001\u{fffd} \u{fffd}to\u{fffd}"
        );
    }
}
