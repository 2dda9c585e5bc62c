//! Text of another author as a person is shown it before deciding: no character may hide, turn the
//! text around, or pass for another one.

use std::borrow::Cow;

/// Why a character cannot be shown as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenReason {
    /// A terminal acts on it.
    Control,
    /// It changes the direction of reading.
    Direction,
    /// It takes no place, or an empty one.
    Invisible,
    /// It looks like a space and does not separate words.
    Space,
}

impl HiddenReason {
    /// What such a character is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Control => "a control character",
            Self::Direction => "a character that changes the direction of reading",
            Self::Invisible => "an invisible character",
            Self::Space => "a space that does not separate words",
        }
    }
}

/// Why this character of a command cannot be shown as it is. Tabs and line ends can.
pub fn hidden_reason(letter: char) -> Option<HiddenReason> {
    Some(match letter {
        '\t' | '\n' | ' '..='~' => return None,
        letter if letter.is_control() => HiddenReason::Control,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            HiddenReason::Direction
        }
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            HiddenReason::Space
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{600}'..='\u{605}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'..='\u{891}'
        | '\u{8e2}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2028}'..='\u{2029}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{110bd}'
        | '\u{110cd}'
        | '\u{13430}'..='\u{13440}'
        | '\u{13447}'..='\u{13455}'
        | '\u{16fe4}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => HiddenReason::Invisible,
        // Whatever a font makes of it, and what no text has.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => HiddenReason::Invisible,
        letter if u32::from(letter) & 0xfffe == 0xfffe => HiddenReason::Invisible,
        _ => return None,
    })
}

/// A character that passes for one of ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LookAlike {
    /// Where it stands in the text.
    pub offset: usize,
    /// The character itself.
    pub character: char,
    /// The ASCII character that it looks like.
    pub looks_like: char,
}

/// Characters of a command that pass for one of ASCII.
///
/// Letters of another script count only in a word that mixes them with ASCII letters, or that has
/// nothing else: a word of Russian may hold some of them by right.
pub fn look_alikes(text: &str) -> Vec<LookAlike> {
    let mut found = Vec::new();
    let mut word: Vec<(usize, char)> = Vec::new();
    for (at, letter) in text.char_indices() {
        if letter.is_alphabetic() {
            word.push((at, letter));
            continue;
        }
        note_word(&mut word, &mut found);
        found.extend(sign_like(letter).map(|looks_like| LookAlike {
            offset: at,
            character: letter,
            looks_like,
        }));
    }
    note_word(&mut word, &mut found);
    found.sort_unstable();
    found
}

fn note_word(word: &mut Vec<(usize, char)>, found: &mut Vec<LookAlike>) {
    let is_mixed = word.iter().any(|(_, letter)| letter.is_ascii());
    let like = |&(offset, character): &(usize, char)| {
        Some(LookAlike {
            offset,
            character,
            looks_like: letter_like(character)?,
        })
    };
    let alike: Vec<_> = word.iter().filter_map(like).collect();
    if is_mixed || (alike.len() == word.len() && alike.len() > 1) {
        found.extend(alike);
    }
    word.clear();
}

/// A text for people, on as many lines as it has: what hides is escaped. Joined emoji and spaces that
/// do not break stay: they belong to prose.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    escape(text, |before, letter| match hidden_reason(letter)? {
        HiddenReason::Space => None,
        HiddenReason::Invisible if matches!(letter, '\u{200d}' | '\u{fe0f}') => {
            before.is_none_or(|before| before.is_ascii()).then_some(())
        }
        HiddenReason::Control | HiddenReason::Direction | HiddenReason::Invisible => Some(()),
    })
}

/// A command for people: every character that hides or passes for another one is escaped.
pub fn escape_command(text: &str) -> Cow<'_, str> {
    let alike = if text.is_ascii() {
        Vec::new()
    } else {
        look_alikes(text)
    };
    let mut at = 0;
    escape(text, |_, letter| {
        let here = at;
        at += letter.len_utf8();
        let is_alike = alike.binary_search_by_key(&here, |one| one.offset).is_ok();
        (is_alike || hidden_reason(letter).is_some()).then_some(())
    })
}

fn escape(text: &str, mut must: impl FnMut(Option<char>, char) -> Option<()>) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    for letter in text.chars() {
        match must(before, letter) {
            Some(()) => shown.extend(letter.escape_unicode()),
            None => shown.push(letter),
        }
        before = Some(letter);
    }
    Cow::Owned(shown)
}

/// Letters of other scripts, and the ASCII letters that they pass for.
const LETTERS: &str = "\
    аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw ѵv ӏl АA ВB ЕE КK МM НH ОO РP СC ТT ХX ІI ЈJ ЅS ҮY ԌG ԚQ ԜW \
    οo νv αa ρp ιi κk υu γy ϲc ϳj ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ \
    օo սu հh ցg ոn ѡw ıi ɑa ɡg ɩi ʟL ᴄc ᴏo ᴠv ᴡw ᴢz ꜱs ǃ! ｓs";

