use super::*;

fn section(command: &str) -> Section {
    Section {
        path: ["mcp_servers".to_owned(), "signoff".to_owned()],
        members: vec![
            ("command".to_owned(), Value::String(command.to_owned())),
            (
                "args".to_owned(),
                Value::Array(vec![Value::String("mcp".to_owned())]),
            ),
        ],
    }
}

const ADDED: &str = "[mcp_servers.signoff]\ncommand = \"/bin/signoff\"\nargs = [\"mcp\"]\n";

#[track_caller]
fn check(before: &str, after: &str) {
    let section = section("/bin/signoff");
    let edited = with_section(before, &section).expect("it can be edited");
    assert_eq!(edited, after);
    assert_eq!(
        with_section(&edited, &section).as_deref(),
        Ok(after),
        "again"
    );
    let text = before.trim_start_matches('\u{feff}');
    if text.is_empty() || text.ends_with('\n') {
        assert_eq!(
            without_section(&edited, &section).as_deref(),
            Ok(before),
            "removed"
        );
    }
}

#[test]
fn the_section_follows_everything_else() {
    check("", ADDED);
    check("\u{feff}", &format!("\u{feff}{ADDED}"));
    check(
        "# mine\nmodel = \"x\"   # why\n",
        &format!("# mine\nmodel = \"x\"   # why\n\n{ADDED}"),
    );
    check("model = 'x'", &format!("model = 'x'\n\n{ADDED}"));
    check("model = 'x'\n\n\n", &format!("model = 'x'\n\n\n\n{ADDED}"));
    let crlf = ADDED.replace('\n', "\r\n");
    check("[a]\r\nb = 1\r\n", &format!("[a]\r\nb = 1\r\n\r\n{crlf}"));
    check(
        "[mcp_servers.github]\ncommand = \"g\"\n[hooks.state]\nx = '''\n[mcp_servers.signoff]\n'''\n",
        &format!(
            "[mcp_servers.github]\ncommand = \"g\"\n[hooks.state]\nx = '''\n[mcp_servers.signoff]\n'''\n\n{ADDED}"
        ),
    );
}

#[test]
fn what_a_person_added_stays() {
    let text = "a = 1\n\n[mcp_servers.signoff]\ncommand = \"/old\" # moved\nargs = [\"mcp\"]\nstartup_timeout_sec = 9\n\n# about b\n[b]\nc = 2\n";
    let new = section("/bin/signoff");
    assert_eq!(
        with_section(text, &new).expect("it can be edited"),
        text.replace("/old", "/bin/signoff")
    );
    assert_eq!(
        without_section(text, &new).expect("it can be edited"),
        "a = 1\n\n# about b\n[b]\nc = 2\n"
    );
    let bare = "[mcp_servers.signoff]\nargs = [\"mcp\"]\n";
    assert_eq!(with_section(bare, &new).expect("it can be edited"), ADDED);
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let refused = |text: &str| with_section(text, &section("s")).expect_err("it is refused");
    assert_eq!(refused("mcp_servers = {}\n"), Uneditable::Unclear);
    assert!(matches!(
        refused("a = 1\nb = = 2\n"),
        Uneditable::Malformed { line: 2, .. }
    ));
    assert_eq!(
        refused("[mcp_servers]\nsignoff = 1\n").to_string(),
        "`mcp_servers.signoff` has another form than expected"
    );
    let nested = format!("{ADDED}\n[mcp_servers.signoff.env]\nA = \"b\"\n");
    assert_eq!(
        without_section(&nested, &section("/bin/signoff")),
        Err(Uneditable::Unclear)
    );
    assert_eq!(
        without_section("a = 1\n", &section("s")).as_deref(),
        Ok("a = 1\n")
    );
}
