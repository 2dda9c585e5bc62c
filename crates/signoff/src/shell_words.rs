//! Shell words for commands in messages.

use std::fmt::Write as _;

/// What messages call a plan that comes from stdin.
pub(crate) const STDIN: &str = "<stdin>";

/// A path as a word of a shell command, so that a hint can be copied.
pub(crate) fn shell_word(path: &str) -> String {
    if path == STDIN {
        return "-".to_owned();
    }
    // A path that begins with a dash would be an option.
    let path = if path.starts_with('-') && path != "-" {
        format!("./{path}")
    } else {
        path.to_owned()
    };
    let plain = |c: char| c.is_alphanumeric() || "-_./+,:@%=".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path;
    }
    if path.chars().any(char::is_control) {
        return with_escapes(&path);
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// Escapes control characters in the form that bash and zsh read.
fn with_escapes(path: &str) -> String {
    let mut word = "$'".to_owned();
    for c in path.chars() {
        match c {
            '\'' | '\\' => word.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(word, "\\{byte:03o}");
                }
            }
            c => word.push(c),
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_shell_reads_the_word_as_the_path() {
        for (path, word) in [
            ("plan.md", "plan.md"),
            ("plans/a-b_c+1.md", "plans/a-b_c+1.md"),
            ("é.md", "é.md"),
            ("with space.md", "'with space.md'"),
            ("it's.md", r"'it'\''s.md'"),
            ("$HOME.md", "'$HOME.md'"),
            ("a;b.md", "'a;b.md'"),
            ("*.md", "'*.md'"),
            ("~me.md", "'~me.md'"),
            ("", "''"),
            ("two\nlines\u{1b}'.md", r"$'two\012lines\033\'.md'"),
            ("-x.md", "./-x.md"),
            ("-", "-"),
            ("<stdin>", "-"),
        ] {
            assert_eq!(shell_word(path), word);
        }
    }
}
