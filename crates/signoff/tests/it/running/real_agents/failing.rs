//! Agents that fail: what a person is told, and what is left of them.

use signoff_stub::{Reply, Script, Turn};

use super::{Expected, ONCE, Setup, agents, check, check_one, makes_it, say, shell};

const FAST: Setup<'_> = Setup {
    acp: &[],
    step: ONCE,
    plan: "",
    role: "",
    logged_out: false,
    not_installed: false,
};

fn fails<'a>(says: &'a [&'a str]) -> Expected<'a> {
    Expected {
        code: 1,
        made: false,
        says,
    }
}

#[test]
fn saying_done_is_not_doing() {
    let script = Script::new([say("Done: made.txt is made.")]);
    check(
        &["claude", "pi"],
        FAST,
        &script,
        fails(&["made.txt is not made"]),
    );
}

#[test]
fn a_question_is_told_as_one() {
    let script = Script::new([say("Which file do you mean?")]);
    let words = "the agent asked instead of working: Which file do you mean?";
    check(&["claude", "pi"], FAST, &script, fails(&[words]));
}

#[test]
fn a_model_that_fails_is_named() {
    let broken = Reply::Status {
        code: 500,
        retry_after: None,
    };
    let replies: &[(Reply, &[&str])] = &[
        (broken, &["claude", "pi"]),
        (Reply::Garbage, &["claude"]),
        (Reply::HalfStream, &["pi"]),
    ];
    for (reply, quick) in replies {
        let script = Script::new([Turn::from(reply.clone())]);
        for agent in agents(quick) {
            // It tries for more than a minute, and cannot be told not to.
            if agent != "opencode" || matches!(reply, Reply::Garbage) {
                check_one(agent, FAST, &script, fails(&["the agent's model failed: "]));
            }
        }
    }
}

#[test]
fn an_agent_that_hangs_ends_with_its_time() {
    let setup = Setup {
        step: "**timeout:** 2s\n**on_fail:** abort",
        ..FAST
    };
    let script = Script::new([Reply::Hang]);
    check(&["claude", "pi"], setup, &script, fails(&["time"]));
}

#[test]
fn an_agent_that_dies_is_told_by_its_signal() {
    let script = Script::new([shell("kill -9 $PPID")]);
    for agent in agents(&["claude", "pi"]) {
        let words = match agent {
            "claude" | "pi" => "ended by signal 9",
            // What dies is a part of it, and the rest ends by itself.
            _ => "the agent ",
        };
        check_one(agent, FAST, &script, fails(&[words]));
    }
}

#[test]
fn a_missing_login_is_named_with_what_to_type() {
    for agent in agents(&["claude", "gemini"]) {
        // Theirs is in the settings that lead them to the stub.
        if ["opencode", "pi"].contains(&agent) {
            continue;
        }
        let setup = Setup {
            logged_out: true,
            ..FAST
        };
        let words = match agent {
            "claude" => "start `claude` and type `/login`",
            "codex" => "type `codex login`",
            _ => "start `gemini` and type `/auth`",
        };
        check_one(agent, setup, &makes_it(), fails(&["not logged in", words]));
    }
}

#[test]
fn a_missing_agent_is_named_with_how_to_get_it() {
    let setup = Setup {
        not_installed: true,
        ..FAST
    };
    let expected = Expected {
        code: 6,
        made: false,
        says: &["npm install -g"],
    };
    check(&["claude", "gemini", "pi"], setup, &makes_it(), expected);
}
