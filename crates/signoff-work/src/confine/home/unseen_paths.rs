//! Which parts of the home a text names that a process does not find in its own.

use std::collections::BTreeSet;
use std::path::Path;

use super::Home;

/// Directories that hold things of many programs: one of those is named, never all of them.
const HOLD_MANY: [&str; 6] = [
    ".local/share",
    ".local/state",
    ".local",
    ".config",
    ".cache",
    "Library",
];

impl Home {
    /// Names below the home, as `[sandbox] home` takes them, of what is there, is not seen, and is named in a text by its
    /// path or from `~` or `$HOME`. Not keys and logins: those are hidden on purpose.
    pub fn unseen_paths_in(&self, text: &str) -> Vec<String> {
        let Some(real) = self.0.real.as_ref().filter(|_| self.0.replaceable) else {
            return Vec::new();
        };
        let homes = self.home_names(real);
        let named = homes.iter().flat_map(|home| paths_below(text, home));
        let outermost_unseen: BTreeSet<String> = named
            .filter_map(|below| self.outermost_unseen(real, Path::new(below)))
            .collect();
        outermost_unseen.into_iter().collect()
    }

    /// Files of the home that are there, are not seen, and are named in a text; each as `~/…`.
    pub(in crate::confine) fn unseen_files_in(&self, text: &str) -> Vec<String> {
        let Some(real) = self.0.real.as_ref().filter(|_| self.0.replaceable) else {
            return Vec::new();
        };
        let is_seen = |path: &Path| {
            path.starts_with(&self.0.list.tree)
                || self.seen_paths().any(|seen| path.starts_with(seen))
        };
        let homes = self.home_names(real);
        let named = homes.iter().flat_map(|home| paths_below(text, home));
        let missing = named.filter(|below| {
            let path = real.join(below);
            path.is_file() && !is_seen(&path)
        });
        missing.map(|below| format!("~/{below}")).collect()
    }

    /// How a text may begin a path in the home.
    fn home_names(&self, real: &Path) -> BTreeSet<String> {
        let written = self.0.written.as_deref().into_iter().chain([real]);
        let written = written.map(|home| home.to_string_lossy().into_owned());
        let short = ["~", "$HOME", "${HOME}"].map(str::to_owned);
        written.chain(short).collect()
    }

    /// The outermost directory on the way to this path that exists, and of which the process sees nothing.
    fn outermost_unseen(&self, home: &Path, below: &Path) -> Option<String> {
        let path = home.join(below);
        let tree = &self.0.list.tree;
        let is_seen = |path: &Path| {
            path.starts_with(tree) || self.seen_paths().any(|seen| path.starts_with(seen))
        };
        let holds_seen = |path: &Path| {
            tree.starts_with(path) || self.seen_paths().any(|seen| seen.starts_with(path))
        };
        if is_seen(&path) || self.is_secret(&path) {
            return None;
        }
        let holds_many = |path: &Path| {
            HOLD_MANY
                .iter()
                .any(|many| home.join(many).starts_with(path))
        };
        let inside_home: Vec<&Path> = path.ancestors().take_while(|path| *path != home).collect();
        let outermost = inside_home
            .into_iter()
            .rev()
            .find(|path| !holds_seen(path) && !holds_many(path))?;
        let is_there = outermost.symlink_metadata().is_ok();
        let below = outermost.strip_prefix(home).ok().filter(|_| is_there)?;
        Some(format!("~/{}", below.display()))
    }
}

/// The paths after `HOME/` in a text, each up to the character where a reader would end it.
fn paths_below<'t>(text: &'t str, home: &str) -> impl Iterator<Item = &'t str> {
    let ends = |letter: char| {
        letter.is_whitespace() || letter.is_control() || "'\"`:,;()[]{}<>|&*?!".contains(letter)
    };
    let start = format!("{home}/");
    let found: Vec<&str> = text
        .match_indices(&start)
        .filter(|(at, _)| {
            // `/x/home/ada/` is not a path below `/home/ada`.
            let before = text[..*at].chars().next_back();
            before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '/' && letter != '.')
        })
        .map(|(at, start)| {
            let rest = &text[at + start.len()..];
            let path = rest.split(ends).next().unwrap_or_default();
            path.trim_end_matches('.')
        })
        .collect();
    // Dots and dashes that lead elsewhere are not followed.
    let is_plain = |path: &&str| {
        let mut parts = Path::new(path).components();
        !path.is_empty() && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    found.into_iter().filter(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_where_a_reader_sees_its_end() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = paths_below(text, "/home/ada").collect();
            assert_eq!(found, expected, "{text}");
        };
        check("cat: /home/ada/.foo/x: No such file", &[".foo/x"]);
        check("open('/home/ada/.foo')", &[".foo"]);
        check("see /home/ada/.foo.", &[".foo"]);
        check("/home/ada/a-b_c.d/e and /home/ada/f", &["a-b_c.d/e", "f"]);
        check("/mnt/home/ada/x, /home/adam/x, /home/ada", &[]);
        check("/home/ada/../eve/x /home/ada/", &[]);
        check(
            "TOOL=/home/ada/.tool:/home/ada/.other",
            &[".tool", ".other"],
        );
    }
}
