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
