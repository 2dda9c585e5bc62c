//! What an expression reads, and what is wrong with it.

use std::sync::LazyLock;

use minijinja::Environment;

use super::names::{FILTERS, FUNCTIONS, TESTS, VARIABLES, WORDS};
use super::tokens::{ExprToken, ExprTokenKind, tokens};
use crate::source::Span;
use crate::suggest::nearest;

/// What an expression reads. Spans are offsets into its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExpressionReads<'a> {
    /// Parameters.
    pub params: Vec<ParamRead<'a>>,
    /// Whether it reads all of them, as in `"x" in params`.
    pub all_params: bool,
    /// What other steps gave.
    pub steps: Vec<StepRead<'a>>,
    /// `item` and `index`, which only a loop has.
    pub loop_variables: Vec<Span>,
}

/// `params.NAME`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamRead<'a> {
    /// The parameter.
    pub name: &'a str,
    /// Where its name stands.
    pub span: Span,
}

/// `steps["ID"].FIELD`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRead<'a> {
    /// The step.
    pub id: &'a str,
    /// Where its id stands.
    pub id_span: Span,
    /// `output`, `stdout`, or something else that was written.
    pub field: &'a str,
    /// Where the field stands.
    pub field_span: Span,
}

/// An error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// Where in the text.
    pub span: Span,
    /// What, in a few words.
    pub message: String,
    /// What was most likely meant instead of what stands there.
    pub meant: Option<&'static str>,
}

/// Finds what an expression reads; or every mistake in it.
// By its words and not by running it: a branch not taken today is taken tomorrow.
pub fn read(text: &str) -> Result<ExpressionReads<'_>, Vec<ExpressionError>> {
    if let Err(mistake) = valid(text) {
        return Err(vec![mistake]);
    }
    let tokens = tokens(text);
    let mut reader = ReadCollector {
        tokens: &tokens,
        reads: ExpressionReads::default(),
        mistakes: Vec::new(),
    };
    for at in 0..tokens.len() {
        reader.token(at);
    }
    if reader.mistakes.is_empty() {
        Ok(reader.reads)
    } else {
        Err(reader.mistakes)
    }
}

/// Longer ones belong into a step.
const LENGTH: usize = 4096;

static GRAMMAR: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut grammar = Environment::empty();
    // Places in its errors.
    grammar.set_debug(true);
    grammar
});

fn valid(text: &str) -> Result<(), ExpressionError> {
    let whole = Span::new(0, text.len());
    let mistake = |span: Span, message: String| ExpressionError {
        span,
        message,
        meant: None,
    };
    if text.len() > LENGTH {
        return Err(mistake(whole, format!("it has more than {LENGTH} bytes")));
    }
    // Before it is compiled, which does it at once.
    if let Some(span) = text_multiplication(&tokens(text)) {
        return Err(mistake(
            span,
            "text and lists are not multiplied here".to_owned(),
        ));
    }
    match GRAMMAR.compile_expression_owned(text.to_owned()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let span = error
                .range()
                .map(|range| Span::new(range.start, range.end.min(text.len())))
                .filter(|span| !span.is_empty() && text.get(span.start..span.end).is_some())
                .unwrap_or(whole);
            let message = error.detail().unwrap_or("it cannot be read").to_owned();
            Err(mistake(span, message))
        }
    }
}

/// The `*` of an expression that holds text or a list.
fn text_multiplication(tokens: &[ExprToken<'_>]) -> Option<Span> {
    let star = tokens
        .iter()
        .find(|token| token.kind == ExprTokenKind::Sign('*'))?;
    let follows_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        before.is_some_and(|token| {
            matches!(
                token.kind,
                ExprTokenKind::Name(_) | ExprTokenKind::Sign(']' | ')')
            )
        })
    };
    let literal = tokens
        .iter()
        .enumerate()
        .any(|(at, token)| match token.kind {
            ExprTokenKind::Sign('[') => !follows_value(at),
            ExprTokenKind::Text(_) => {
                let before = at.checked_sub(1);
                let member = before.is_some_and(|open| {
                    tokens.get(open).map(|token| token.kind) == Some(ExprTokenKind::Sign('['))
                        && follows_value(open)
                });
                !member
            }
            ExprTokenKind::Name(_) | ExprTokenKind::Number | ExprTokenKind::Sign(_) => false,
        });
    literal.then_some(star.span)
}

