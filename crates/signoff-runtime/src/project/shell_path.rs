//! The PATH of the person's shell, if an agent's program started this process.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The PATH without what agents' programs add for themselves. A signature covers the PATH, and no session of such an agent
/// has the one that a person signed under, nor that of the session before.
pub fn persons_path(path: &OsStr) -> OsString {
    let kept = split_paths(path).filter(|directory| !is_codex_own(directory));
    join_paths(kept).unwrap_or_else(|_| path.to_owned())
}

/// Codex puts two directories in front: one of its session, with a random name, and one with programs that come along with it.
/// Seen in 0.166.0.
fn is_codex_own(directory: &Path) -> bool {
    let mut names = directory.iter().rev();
    let last = names.next().unwrap_or_default().to_string_lossy();
    last.starts_with("codex-arg0") || last == "codex-path" && names.any(|name| name == "vendor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(persons_path(OsStr::new(path)), expected, "{path}");
    }

    #[test]
    fn only_what_codex_adds_for_itself_is_left_out() {
        let own = "/home/ada/.codex/tmp/arg0-linux/codex-arg0AlKHUq";
        let along = "/usr/lib/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/codex-path";
        check(&format!("{own}:{along}:/usr/bin:/bin"), "/usr/bin:/bin");
        check(own, "");
        for path in [
            "",
            "/usr/bin:/bin",
            "/usr/bin::/bin:",
            "/opt/codex/bin:/opt/codex-path:.",
            "/home/ada/.codex/tmp:/x/codex-arg0y/bin",
        ] {
            check(path, path);
        }
    }
}
