use serde_json::json;

use super::*;

fn server() -> Entry {
    Entry {
        path: vec!["mcpServers".to_owned()],
        slot: Slot::Member("signoff".to_owned()),
        value: json!({"command": "signoff", "args": ["mcp"]}),
    }
}

fn hook(command: &str) -> Entry {
    Entry {
        path: vec!["hooks".to_owned(), "PreToolUse".to_owned()],
        slot: Slot::Element {
            mark: "signoff-guard".to_owned(),
        },
        value: json!({"hooks": [{"command": command}]}),
    }
}

/// Adds both entries, adds them again, and takes them out again.
#[track_caller]
fn check(before: &str, after: &str) {
    let entries = [server(), hook("signoff-guard 1")];
    let created = missing_containers(before, &entries).expect("it can be read");
    let edited = with_entries(before, &entries).expect("it can be edited");
    assert_eq!(edited, after);
    assert_eq!(
        with_entries(&edited, &entries).as_deref(),
        Ok(after),
        "again"
    );
    let removed = without_entries(&edited, &entries, &created).expect("it can be edited");
    assert_eq!(value_of(&removed), value_of(before), "removed");
    // The same bytes, unless there was nothing to go back to or `{ }` had space in it.
    if before.contains("\"a\"") {
        assert_eq!(removed, before, "removed");
    }
}

