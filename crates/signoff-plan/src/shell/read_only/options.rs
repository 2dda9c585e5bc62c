//! Which options of a program only read, and how its arguments are told apart.
//!
//! Only what is listed passes, in full: an abbreviation such as `--outp` is not in any list.

use super::argument::CheckedArgument;
use super::refusal::Refusal;

/// The options of a program that only read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Letters without a value.
    flags: &'static str,
    /// Letters with a value.
    valued: &'static str,
    /// Long names, separated by spaces; those with a value end with `=`.
    long: &'static str,
    /// How many words may follow that are not options.
    operands: usize,
    /// Long names begin with one dash, and letters are not put together.
    one_dash: bool,
    /// Options end at the first operand.
    leading: bool,
    /// What looks like an option behind an operand is none: some versions take it for a file.
    first: bool,
    /// A letter with a value stands alone, and the value is the next word.
    separate: bool,
    /// Letters that take the next word in every version, whatever it looks like.
    always_valued: &'static str,
}

/// Options of which the letters in `flags` have no value, and those in `valued` have one.
pub(super) const fn options(
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
) -> Options {
    Options {
        flags,
        valued,
        long,
        operands: usize::MAX,
        one_dash: false,
        leading: false,
        first: false,
        separate: false,
        always_valued: "",
    }
}

/// Options of a program that spells all of them as `-name`.
pub(super) const fn one_dash(long: &'static str) -> Options {
    Options {
        one_dash: true,
        ..options("", "", long)
    }
}

/// What a program is given.
#[derive(Debug, Default)]
pub(super) struct ParsedArguments<'w> {
    options: Vec<(&'w str, Option<CheckedArgument<'w>>)>,
    pub(super) operands: Vec<CheckedArgument<'w>>,
    /// Whether a `--` ends the options.
    pub(super) are_ended: bool,
}

impl<'w> ParsedArguments<'w> {
    /// Whether any option is given.
    pub(super) fn has_options(&self) -> bool {
        !self.options.is_empty()
    }

    /// Whether one of these options is given, by letter or by name.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }

    /// The values that these options are given; `None` where one is not known.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = Option<&'w str>> {
        let options = self.options.iter();
        let named = options.filter(move |(name, _)| names.contains(name));
        named.filter_map(|(_, value)| value.map(|value| value.text))
    }
}

/// How far the options of a command go.
type Rest<'s, 'w> = std::slice::Iter<'s, CheckedArgument<'w>>;

impl Options {
    /// With at most so many operands.
    pub(super) const fn operands(self, operands: usize) -> Self {
        Self { operands, ..self }
    }

