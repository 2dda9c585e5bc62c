//! `sed`: its scripts may write files and run commands.

use super::argument::CheckedArgument;
use super::options::{Options, options};
use super::refusal::Refusal;

const OPTIONS: Options = options(
    "nErzu",
    "e",
    "quiet silent expression= regexp-extended null-data unbuffered posix sandbox debug",
)
// Where options end at the first operand, that is the script, whatever `-e` behind it says.
.first();

/// Longer scripts are refused, because reading them nests.
const LONGEST: usize = 4096;

/// Whether the arguments of `sed` only print.
pub(super) fn judge(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let given = OPTIONS.read(arguments)?;
    let mut scripts: Vec<Option<&str>> = given.values(&["e", "expression"]).collect();
    if scripts.is_empty() {
        match given.operands.first() {
            Some(script) => scripts.push(script.text),
            None => return Ok(()),
        }
    }
    for script in scripts {
        match script {
            Some(script) if only_prints(script) => {}
            Some(script) => return Err(Refusal::UnknownArgument(script.to_owned())),
            None => return Err(Refusal::Unforeseeable("the script".to_owned())),
        }
    }
    Ok(())
}

/// Whether a script has only commands that print or change what is printed.
fn only_prints(script: &str) -> bool {
    let mut reader = Reader { rest: script };
    script.len() <= LONGEST && reader.script().is_some()
}

struct Reader<'s> {
    rest: &'s str,
}

impl Reader<'_> {
    /// Reads everything; `None` where something is not known to only print.
    fn script(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_ascii_whitespace() || c == ';' || c == '}');
            if self.rest.is_empty() {
                return Some(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn addresses(&mut self) -> Option<()> {
        if self.address()? {
            self.blanks();
            if self.skip_char(',') {
                self.blanks();
                if self.skip_char('+') || self.skip_char('~') {
                    self.digits();
                } else if !self.address()? {
                    return None;
                }
            }
        }
        self.skip(|c| c == ' ' || c == '\t' || c == '!');
        Some(())
    }

    /// Whether an address stands here, which is read.
    fn address(&mut self) -> Option<bool> {
        match self.rest.chars().next()? {
            '$' => self.next(),
            '/' => {
                self.next();
                self.read_delimited('/', true)?;
                self.skip(|c| c == 'I' || c == 'M');
            }
            '\\' => {
                self.next();
                let delimiter = self.delimiter()?;
                self.read_delimited(delimiter, true)?;
                self.skip(|c| c == 'I' || c == 'M');
            }
            c if c.is_ascii_digit() => {
                self.digits();
                if self.skip_char('~') {
                    self.digits();
                }
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn command(&mut self) -> Option<()> {
        let command = self.rest.chars().next()?;
        self.next();
        match command {
            '{' => return Some(()),
            '#' => {
                self.skip(|c| c != '\n');
                return Some(());
            }
            'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' | 'F' => {}
            'q' | 'Q' | 'l' => {
                self.blanks();
                self.digits();
            }
            'b' | 't' | 'T' | ':' => {
                self.blanks();
                self.skip(|c| c.is_ascii_alphanumeric() || c == '_');
            }
            's' => {
                let delimiter = self.delimiter()?;
                self.read_delimited(delimiter, true)?;
                self.read_delimited(delimiter, false)?;
                self.skip(|c| c.is_ascii_digit() || "gpiImM".contains(c));
            }
            'y' => {
                let delimiter = self.delimiter()?;
                self.read_delimited(delimiter, false)?;
                self.read_delimited(delimiter, false)?;
            }
            _ => return None,
        }
        self.blanks();
        let ends = self.rest.is_empty() || self.rest.starts_with([';', '\n', '}', '#']);
        ends.then_some(())
    }

    fn delimiter(&mut self) -> Option<char> {
        let delimiter = self.rest.chars().next()?;
        self.next();
        (delimiter.is_ascii_punctuation() && delimiter != '\\').then_some(delimiter)
    }

    /// Up to the delimiter, which is stepped over. Versions of `sed` differ about a delimiter between
    /// brackets, so that such a pattern is refused.
    fn read_delimited(&mut self, delimiter: char, pattern: bool) -> Option<()> {
        let mut in_brackets = false;
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == delimiter => {
                    self.rest = self.rest.get(at + c.len_utf8()..)?;
                    return (!in_brackets).then_some(());
                }
                '\n' if pattern => return None,
                '\\' if in_brackets => return None,
                '\\' => {
                    chars.next();
                }
                '[' if pattern && !in_brackets => {
                    in_brackets = true;
                    // `]` right behind the opening means itself.
                    let after = self.rest.get(at + 1..)?;
                    let negation = usize::from(after.starts_with('^'));
                    if after.get(negation..)?.starts_with(']') {
                        chars.nth(negation);
                    }
                }
                // `[[:alpha:]]` ends later, but is refused no less for that.
                '[' if in_brackets => return self.class(at, delimiter),
                ']' => in_brackets = false,
                _ => {}
            }
        }
        None
    }

    /// Goes on behind a class such as `[:alpha:]` in brackets.
    fn class(&mut self, at: usize, delimiter: char) -> Option<()> {
        let inside = self.rest.get(at + 1..)?;
        let length = inside.strip_prefix(':')?.find(":]")?;
        let name = inside.get(1..=length)?;
        if !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        // Behind the class the brackets are still open.
        let rest = inside.get(length + 3..)?;
        let close = rest.find(']')?;
        let between = rest.get(..close)?;
        if between.contains(['[', '\\', '\n', delimiter]) {
            return None;
        }
        self.rest = rest.get(close + 1..)?;
        self.read_delimited(delimiter, true)
    }

    fn digits(&mut self) {
        self.skip(|c| c.is_ascii_digit());
    }

    fn blanks(&mut self) {
        self.skip(|c| c == ' ' || c == '\t');
    }

    fn skip(&mut self, part: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(part);
    }

    fn skip_char(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn next(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }
}
