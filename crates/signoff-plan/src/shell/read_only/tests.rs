use super::*;

fn judged(text: &str) -> String {
    read_only(text).expect_err(text).to_string()
}

#[test]
fn a_refusal_says_why_in_one_line() {
    assert_eq!(
        judged("frobnicate x"),
        "`frobnicate` is not known to only read"
    );
}