const SERVER: &str = "\"mcpServers\": {\n    \"signoff\": {\n      \"command\": \"signoff\",\n      \"args\": [\"mcp\"]\n    }\n  }";
const HOOK: &str = "\"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": [\n          {\n            \"command\": \"signoff-guard 1\"\n          }\n        ]\n      }\n    ]\n  }";
const FLAT: &str = "\"mcpServers\": {\"signoff\": {\"command\": \"signoff\", \"args\": [\"mcp\"]}}, \"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"signoff-guard 1\"}]}]}";

#[test]
fn nothing_becomes_a_file() {
    let whole = format!("{{\n  {SERVER},\n  {HOOK}\n}}");
    check("", &format!("{whole}\n"));
    check("\u{feff}", &format!("\u{feff}{whole}\n"));
    check("// mine", &format!("// mine\n{whole}\n"));
    check("{}", &whole);
    check("{}\n", &format!("{whole}\n"));
    check("{ }\n", &format!("{whole}\n"));
    check(
        "{\n  // mine\n}\n",
        &format!("{{\n  // mine\n  {SERVER},\n  {HOOK}\n}}\n"),
    );
}

#[test]
fn entries_follow_what_is_there() {
    check(
        "{\n  \"a\": 1\n}\n",
        &format!("{{\n  \"a\": 1,\n  {SERVER},\n  {HOOK}\n}}\n"),
    );
    // No last newline, a trailing comma, comments behind, before and between.
    check(
        "{\n  \"a\": 1, // one\n  // the end\n}",
        &format!("{{\n  \"a\": 1, // one\n  {SERVER},\n  {HOOK},\n  // the end\n}}"),
    );
    check(
        "{\n  /* head */ \"b\": 2,\n  \"a\": 1 // one, \"two\"\n  /* end */\n}\n",
        &format!(
            "{{\n  /* head */ \"b\": 2,\n  \"a\": 1, // one, \"two\"\n  {SERVER},\n  {HOOK}\n  /* end */\n}}\n"
        ),
    );
}

/// The same with another step of indentation.
fn indented(text: &str, unit: &str) -> String {
    let line = |line: &str| {
        let content = line.trim_start();
        unit.repeat((line.len() - content.len()) / 2) + content
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

#[test]
fn the_layout_of_the_file_is_followed() {
    for unit in ["\t", "    ", " "] {
        check(
            &indented("{\n  \"a\": {\n    \"b\": []\n  }\n}\n", unit),
            &indented(
                &format!("{{\n  \"a\": {{\n    \"b\": []\n  }},\n  {SERVER},\n  {HOOK}\n}}\n"),
                unit,
            ),
        );
    }
    let crlf = |text: &str| text.replace('\n', "\r\n");
    check(
        "\u{feff}{\r\n  \"a\": 1 // one\r\n}\r\n",
        &crlf(&format!(
            "\u{feff}{{\n  \"a\": 1, // one\n  {SERVER},\n  {HOOK}\n}}\n"
        )),
    );
    check("{\"a\": 1}", &format!("{{\"a\": 1, {FLAT}}}"));
    check("{\"a\":1,}", &format!("{{\"a\":1, {FLAT},}}"));
}

#[test]
fn containers_that_are_there_are_used() {
    check(
        "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"hooks\": {\"PreToolUse\": [{\"m\": \"y\"}], \"Stop\": []}\n}\n",
        "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {},\n    \"signoff\": {\n      \"command\": \"signoff\",\n      \"args\": [\"mcp\"]\n    }\n  },\n  \"hooks\": {\"PreToolUse\": [{\"m\": \"y\"}, {\"hooks\": [{\"command\": \"signoff-guard 1\"}]}], \"Stop\": []}\n}\n",
    );
    check(
        "{\n  \"a\": 1,\n  \"mcpServers\": {},\n  \"hooks\": {\n    \"PreToolUse\": [] // none\n  }\n}\n",
        &format!(
            "{{\n  \"a\": 1,\n  {SERVER},\n  {} // none\n  }}\n}}\n",
            HOOK.strip_suffix("\n  }").expect("its end")
        ),
    );
}

#[test]
fn an_older_entry_is_brought_up_to_date_where_it_is() {
    let text = "{\n  \"hooks\": {\"PreToolUse\": [\n    {\"hooks\": [{\"command\": \"x signoff-guard 0\"}]}, // ours\n    {\"m\": 1}\n  ]}\n}\n";
    let edited = with_entries(text, &[hook("signoff-guard 2")]).expect("it can be edited");
    assert_eq!(edited, text.replace("x signoff-guard 0", "signoff-guard 2"));
}

/// What a person wrote after the entries were added stays when they are taken out.
#[test]
fn only_our_entries_are_taken_out() {
    let text = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"m\": 1},\n      {\"hooks\": [{\"command\": \"signoff-guard 1\"}]},\n      {\"m\": 2} // late\n    ]\n  },\n  \"mcpServers\": { \"signoff\": {}, \"late\": {} }\n}\n";
    let created = [vec!["hooks".to_owned()], vec!["mcpServers".to_owned()]];
    let entries = [server(), hook("signoff-guard 1")];
    assert_eq!(
        without_entries(text, &entries, &created).as_deref(),
        Ok(
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"m\": 1},\n      {\"m\": 2} // late\n    ]\n  },\n  \"mcpServers\": { \"late\": {} }\n}\n"
        )
    );
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let refused = |text: &str| {
        let refused = with_entries(text, &[server(), hook("signoff-guard 1")]);
        refused.expect_err("it is refused").to_string()
    };
    assert_eq!(
        refused("{\n \"a\": 1\n \"b\": 2}"),
        "line 3: a comma is missing before this"
    );
    assert_eq!(
        refused("{'a': 1}"),
        "line 1: a name in double quotes is expected"
    );
    assert_eq!(refused("{\"a\": 1"), "line 1: the end is missing");
    assert_eq!(
        refused("{\"a\": \"\n\"}"),
        "line 1: this string is not valid JSON"
    );
    assert_eq!(
        refused("{} {}"),
        "line 1: there is something after the end of the value"
    );
    assert_eq!(
        refused("{\"a\": 1, \"a\": 2}"),
        "line 1: a member is there twice"
    );
    assert_eq!(
        refused("{\"a\": undefined}"),
        "line 1: a JSON value is expected"
    );
    assert_eq!(refused("/* a"), "line 1: this comment has no end");
    assert_eq!(
        refused(&"[".repeat(200)),
        "line 1: values are nested too deeply"
    );
    assert_eq!(
        refused("[]"),
        "`the whole file` has another form than expected"
    );
    assert_eq!(
        refused("{\"hooks\": []}"),
        "`hooks` has another form than expected"
    );
    assert_eq!(
        refused("{\"hooks\": {\"PreToolUse\": {}}}"),
        "`hooks.PreToolUse` has another form than expected"
    );
}

#[test]
fn a_snippet_is_a_file_of_its_own() {
    assert_eq!(
        snippet(&[server(), hook("signoff-guard 1")]),
        format!("{{\n  {SERVER},\n  {HOOK}\n}}")
    );
}