    /// Tells options and operands apart, and refuses options that are not listed.
    pub(super) fn read<'w>(
        &self,
        arguments: &[CheckedArgument<'w>],
    ) -> Result<ParsedArguments<'w>, Refusal> {
        let mut given = ParsedArguments::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if self.first && !given.operands.is_empty() && argument.may_be_option() {
                return Err(Refusal::Unforeseeable(argument.raw.to_owned()));
            }
            if argument.text == Some("--") {
                given.are_ended = true;
                given.operands.extend(rest.by_ref());
            } else if argument.may_be_option() {
                self.option(argument, &mut rest, &mut given)?;
            } else {
                given.operands.push(*argument);
                if self.leading {
                    given.operands.extend(rest.by_ref());
                }
            }
        }
        let is_option = |operand: &&CheckedArgument<'_>| self.first && operand.may_be_option();
        if let Some(option) = given.operands.iter().find(is_option) {
            return Err(Refusal::Unforeseeable(option.raw.to_owned()));
        }
        self.count(&given.operands)?;
        Ok(given)
    }

    /// Options stand before the operands. Not every version looks for them behind one, and then such a word is a file to
    /// write or a value to set. Nor does every one take `--` for their end: `unzip` takes back what follows it.
    pub(super) const fn first(self) -> Self {
        Self {
            first: true,
            ..self
        }
    }

    /// Letters with a value stand alone: in a group they take the words that follow, one after the other.
    pub(super) const fn separate(self) -> Self {
        Self {
            separate: true,
            ..self
        }
    }

    /// Letters that take the next word in every version, whatever it looks like: a pattern, say.
    pub(super) const fn always_valued(self, letters: &'static str) -> Self {
        Self {
            always_valued: letters,
            ..self
        }
    }

    /// Options up to the first operand; what follows is another command.
    pub(super) const fn leading(self) -> Self {
        Self {
            leading: true,
            ..self
        }
    }

    fn count(&self, operands: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
        if self.operands == usize::MAX {
            return Ok(());
        }
        if let Some(many) = operands.iter().find(|operand| operand.many) {
            return Err(Refusal::Unforeseeable(many.raw.to_owned()));
        }
        match operands.get(self.operands) {
            Some(operand) => Err(Refusal::UnknownArgument(operand.raw.to_owned())),
            None => Ok(()),
        }
    }

    fn option<'w>(
        &self,
        argument: &CheckedArgument<'w>,
        rest: &mut Rest<'_, 'w>,
        given: &mut ParsedArguments<'w>,
    ) -> Result<(), Refusal> {
        let Some(text) = argument.text else {
            let name = argument.option_with_unknown_value();
            return match name.map(|name| name.trim_start_matches('-')) {
                Some(name) if self.long_option(name).is_some() => {
                    given.options.push((name, Some(*argument)));
                    Ok(())
                }
                _ => Err(Refusal::Unforeseeable(argument.raw.to_owned())),
            };
        };
        let long = match text.strip_prefix("--") {
            Some(long) => Some(long),
            None if self.one_dash => text.strip_prefix('-'),
            None => None,
        };
        match long {
            Some(long) => self.long_option_value(long, argument, rest, given),
            None => self.letters(text, argument, rest, given),
        }
    }

    fn long_option_value<'w>(
        &self,
        long: &'w str,
        argument: &CheckedArgument<'w>,
        rest: &mut Rest<'_, 'w>,
        given: &mut ParsedArguments<'w>,
    ) -> Result<(), Refusal> {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let Some(takes_value) = self.long_option(name) else {
            return Err(Refusal::option(argument.raw));
        };
        let value = match value {
            Some(value) => Some(argument.with_value(value)),
            None if takes_value => detached_value(rest)?,
            None => None,
        };
        given.options.push((name, value));
        Ok(())
    }

    /// Whether a long option takes a value; `None` if it is not listed.
    fn long_option(&self, name: &str) -> Option<bool> {
        if matches!(name, "help" | "version") {
            return Some(false);
        }
        self.long.split(' ').find_map(|listed| {
            let (listed, takes_value) = match listed.strip_suffix('=') {
                Some(listed) => (listed, true),
                None => (listed, false),
            };
            (listed == name && !name.is_empty()).then_some(takes_value)
        })
    }

    /// `-abc`, where `c` may be the value of `b`.
    fn letters<'w>(
        &self,
        text: &'w str,
        argument: &CheckedArgument<'w>,
        rest: &mut Rest<'_, 'w>,
        given: &mut ParsedArguments<'w>,
    ) -> Result<(), Refusal> {
        for (at, letter) in text.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            let name = text.get(at..end).unwrap_or_default();
            if self.flags.contains(letter) {
                given.options.push((name, None));
            } else if self.separate && self.valued.contains(letter) && text.len() > 2 {
                return Err(Refusal::option(argument.raw));
            } else if self.valued.contains(letter) {
                let value = match text.get(end..).filter(|value| !value.is_empty()) {
                    Some(value) => Some(argument.with_value(value)),
                    None if self.always_valued.contains(letter) => one_word(rest)?,
                    None => detached_value(rest)?,
                };
                given.options.push((name, value));
                return Ok(());
            } else if text.len() == 2 {
                return Err(Refusal::option(argument.raw));
            } else {
                return Err(Refusal::option(&format!("-{letter}")));
            }
        }
        Ok(())
    }
}

/// The next word as a value, whatever it becomes, if it stays one word.
fn one_word<'w>(rest: &mut Rest<'_, 'w>) -> Result<Option<CheckedArgument<'w>>, Refusal> {
    match rest.next() {
        Some(value) if value.many => Err(Refusal::Unforeseeable(value.raw.to_owned())),
        value => Ok(value.copied()),
    }
}

/// The next word as a value. One that looks like an option is refused: versions of a program differ in which
/// options take values.
fn detached_value<'w>(rest: &mut Rest<'_, 'w>) -> Result<Option<CheckedArgument<'w>>, Refusal> {
    let Some(value) = rest.next() else {
        return Ok(None);
    };
    let second = value.text.and_then(|text| text.as_bytes().get(1));
    if value.many || (value.may_be_option() && !second.is_some_and(u8::is_ascii_digit)) {
        return Err(Refusal::Unforeseeable(value.raw.to_owned()));
    }
    Ok(Some(*value))
}
