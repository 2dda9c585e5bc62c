//! What the language knows by name.

/// Filters: `x | NAME`. Those that can make much out of little are left out.
pub(super) const FILTERS: &[&str] = &[
    "abs",
    "attr",
    "bool",
    "capitalize",
    "count",
    "d",
    "default",
    "dictsort",
    "first",
    "float",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "select",
    "selectattr",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "tojson",
    "trim",
    "unique",
    "upper",
];

/// Filters that minijinja has and plans do not.
pub(super) const LEFT_OUT: &[&str] = &[
    "batch", "chain", "e", "escape", "format", "groupby", "indent", "pprint", "safe", "slice",
    "zip",
];

/// Tests: `x is NAME`.
pub(super) const TESTS: &[&str] = &[
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "equalto",
    "escaped",
    "even",
    "false",
    "filter",
    "float",
    "ge",
    "greaterthan",
    "gt",
    "in",
    "int",
    "integer",
    "iterable",
    "le",
    "lessthan",
    "lower",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "safe",
    "sameas",
    "sequence",
    "startingwith",
    "string",
    "test",
    "true",
    "undefined",
    "upper",
];

/// Functions: `NAME(…)`.
pub(super) const FUNCTIONS: &[&str] = &["dict", "range"];

/// Words that are part of the language.
pub(super) const WORDS: &[&str] = &[
    "False", "None", "True", "and", "else", "false", "if", "in", "is", "none", "not", "or", "true",
];

/// What an expression can read.
pub(super) const VARIABLES: &[&str] = &["index", "item", "params", "steps"];

#[cfg(test)]
mod tests {
    use minijinja::{Environment, ErrorKind};

    use super::*;

    #[test]
    fn the_language_knows_them_all() {
        let environment = Environment::new();
        let unknown = |text: String| {
            let expression = environment.compile_expression_owned(text).expect("valid");
            let kind = expression.eval(()).err().map(|error| error.kind());
            matches!(
                kind,
                Some(
                    ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction
                )
            )
        };
        for name in FILTERS.iter().chain(LEFT_OUT) {
            assert!(!unknown(format!("[1]|{name}")), "{name}");
        }
        for name in TESTS {
            assert!(!unknown(format!("1 is {name}")), "{name}");
        }
        for name in FUNCTIONS {
            assert!(!unknown(format!("{name}()")), "{name}");
        }
        assert!(unknown("[1]|nope".to_owned()));
    }
}
