use super::*;

#[track_caller]
fn check(name: &str, written: Value, expected: Value) {
    assert_eq!(normalize(&Plan::default(), name, &written), Ok(expected));
}

#[test]
fn names_of_dialects_are_known() {
    assert_eq!(step_name("target"), Some("role"));
    assert_eq!(step_name("contract"), Some("contract.command"));
    assert_eq!(step_name("record.output"), Some("output"));
    assert_eq!(step_name("owner"), None);
    assert_eq!(plan_name("record.tags"), Some("tags"));
    assert_eq!(plan_name("depends_on"), None);
}

#[test]
fn values_have_one_spelling() {
    check("timeout", json!("20 minutes"), json!("20m"));
    check(
        "budget",
        json!("max 2k tokens,$1.5"),
        json!("2k tokens, $1.50"),
    );
    check(
        "on_fail",
        json!("retry(1)"),
        json!("retry(1), then escalate"),
    );
    check("critical", json!("No"), json!(false));
    check("approval", json!("required"), json!(true));
    check("contract.holds", json!("always"), Value::Null);
    check(
        "contract.expect",
        json!(["stdout == \"a\""]),
        json!(["exit_code == 0", "stdout == \"a\""]),
    );
    check("version", json!("3"), json!(3));
    check("tools", Value::Null, Value::Null);
}

#[test]
fn what_a_field_cannot_hold_is_refused() {
    for (name, value) in [
        ("timeout", json!("soon")),
        ("timeout", json!(3)),
        ("budget", json!("lots")),
        ("critical", json!("maybe")),
        ("tools", json!("bash")),
        ("tools", json!([1])),
        ("depends_on", json!(["x"])),
        ("contract.expect", json!(["ok"])),
        ("params", json!([])),
        ("title", json!("")),
    ] {
        assert!(normalize(&Plan::default(), name, &value).is_err(), "{name}");
    }
}

#[test]
fn every_field_can_be_asked_for_and_taken_away() {
    let mut plan = Plan::default();
    for name in plan_names() {
        assert!(plan_value(&plan, name).is_some(), "{name}");
        assert!(clear_plan(&mut plan, name), "{name}");
    }
    assert_eq!(plan, Plan::default());
    assert_eq!(plan_value(&plan, "nonsense"), None);
    assert!(!clear_plan(&mut plan, "nonsense"));
}

/// The members of a struct, as `{:#?}` shows them.
fn members(shown: &str) -> Vec<&str> {
    let members = shown.lines().filter_map(|line| line.strip_prefix("    "));
    let members = members.filter(|line| !line.starts_with([' ', '}', ']', ')']));
    members
        .filter_map(|line| Some(line.split_once(':')?.0))
        .collect()
}

/// What is in no table would be left out of the digest, and of everything else.
#[test]
fn every_member_of_the_model_is_in_a_table() {
    let plan = format!("{:#?}", Plan::default());
    let apart = ["record", "steps"];
    for member in members(&plan) {
        assert!(
            of_plan(member).is_some() || apart.contains(&member),
            "{member}"
        );
    }
    let step = Step::new("a".to_owned(), 1);
    let (own, details) = (format!("{step:#?}"), format!("{:#?}", *step));
    // The digest, the values and the checks name these themselves.
    let apart = [
        "number",
        "unexpanded",
        "claimed",
        "mark",
        "work",
        "contract",
        "record",
        "details",
    ];
    let found = [members(&own), members(&details)].concat();
    assert!(
        ["title", "max_items"]
            .iter()
            .all(|name| found.contains(name)),
        "{found:?}"
    );
    for member in found {
        assert!(
            of_step(member).is_some() || apart.contains(&member),
            "{member}"
        );
    }
}

/// Every spelling is one of a field that there is.
#[test]
fn every_spelling_names_a_field() {
    for dialect in crate::spelling::Dialect::ALL {
        for key in dialect.plan_keys() {
            assert!(
                key.field
                    .is_none_or(|field| plan_name(field) == Some(field)),
                "{key:?}"
            );
        }
        for key in dialect.step_keys() {
            assert!(
                key.field
                    .is_none_or(|field| step_name(field) == Some(field)),
                "{key:?}"
            );
        }
    }
}

/// The digest goes by the shapes; what has none it must name, as it does these.
#[test]
fn the_digest_knows_what_has_code_of_its_own() {
    let special = STEP
        .iter()
        .filter(|field| matches!(field.shape, Shape::Custom(_)));
    assert_eq!(
        special.map(|field| field.name).collect::<Vec<_>>(),
        ["hint"]
    );
    let special = PLAN
        .iter()
        .filter(|field| matches!(field.shape, Shape::Custom(_)));
    assert_eq!(
        special.map(|field| field.name).collect::<Vec<_>>(),
        ["params"]
    );
    let unsigned = STEP.iter().filter(|field| !field.signed);
    assert_eq!(unsigned.count(), 0);
}
