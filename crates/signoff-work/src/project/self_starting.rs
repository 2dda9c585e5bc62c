//! Files that run by themselves once they are in a checkout: a shell, an editor, git or a coding agent reads them when the
//! person opens the directory, commits or starts it, without being told to run anything of the project.

pub mod named;
pub mod repositories;

/// Programs and what they read by themselves: a name of a file in whichever directory, where `*` stands for anything, or with
/// `/**` a directory.
const KNOWN: [(&str, &[&str]); 19] = [
    ("direnv", &[".envrc"]),
    (
        "autoenv",
        &[
            ".autoenv",
            ".autoenv.leave",
            ".autoenv.zsh",
            ".autoenv_leave.zsh",
            ".env",
            ".env.leave",
        ],
    ),
    (
        "mise",
        &[
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise/**",
            ".config/mise/**",
            ".rtx.toml",
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
    ("Signoff", &[".signoff/**", ".rawko/**"]),
    (
        "a coding agent",
        &[
            ".aider.conf.yml",
            ".amp/**",
            ".augment/**",
            ".clinerules/**",
            ".continue/**",
            ".copilot/**",
            ".crush.json",
            ".cursor/**",
            ".factory/**",
            ".github/hooks/**",
            ".junie/**",
            ".kilocode/**",
            ".kiro/**",
            ".qwen/**",
            ".roo/**",
            ".windsurf/**",
            "crush.json",
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
            ".dir-locals-2.el",
            ".dir-locals.el",
            ".exrc",
            ".helix/**",
            ".lazy.lua",
            ".local.vimrc",
            ".lvimrc",
            ".nvim.lua",
            ".nvimrc",
            ".project",
            ".theia/**",
            ".vimrc",
            ".vs/**",
            "_vimrc",
        ],
    ),
    (
        "git",
        &[
            ".commitlintrc*",
            ".githooks/**",
            ".husky/**",
            ".lefthook*.json",
            ".lefthook*.toml",
            ".lefthook*.yaml",
            ".lefthook*.yml",
            ".lefthook-local/**",
            ".lefthook/**",
            ".lfsconfig",
            ".lintstagedrc*",
            ".overcommit.yml",
            ".pre-commit-config.yaml",
            "commitlint.config.*",
            "lefthook*.json",
            "lefthook*.toml",
            "lefthook*.yaml",
            "lefthook*.yml",
            "lint-staged.config.*",
        ],
    ),
    ("another version control", &[".hg/**", ".jj/**"]),
    ("a debugger", &[".gdbinit", ".lldbinit", ".pdbrc"]),
    (
        "an interactive interpreter",
        &[
            ".RData",
            ".Renviron",
            ".Rprofile",
            ".erlang",
            ".ghci",
            ".iex.exs",
            ".irbrc",
            ".ocamlinit",
            ".octaverc",
            ".pryrc",
        ],
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
    if let Some(folder) = wanted.strip_suffix("/**") {
        return format!("/{path}/").contains(&format!("/{folder}/"));
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    match wanted.split_once('*') {
        Some((beginning, ending)) => name
            .strip_prefix(beginning)
            .is_some_and(|rest| rest.ends_with(ending)),
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
            ("web/.env", "autoenv"),
            (".rtx.toml", "mise"),
            ("sub/.rawko/plans/a.json", "Signoff"),
            (".qwen/settings.json", "a coding agent"),
            (".github/hooks/a.json", "a coding agent"),
            (".helix/languages.toml", "an editor"),
            ("lefthook-local.yml", "git"),
            (".config/lefthook.yml", "git"),
            (".lintstagedrc", "git"),
            (".lintstagedrc.mjs", "git"),
            ("commitlint.config.ts", "git"),
            ("sub/.hg/hgrc", "another version control"),
            (".iex.exs", "an interactive interpreter"),
        ] {
            assert_eq!(started_by(path), Some(program), "{path}");
        }
        for path in [
            "envrc",
            "src/mise/lib.rs",
            "claude/settings.json",
            ".vscode.md",
            ".env.example",
            ".github/workflows/ci.yml",
            "lefthook.md",
            "lint-staged.md",
            "Makefile",
            "package.json",
        ] {
            assert_eq!(started_by(path), None, "{path}");
        }
    }
}
