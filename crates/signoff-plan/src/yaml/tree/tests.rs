use super::*;

#[track_caller]
fn check(text: &str, json: &str, problems: &[&str]) {
    let (node, found) = parse(text, 0);
    let value = node.map_or(serde_json::Value::Null, |node| node.to_json());
    assert_eq!(value.to_string(), json);
    let found: Vec<_> = found
        .iter()
        .map(|problem| format!("{} {}", problem.span.start, problem.message))
        .collect();
    assert_eq!(found, problems);
}

#[test]
fn items_of_one_list_are_handed_over() {
    let text = "a: 1\nsteps:\n- x\n- {steps: [y]}\nb: [z]\nsteps: [w]\n";
    let mut items = Vec::new();
    let mut each = |node: Node| items.push(node.to_json().to_string());
    let (node, problems) = parse_items(text, 0, "steps", &mut each);
    assert_eq!(items, [r#""x""#, r#"{"steps":["y"]}"#]);
    let rest = node.expect("a mapping").to_json();
    assert_eq!(rest.to_string(), r#"{"a":1,"steps":[],"b":["z"]}"#);
    assert_eq!(problems.len(), 1, "the second list of that name");
}

#[test]
fn keys_are_given_once_however_many_there_are() {
    for count in [3, FEW - 1, FEW, FEW + 1, 3 * FEW] {
        let keys: Vec<_> = (0..count).map(|at| format!("k{at}: 1\n")).collect();
        let keys = keys.concat();
        let (_, problems) = parse(&keys, 0);
        assert_eq!(problems, []);
        for twice in [0, count / 2, count - 1] {
            let (_, problems) = parse(&format!("{keys}k{twice}: 2\n"), 0);
            assert_eq!(problems.len(), 1, "{count} {twice}");
        }
    }
}

#[test]
fn values_follow_the_core_schema() {
    check(
        "a: no\nb: 1.10\nc: '1'\nd: true\ne:\nf: 0x1f\n",
        r#"{"a":"no","b":1.1,"c":"1","d":true,"e":null,"f":"0x1f"}"#,
        &[],
    );
    check(
        "a: [1, {b: ~}]\nc: |\n  x\n  y\n",
        r#"{"a":[1,{"b":null}],"c":"x\ny\n"}"#,
        &[],
    );
    check("", "null", &[]);
}

#[test]
fn every_problem_is_reported_and_the_rest_is_read() {
    check(
        "a: *x\nb: &y 1\na: 2\nc: !t 3\n",
        r#"{"a":null,"b":1,"c":3}"#,
        &[
            "3 an alias stands for nothing: no value before it has its anchor",
            "14 `a` is given twice",
            "22 tags are not read here",
        ],
    );
    check(
        "a: 1\nb: c: d\n",
        r#"{"a":1,"b":"c"}"#,
        &["9 mapping values are not allowed in this context"],
    );
    check(
        "a: 1\n...\nb: 2\n",
        r#"{"a":1}"#,
        &["9 there is more than one document"],
    );
    check("? [1]\n: 2\n", "{}", &["2 a key must be text"]);
}

#[test]
fn problems_cover_whole_characters() {
    let text = " \u{feff}x";
    let (_, problems) = parse(text, 0);
    assert_eq!(problems[0].span.slice(text), "\u{feff}");
    for (text, word) in [("!t x", "!t"), ("!t &\u{3000}é x", "!t")] {
        let (_, problems) = parse(text, 0);
        let found = problems.iter().map(|problem| problem.span.slice(text));
        assert_eq!(found.collect::<Vec<_>>(), [word]);
    }
}

#[test]
fn depth_is_limited() {
    let (_, problems) = parse(&"[".repeat(10_000), 0);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("64 deep"), "{problems:?}");
}

#[test]
fn places_count_from_the_file() {
    let (node, _) = parse("é: \"x\"\n", 10);
    let node = node.expect("a mapping");
    let entry = &node.entries().expect("entries")[0];
    assert_eq!(entry.key.span, Span::new(10, 12));
    assert_eq!(entry.value.span, Span::new(14, 17));
}

#[test]
fn aliases_mean_what_their_anchors_name() {
    check(
        "a: &x 'no'\nb: *x\nc: &y {d: [*x, 1]}\ne: *y\n*x : 2\n",
        r#"{"a":"no","b":"no","c":{"d":["no",1]},"e":{"d":["no",1]},"no":2}"#,
        &[],
    );
    check(
        "a: &x 1\nb: &x 2\nc: *x\nd: &z [*z]\n",
        r#"{"a":1,"b":2,"c":2,"d":[null]}"#,
        &["29 an alias stands for nothing: no value before it has its anchor"],
    );
    check(
        "a: &x {b: 1}\nc:\n  <<: *x\n  '<<': 2\n",
        r#"{"a":{"b":1},"c":{"<<":2}}"#,
        &["18 merge keys (`<<`) are not read here; write the fields again"],
    );
}

#[test]
fn places_of_what_an_alias_means_are_the_alias() {
    let text = "a: &x {b: [1]}\nc: *x\n";
    let (node, _) = parse(text, 0);
    let node = node.expect("a mapping");
    let aliased = &node.entries().expect("entries")[1].value;
    let inner = &aliased.entries().expect("entries")[0];
    for span in [aliased.span, inner.key.span, inner.value.span] {
        assert_eq!(span.slice(text), "*x");
    }
    assert!(aliased.shared && inner.value.shared);
    assert!(!node.shared);
}

#[test]
fn aliases_of_aliases_are_bounded() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        let list = vec![before; 10].join(", ");
        laughs.extend([format!("a{level}: &a{level} [{list}]\n")]);
    }
    let (_, problems) = parse(&laughs, 0);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].message.contains("10,000"), "{problems:?}");
    let deep = format!(
        "a: &a {}1{}\nb: [*a]\nc: *a\n",
        "[".repeat(63),
        "]".repeat(63)
    );
    let (_, problems) = parse(&deep, 0);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].message.contains("64 deep"), "{problems:?}");
}
