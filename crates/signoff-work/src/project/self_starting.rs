//! Files that run by themselves once they are in a checkout: a shell, an editor, git or a coding agent reads them when the
//! person opens the directory, commits or starts it, without being told to run anything of the project.

/// Programs and what they read by themselves: a name of a file in whichever directory, or with `/**` a directory.
const KNOWN: [(&str, &[&str]); 17] = [
    ("direnv", &[".envrc", ".autoenv", ".autoenv.zsh"]),
    (
        "mise",
        &[
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise/**",
            "mise/**",
        ],
    ),
    ("Claude Code", &[".claude/**", ".mcp.json"]),
    ("Codex", &[".codex/**"]),
    ("Gemini CLI", &[".gemini/**"]),
    (
        "opencode",
        &[".opencode/**", "opencode.json", "opencode.jsonc"],
    ),
    ("pi", &[".pi/**"]),
    ("Signoff", &[".signoff/**"]),
    (
        "a coding agent",
        &[
            ".cursor/**",
            ".windsurf/**",
            ".roo/**",
            ".continue/**",
            ".kiro/**",
            ".aider.conf.yml",
        ],
    ),
    ("VS Code", &[".vscode/**", "*.code-workspace"]),
    ("JetBrains IDEs", &[".idea/**", ".run/**"]),
    ("Zed", &[".zed/**"]),
    (
        "dev containers",
        &[".devcontainer/**", ".devcontainer.json"],
    ),
    (
        "an editor",
        &[
            ".exrc",
            ".vimrc",
            ".nvimrc",
            ".nvim.lua",
            ".lvimrc",
            ".dir-locals.el",
            ".dir-locals-2.el",
        ],
    ),
    (
        "git",
        &[
            ".husky/**",
            ".githooks/**",
            "lefthook.yml",
            "lefthook.yaml",
            "lefthook.toml",
            ".lefthook.yml",
            ".pre-commit-config.yaml",
            ".lfsconfig",
        ],
    ),
    ("a debugger", &[".gdbinit", ".lldbinit"]),
    (
        "an interactive interpreter",
        &[".Rprofile", ".ghci", ".irbrc", ".pryrc"],
    ),
];

/// The program that runs a file of this path by itself, if one does.
pub fn started_by(path: &str) -> Option<&'static str> {
    // Where large and small letters are the same, programs find it all the same.
    let path = path.to_lowercase();
    let found = KNOWN.iter().find(|(_, names)| {
        names
            .iter()
            .any(|wanted| is_meant(&wanted.to_lowercase(), &path))
    });
    found.map(|(program, _)| *program)
}

fn is_meant(wanted: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    if let Some(folder) = wanted.strip_suffix("/**") {
        // A directory without a dot may be anything; that of a program lies in `.config`.
        return if folder.starts_with('.') {
            parts.any(|part| part == folder)
        } else {
            format!("/{path}/").contains(&format!("/.config/{folder}/"))
        };
    }
    let name = parts.next_back().unwrap_or_default();
    match wanted.strip_prefix('*') {
        Some(ending) => name.ends_with(ending),
        None => name == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_programs_run_is_known_by_its_name() {
        for (path, program) in [
            (".envrc", "direnv"),
            ("web/.ENVRC", "direnv"),
            (".claude/settings.json", "Claude Code"),
            (".claude", "Claude Code"),
            (".config/mise/config.toml", "mise"),
            ("a/b.code-workspace", "VS Code"),
            (".husky/pre-commit", "git"),
            (".Rprofile", "an interactive interpreter"),
        ] {
            assert_eq!(started_by(path), Some(program), "{path}");
        }
        for path in [
            "envrc",
            "src/mise/lib.rs",
            "claude/settings.json",
            ".vscode.md",
            ".env",
            "Makefile",
            "package.json",
        ] {
            assert_eq!(started_by(path), None, "{path}");
        }
    }
}
