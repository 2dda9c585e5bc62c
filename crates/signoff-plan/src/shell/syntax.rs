//! What a shell text is made of, as far as the checks care.

use std::borrow::Cow;

use crate::source::Span;

/// Commands one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CommandList<'a> {
    pub(super) items: Vec<AndOrList<'a>>,
    /// Whether it only decides what runs next, as the condition of an `if` does.
    pub(super) decides: bool,
}

/// Pipelines joined by `&&` and `||`, and whether the shell waits for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AndOrList<'a> {
    pub(super) first: Pipeline<'a>,
    pub(super) rest: Vec<(Connector, Pipeline<'a>)>,
    pub(super) background: bool,
    pub(super) span: Span,
}

/// How two pipelines are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connector {
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pipeline<'a> {
    pub(super) negated: bool,
    pub(super) parts: Vec<Command<'a>>,
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command<'a> {
    pub(super) kind: CommandKind<'a>,
    pub(super) redirects: Vec<Redirect<'a>>,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandKind<'a> {
    Simple(SimpleCommand<'a>),
    /// `{ …; }` and `( … )`.
    Group(CommandList<'a>),
    /// `[[ … ]]`, as the words between the brackets.
    Test(Vec<Word<'a>>),
    /// `if` and `case`: conditions and branches, and the words that `case` compares.
    Branch(Vec<CommandList<'a>>, Vec<Word<'a>>),
    /// `for`, `select`, `while` and `until`: condition and body, the words that it goes through, and
    /// the variable that holds them one after the other.
    Loop(Vec<CommandList<'a>>, Vec<Word<'a>>, Option<Word<'a>>),
    Function(Cow<'a, str>, Box<Command<'a>>),
    /// `(( … ))`, with what it runs to find its numbers.
    Arithmetic(Vec<CommandList<'a>>),
}

/// `NAME=value command word…`
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SimpleCommand<'a> {
    pub(super) assignments: Vec<Assignment<'a>>,
    pub(super) words: Vec<Word<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    /// One word, or those of an array.
    pub(super) values: Vec<Word<'a>>,
}

/// A redirection. Here-documents are only read past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect<'a> {
    pub(super) operator: &'static str,
    pub(super) target: Word<'a>,
    /// Whether the target is a file, and not a descriptor, a text or the end of a here-document.
    pub(super) file: bool,
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word<'a> {
    /// Its value, if it does not depend on anything.
    pub(super) value: Option<Cow<'a, str>>,
    /// Whether a part of it is in quotes.
    pub(super) quoted: bool,
    /// Whether a part of it is filled in outside of quotes, so that it may become several words.
    pub(super) splits: bool,
    /// Whether it has a pattern or braces outside of quotes, so that it may become names of files.
    pub(super) has_pattern: bool,
    pub(super) span: Span,
    /// What is run to find its value.
    pub(super) scripts: Vec<CommandList<'a>>,
}

impl Word<'_> {
    /// The value.
    pub(super) fn text(&self) -> Option<&str> {
        self.value.as_deref()
    }
}

/// A text that the shell reads when it runs the one around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NestedText {
    pub(super) text: String,
    /// Where it stands.
    pub(super) span: Span,
}

/// What stands between back-ticks, as the shell reads it: without the backslashes that keep a back-tick, a dollar, a backslash
/// or, within quotes, a quote from meaning something there.
pub(super) fn between_back_ticks(text: &str, in_quotes: bool) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_kept = |next: &char| matches!(next, '`' | '$' | '\\') || (in_quotes && *next == '"');
        match rest.next_if(|next| c == '\\' && is_kept(next)) {
            Some(next) => read.push(next),
            None => read.push(c),
        }
    }
    read
}