struct ReadCollector<'t, 'a> {
    tokens: &'t [ExprToken<'a>],
    reads: ExpressionReads<'a>,
    mistakes: Vec<ExpressionError>,
}

impl<'a> ReadCollector<'_, 'a> {
    fn kind(&self, at: usize) -> Option<ExprTokenKind<'a>> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn before(&self, at: usize) -> Option<ExprTokenKind<'a>> {
        at.checked_sub(1).and_then(|at| self.kind(at))
    }

    fn token(&mut self, at: usize) {
        let Some(ExprToken {
            kind: ExprTokenKind::Name(name),
            span,
        }) = self.tokens.get(at).copied()
        else {
            return;
        };
        let before = self.before(at);
        let is = |kind| kind == Some(ExprTokenKind::Name("is"));
        let negated = before == Some(ExprTokenKind::Name("not"));
        let twice_before = at.checked_sub(2).and_then(|at| self.kind(at));
        if before == Some(ExprTokenKind::Sign('.')) {
            // A part of what stands before.
        } else if before == Some(ExprTokenKind::Sign('|')) {
            self.check_known(name, span, "filter", FILTERS);
        } else if is(before) && name != "not" || (negated && is(twice_before)) {
            self.check_known(name, span, "test", TESTS);
        } else if WORDS.contains(&name) || self.names_argument(at) {
        } else if self.kind(at + 1) == Some(ExprTokenKind::Sign('(')) {
            self.check_known(name, span, "function", FUNCTIONS);
        } else {
            self.variable(name, span, at);
        }
    }

    /// Whether a name is that of an argument: `f(NAME=…)`.
    fn names_argument(&self, at: usize) -> bool {
        self.kind(at + 1) == Some(ExprTokenKind::Sign('='))
            && self.kind(at + 2) != Some(ExprTokenKind::Sign('='))
    }

    fn check_known(&mut self, name: &str, span: Span, what: &str, names: &'static [&'static str]) {
        if !names.contains(&name) {
            self.mistakes.push(ExpressionError {
                span,
                message: format!("there is no {what} `{name}`"),
                meant: nearest(name, names.iter().copied()),
            });
        }
    }

    fn variable(&mut self, name: &str, span: Span, at: usize) {
        match name {
            "params" => match self.member(at + 1) {
                Some((name, span, _)) => self.reads.params.push(ParamRead { name, span }),
                None => self.reads.all_params = true,
            },
            "item" | "index" => self.reads.loop_variables.push(span),
            "steps" => match self.step(at) {
                Some(step) => self.reads.steps.push(step),
                None => self.mistakes.push(ExpressionError {
                    span,
                    message: "`steps` is read as `steps[\"ID\"].output` or `steps[\"ID\"].stdout`"
                        .to_owned(),
                    meant: None,
                }),
            },
            _ => self.mistakes.push(ExpressionError {
                span,
                message: format!("there is no `{name}` to read"),
                meant: nearest(name, VARIABLES.iter().copied()),
            }),
        }
    }

    fn step(&self, at: usize) -> Option<StepRead<'a>> {
        let (id, id_span, next) = self.member(at + 1)?;
        let (field, field_span, _) = self.member(next)?;
        Some(StepRead {
            id,
            id_span,
            field,
            field_span,
        })
    }

    /// `.NAME` or `["NAME"]`, and the token after it.
    fn member(&self, at: usize) -> Option<(&'a str, Span, usize)> {
        let token = self.tokens.get(at + 1)?;
        match (self.kind(at)?, token.kind) {
            (ExprTokenKind::Sign('.'), ExprTokenKind::Name(name)) => {
                Some((name, token.span, at + 2))
            }
            (ExprTokenKind::Sign('['), ExprTokenKind::Text(Some(name)))
                if self.kind(at + 2) == Some(ExprTokenKind::Sign(']')) =>
            {
                let inside = Span::new(token.span.start + 1, token.span.end - 1);
                Some((name, inside, at + 3))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
