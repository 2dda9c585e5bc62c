use super::*;

/// Asserts what a text becomes, and that it then stays so.
#[track_caller]
fn check(text: &str, expected: &str) {
    let formatted = |text: &str| {
        let bytes = format(&Source::new("plan", text.into())).expect("it can be tidied");
        String::from_utf8(bytes).expect("text")
    };
    let crlf = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(formatted(text), expected);
    assert_eq!(formatted(expected), expected, "a second time");
    assert_eq!(formatted(&crlf(text)), crlf(expected));
}

const HEAD: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n";

#[test]
fn a_plan_is_tidied() {
    check(
        &format!(
            "{HEAD}# T  \n**budget:** $5 \n\n\n\n  **Tools:** a\n## Steps\n\n\n### 1. A\n**Target:** coder  \n\
             **Depends on:** none\n**task:**  \nDo  \n\n\n**it:** x\n\n\n**contract:**\n\n```sh\nx  \n\n\n```\n\n\nexit_code == 0\n\
             **Produces:**\n* a \n+ b <!-- c -->\n2. d\n### 2. B\n**ask:** Why?\n## Risks\n* x\n## Notes\ny  \n## Rejection (v1)\nno\n\n\n"
        ),
        &format!(
            "{HEAD}\n# T\n\n**Budget:** $5\n\n**Tools:** a\n\n## Steps\n\n### 1. A\n\n**target:** coder\n\
             **depends_on:** none\n**task:**  \nDo  \n\n\n**it:** x\n\n**contract:**\n```sh\nx  \n\n\n```\n\n\nexit_code == 0\n\
             **produces:**\n- a\n- b <!-- c -->\n- d\n\n### 2. B\n\n**ask:** Why?\n\n## Risks\n\n- x\n\n## Notes\ny  \n\n## Rejection (v1)\n\nno\n"
        ),
    );
}

#[test]
fn json_is_laid_out() {
    check(
        "{ \"steps\":[ {\"id\":\"a\" , \"tool\":\"read_file\", // why\n\"args\":{\"path\":\"x\"},\n\"dependsOn\":[ ]} ],\n\n\n// the end\n\"estimatedDuration\":3}",
        "{\n  \"steps\": [\n    {\n      \"id\": \"a\",\n      \"tool\": \"read_file\", // why\n      \"args\": {\"path\": \"x\"},\n      \"dependsOn\": []\n    }\n  ],\n\n  // the end\n  \"estimatedDuration\": 3\n}\n",
    );
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let source = Source::new("plan.md", "# T\n".into());
    assert!(format(&source).is_err());
    let source = Source::new("plan.json", "{\"steps\": [".into());
    assert!(format(&source).is_err());
}
