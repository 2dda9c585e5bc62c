use std::fs;

use super::*;

fn variables(set: &[(&str, &str)]) -> Variables {
    let set = set.iter();
    set.map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn of(program: &str) -> AgentRequirements {
    AgentRequirements::of_command(&[program.to_owned()])
}

/// Checks which of these files of a home reach the private one, with these variables set (`{home}` is the home).
#[track_caller]
fn check(
    needs: &AgentRequirements,
    set: &[(&str, &str)],
    there: &[&str],
    expected: &[(&str, &str)],
) {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().to_str().unwrap();
    for file in there {
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    let set: Vec<(&str, String)> = set
        .iter()
        .map(|(name, value)| (*name, value.replace("{home}", root)))
        .collect();
    let set: Vec<(&str, &str)> = set
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let found = needs.files(home.path(), &variables(&set));
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|login| {
            let from = login.from.strip_prefix(root).unwrap();
            (from.to_str().unwrap(), login.to.to_str().unwrap())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn each_agent_finds_what_it_logs_in_with_and_none_of_what_lies_beside() {
    for (program, files, beside) in [
        (
            "claude",
            &[
                ".claude.json",
                ".claude/.credentials.json",
                ".claude/settings.json",
            ][..],
            ".claude/history.jsonl",
        ),
        (
            "codex",
            &[".codex/auth.json", ".codex/config.toml", ".codex/.env"],
            ".codex/history.jsonl",
        ),
        (
            "gemini",
            &[
                ".gemini/oauth_creds.json",
                ".gemini/google_accounts.json",
                ".gemini/gemini-credentials.json",
                ".gemini/settings.json",
                ".gemini/trustedFolders.json",
                ".gemini/.env",
            ],
            ".gemini/tmp/logs.json",
        ),
        (
            "opencode",
            &[
                ".local/share/opencode/auth.json",
                ".config/opencode/config.json",
                ".config/opencode/opencode.json",
                ".config/opencode/opencode.jsonc",
            ],
            ".local/share/opencode/opencode.db",
        ),
        (
            "pi",
            &[
                ".pi/agent/auth.json",
                ".pi/agent/models.json",
                ".pi/agent/settings.json",
            ],
            ".pi/agent/sessions/1.jsonl",
        ),
        ("./claude", &[], ".claude.json"),
        ("somebody", &[], ".claude.json"),
    ] {
        let there: Vec<&str> = files.iter().copied().chain([beside]).collect();
        let expected: Vec<(&str, &str)> = files.iter().map(|file| (*file, *file)).collect();
        check(&of(program), &[], &there, &expected);
        check(&of(program), &[], &[beside], &[]);
    }
}

#[test]
fn a_folder_that_was_moved_is_found_and_lies_where_it_belongs() {
    check(
        &of("codex"),
        &[("CODEX_HOME", "{home}/work")],
        &[".codex/auth.json", "work/auth.json"],
        &[("work/auth.json", ".codex/auth.json")],
    );
    check(
        &of("claude"),
        &[("CLAUDE_CONFIG_DIR", "{home}/c")],
        &[".claude.json", "c/.claude.json", "c/.credentials.json"],
        &[
            ("c/.claude.json", ".claude.json"),
            ("c/.credentials.json", ".claude/.credentials.json"),
        ],
    );
    check(
        &of("opencode"),
        &[("XDG_DATA_HOME", "{home}/d"), ("XDG_CONFIG_HOME", "")],
        &["d/opencode/auth.json", ".config/opencode/opencode.json"],
        &[
            ("d/opencode/auth.json", ".local/share/opencode/auth.json"),
            (
                ".config/opencode/opencode.json",
                ".config/opencode/opencode.json",
            ),
        ],
    );
}

#[test]
fn a_role_gets_what_was_asked_for_besides() {
    let login = [
        "~/.aws/credentials".to_owned(),
        "~/.codex/auth.json".to_owned(),
    ];
    let env = ["AWS_PROFILE".to_owned(), "OPENAI_API_KEY".to_owned()];
    let needs = of("codex").with_login(&login, &env);
    // Also absent files: the person who asked for them gets a message.
    check(
        &needs,
        &[("CODEX_HOME", "{home}/work")],
        &["work/auth.json", ".codex/auth.json"],
        &[
            (".aws/credentials", ".aws/credentials"),
            (".codex/auth.json", ".codex/auth.json"),
        ],
    );
    let set = variables(&[
        ("OPENAI_API_KEY", "k"),
        ("AWS_PROFILE", "p"),
        ("AWS_SECRET", "s"),
        ("ANTHROPIC_API_KEY", "a"),
    ]);
    let seen = needs.variables(&set);
    let expected = [("OPENAI_API_KEY", "k"), ("AWS_PROFILE", "p")];
    assert_eq!(
        seen,
        expected.map(|(name, value)| (name.into(), value.into()))
    );
}