/// Signs that pass for one of ASCII.
const SIGNS: &str = "\
    ‐- ‑- ‒- –- —- −- ﹣- ⁃- ∕/ ⁄/ ╱/ ⧵\\ ∖\\ ‘' ’' ʹ' ′' “\" ”\" ″\" ‚, ․. ꓸ. \u{37e}; ː: ∶: ꞉: ǀ| ∣| ￨| ∗* ˜~ ∼~ \
    ˋ` ｀` ‹< ›> ❨( ❩) ❴{ ❵} ＿_ ‗_ ¢c";

/// The ASCII letter that a letter passes for.
fn letter_like(letter: char) -> Option<char> {
    full_width_like(letter)
        .or_else(|| mathematical(letter))
        .or_else(|| look_alike_in(LETTERS, letter))
}

/// The ASCII sign that a sign passes for.
fn sign_like(letter: char) -> Option<char> {
    full_width_like(letter)
        .or_else(|| mathematical(letter))
        .or_else(|| look_alike_in(SIGNS, letter))
}

fn look_alike_in(list: &str, letter: char) -> Option<char> {
    if letter.is_ascii() {
        return None;
    }
    let mut pairs = list.split_whitespace();
    let pair = pairs.find(|pair| pair.starts_with(letter))?;
    pair.chars().nth(1)
}

/// `ａ` and its like: the whole of ASCII once more.
fn full_width_like(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let is_wide = (0xff01..=0xff5e).contains(&code);
    is_wide.then(|| char::from_u32(code - 0xff01 + 0x21))?
}

/// Bold, italic and other letters and digits of mathematics.
fn mathematical(letter: char) -> Option<char> {
    let code = u32::from(letter);
    match code {
        0x1d400..=0x1d6a3 => {
            let at = u8::try_from((code - 0x1d400) % 52).ok()?;
            Some(char::from(if at < 26 { b'A' + at } else { b'a' + at - 26 }))
        }
        0x1d7ce..=0x1d7ff => {
            let at = u8::try_from((code - 0x1d7ce) % 10).ok()?;
            Some(char::from(b'0' + at))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prose_hides_nothing_and_is_not_turned_around() {
        assert_eq!(
            escape_text("a\tb ä 漢 👩\u{200d}🔧 ❤\u{fe0f}"),
            "a\tb ä 漢 👩\u{200d}🔧 ❤\u{fe0f}"
        );
        assert_eq!(escape_text("\u{1b}[2Jx\r\u{7}"), "\\u{1b}[2Jx\\u{d}\\u{7}");
        assert_eq!(
            escape_text("send \u{202e}001\u{202c} \u{200b}to\u{e0041}x\u{200d}y"),
            "send \\u{202e}001\\u{202c} \\u{200b}to\\u{e0041}x\\u{200d}y"
        );
        assert_eq!(escape_text("10\u{a0}%"), "10\u{a0}%");
    }

    #[test]
    fn every_character_of_a_command_is_shown() {
        assert_eq!(escape_command("make test\n\tx"), "make test\n\tx");
        assert_eq!(
            escape_command("rm\u{a0}-rf x\u{200d}"),
            "rm\\u{a0}-rf x\\u{200d}"
        );
        assert_eq!(escape_command("grep -q Привет ä 漢"), "grep -q Привет ä 漢");
        // Cyrillic `с` and `о`, a full-width bar, an en dash.
        assert_eq!(escape_command("\u{441}argo test"), "\\u{441}argo test");
        assert_eq!(
            escape_command("\u{441}\u{43e}\u{440}\u{443} x"),
            "\\u{441}\\u{43e}\\u{440}\\u{443} x"
        );
        assert_eq!(escape_command("a ｜ b –x"), "a \\u{ff5c} b \\u{2013}x");
        assert_eq!(escape_command("𝐜at"), "\\u{1d41c}at");
    }

    #[test]
    fn look_alikes_are_named_with_what_they_look_like() {
        let found = LookAlike {
            offset: 1,
            character: '\u{440}',
            looks_like: 'p',
        };
        assert_eq!(look_alikes("a\u{440}p"), [found]);
        assert_eq!(look_alikes("Привет, это тест"), []);
        assert_eq!(look_alikes("naïve café"), []);
        for pair in LETTERS.split_whitespace().chain(SIGNS.split_whitespace()) {
            let letters: Vec<char> = pair.chars().collect();
            assert!(
                matches!(letters.as_slice(), [one, like] if !one.is_ascii() && like.is_ascii()),
                "{pair}"
            );
        }
    }

    proptest! {
        #[test]
        fn nothing_that_hides_is_left(given in "\\PC{0,20}|[\\x00-\\u{ffff}]{0,20}") {
            let shown = escape_command(&given);
            prop_assert!(shown.chars().all(|letter| hidden_reason(letter).is_none()), "{shown:?}");
            prop_assert_eq!(look_alikes(&shown), []);
        }
    }
}
