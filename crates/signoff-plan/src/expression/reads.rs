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
            self.known(name, span, "filter", FILTERS);
        } else if is(before) && name != "not" || (negated && is(twice_before)) {
            self.known(name, span, "test", TESTS);
        } else if WORDS.contains(&name) || self.names_argument(at) {
        } else if self.kind(at + 1) == Some(ExprTokenKind::Sign('(')) {
            self.known(name, span, "function", FUNCTIONS);
        } else {
            self.variable(name, span, at);
        }
    }

    /// Whether a name is that of an argument: `f(NAME=…)`.
    fn names_argument(&self, at: usize) -> bool {
        self.kind(at + 1) == Some(ExprTokenKind::Sign('='))
            && self.kind(at + 2) != Some(ExprTokenKind::Sign('='))
    }

    fn known(&mut self, name: &str, span: Span, what: &str, names: &'static [&'static str]) {
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let reads = read(text).expect(text);
        let params = reads
            .params
            .iter()
            .map(|one| format!("params {}", one.name));
        let steps = reads.steps.iter().map(|one| {
            let places = (one.id_span.slice(text), one.field_span.slice(text));
            assert_eq!(places, (one.id, one.field));
            format!("{} {}", one.id, one.field)
        });
        let found: Vec<_> = params
            .chain(steps)
            .chain(
                reads
                    .loop_variables
                    .iter()
                    .map(|span| span.slice(text).to_owned()),
            )
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[track_caller]
    fn wrong(text: &str, expected: &[(&str, &str, Option<&str>)]) {
        let mistakes = read(text).expect_err(text);
        let found: Vec<_> = mistakes
            .iter()
            .map(|one| (one.span.slice(text), one.message.as_str(), one.meant))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn everything_read_is_found() {
        check("true", &[]);
        check(
            "params.a > 3 and params['b c']",
            &["params a", "params b c"],
        );
        check(
            "steps[\"a-b\"].output.n > 1 or steps.c.stdout == 'x'",
            &["a-b output", "c stdout"],
        );
        // minijinja's own list leaves these two out.
        check("steps['a'].output[1:]", &["a output"]);
        check("steps['a']['json']", &["a json"]);
        check(
            "item.name if index > 0 else params.x",
            &["params x", "item", "index"],
        );
        check(
            "params.a|default('x')|upper is startingwith 'X'",
            &["params a"],
        );
        check(
            "params.a is not none and params.b is defined",
            &["params a", "params b"],
        );
        check("range(3)|map(attribute='steps')|list", &[]);
        check("'steps' in params", &[]);
        check(
            "params.list|selectattr('ok', 'eq', true)|list|length == 2",
            &["params list"],
        );
    }

    #[test]
    fn mistakes_have_a_place_and_what_was_meant() {
        wrong(
            "parms.x and itm",
            &[
                ("parms", "there is no `parms` to read", Some("params")),
                ("itm", "there is no `itm` to read", Some("item")),
            ],
        );
        wrong(
            "params.x|uper",
            &[("uper", "there is no filter `uper`", Some("upper"))],
        );
        wrong(
            "params.x is defind",
            &[("defind", "there is no test `defind`", Some("defined"))],
        );
        wrong(
            "rnge(3)",
            &[("rnge", "there is no function `rnge`", Some("range"))],
        );
        let steps = "`steps` is read as `steps[\"ID\"].output` or `steps[\"ID\"].stdout`";
        for text in [
            "steps",
            "steps['a']",
            "steps[params.x].output",
            "(steps)['a'].output",
        ] {
            let reads = read(text).expect_err(text);
            assert_eq!(reads[0].message, steps, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_says_where() {
        wrong(
            "params.x >",
            &[(">", "unexpected end of input, expected expression", None)],
        );
        wrong("a b", &[("b", "unexpected input after expression", None)]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "[-a-z0-9.\"'\\[\\](){}|=<>!~+*/%, \\\\]{0,60}") {
            for mistake in read(&text).err().into_iter().flatten() {
                prop_assert!(text.get(mistake.span.start..mistake.span.end).is_some());
            }
        }

        // Whatever minijinja sees read, we see too.
        #[test]
        fn nothing_read_is_missed(parts in prop::collection::vec(prop::sample::select(vec![
            "steps['a'].output", "params.x", "item", "index", " and ", " or ", "not ", "(", ")", "[", "]",
            "|upper", " is defined", " if ", " else ", " ~ ", ", ", "'s'", "1", "range(", "==", ".z", "[1:]",
        ]), 0..12)) {
            let text = parts.concat();
            if let Ok(reads) = read(&text) {
                let environment = Environment::empty();
                let expression = environment.compile_expression(&text).expect("it was read");
                let seen = expression.undeclared_variables(false);
                prop_assert!(!seen.contains("steps") || !reads.steps.is_empty());
                prop_assert!(!seen.contains("params") || reads.all_params || !reads.params.is_empty());
                prop_assert_eq!(seen.contains("item") || seen.contains("index"),
                    !reads.loop_variables.is_empty() && (seen.contains("item") || seen.contains("index")));
            }
        }
    }
}
