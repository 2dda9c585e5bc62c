use super::*;
use crate::check::testing::{check, plan};

#[track_caller]
fn two(a: &str, b: &str, expected: &[&str]) {
    let text = plan(&format!(
        "### 1. A\n**id:** a\n**depends_on:** none\n{a}\n### 2. B\n**id:** b\n{b}\n"
    ));
    check(Code::WriteOverlap, &text, expected);
}

#[test]
fn all_who_write_a_file_are_named_together() {
    let step = |number: usize, after: &str| {
        format!(
            "### {number}. A\n**id:** s{number}\n**depends_on:** {after}\n**produces:** a.txt\n"
        )
    };
    let three = plan(
        &(1..=3)
            .map(|number| step(number, "none"))
            .collect::<String>(),
    );
    check(
        Code::WriteOverlap,
        &three,
        &[
            "a.txt | steps `s1`, `s2` and `s3` may run at once, and all produce `a.txt` | \
           let each wait for the one before it",
        ],
    );
    let two = plan(&(step(1, "none") + &step(2, "s1") + &step(3, "s1")));
    check(
        Code::WriteOverlap,
        &two,
        &[
            "a.txt | steps `s2` and `s3` may run at once, and both produce `a.txt` | let `s3` wait for `s2`",
        ],
    );
    let many = plan(
        &(1..=9)
            .map(|number| step(number, "none"))
            .collect::<String>(),
    );
    check(
        Code::WriteOverlap,
        &many,
        &[
            "a.txt | steps `s1`, `s2`, `s3`, `s4`, `s5`, 3 more and `s9` may run at once, \
           and all produce `a.txt` | let each wait for the one before it",
        ],
    );
}

/// Steps as `id depends-on`, all of which write `a.txt`.
#[track_caller]
fn check_writers(steps: &[(&str, &str)], expected: &[&str]) {
    let step = |(at, (id, after)): (usize, &(&str, &str))| {
        let number = at + 1;
        format!("### {number}. A\n**id:** {id}\n**depends_on:** {after}\n**produces:** a.txt\n")
    };
    let text = plan(&steps.iter().enumerate().map(step).collect::<String>());
    check(Code::WriteOverlap, &text, expected);
}

#[test]
fn every_pair_is_named() {
    let pair = |a: &str, b: &str| {
        format!(
            "a.txt | steps `{a}` and `{b}` may run at once, and both produce `a.txt` | \
             let `{b}` wait for `{a}`"
        )
    };
    check_writers(
        &[("a", "none"), ("b", "none"), ("c", "b")],
        &[&pair("a", "b"), &pair("a", "c")],
    );
    // `b` runs beside `a` and `c`, which wait for each other: not all three at once.
    check_writers(
        &[("a", "none"), ("b", "none"), ("c", "a")],
        &[&pair("a", "b"), &pair("b", "c")],
    );
    check_writers(
        &[("a", "none"), ("b", "a"), ("c", "b"), ("d", "none")],
        &[
            "a.txt | step `d` may run at once with `a`, `b`, `c`, and all produce `a.txt` | \
           let `d` wait for them, or `a` for it",
        ],
    );
    check_writers(&[("a", "b"), ("b", "none"), ("c", "a")], &[]);
}

#[test]
fn parallel_steps_write_different_files() {
    let none = "**depends_on:** none\n";
    let message = "steps `a` and `b` may run at once, and both produce";
    let help = "let `b` wait for `a`";
    two("**produces:** x.md", "**produces:** x.md", &[]);
    two(
        "**produces:** x.md",
        &format!("{none}**produces:** y.md"),
        &[],
    );
    two(
        "**produces:** x.md",
        &format!("{none}**produces:** ./x.md"),
        &[&format!("./x.md | {message} `x.md` and `./x.md` | {help}")],
    );
    two(
        "**produces:** docs/**",
        &format!("{none}**produces:** docs/a/b.md"),
        &[&format!(
            "docs/a/b.md | {message} `docs/**` and `docs/a/b.md` | {help}"
        )],
    );
    two(
        "**produces:** src/*.rs",
        &format!("{none}**produces:** **/main.*"),
        &[&format!(
            "**/main.* | {message} `src/*.rs` and `**/main.*` | {help}"
        )],
    );
    two(
        "**locks:** docs\n**produces:** x.md",
        &format!("{none}**locks:** docs\n**produces:** x.md"),
        &[],
    );
}

#[test]
fn calls_write_files_too() {
    let write = |path: &str| {
        format!("**tool:** write_file\n**args:** {{\"path\": \"{path}\", \"content\": \"1\"}}")
    };
    let free = |path: &str| format!("**depends_on:** none\n{}", write(path));
    let found = "steps `a` and `b` may run at once, and both produce `x`";
    let call = "{\"path\": \"x\", \"content\": \"1\"}";
    let expected = format!("{call} | {found} | let `b` wait for `a`");
    two(&write("x"), &free("x"), &[&expected]);
    two("**produces:** x", &free("x"), &[&expected]);
    for (path, shown) in [("./x", "./x"), ("d/../x", "d/../x")] {
        let call = format!("{{\"path\": \"{path}\", \"content\": \"1\"}}");
        let expected = format!("{call} | {found} and `{shown}` | let `b` wait for `a`");
        two(&write("x"), &free(path), &[&expected]);
    }
    two(&write("x"), &free("y"), &[]);
    two(&write("x"), &write("x"), &[]);
    two(&write("{{ params.a }}"), &free("{{ params.a }}"), &[]);
}

#[test]
fn waiting_in_a_chain_is_enough() {
    let steps = "### 1. A\n**produces:** x\n### 2. B\n**depends_on:** 1\n### 3. C\n**depends_on:** 2\n**produces:** x\n";
    check(Code::WriteOverlap, &plan(steps), &[]);
}
