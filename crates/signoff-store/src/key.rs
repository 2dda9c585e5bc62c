//! Names that people and plans choose, made safe as file names.

use std::path::{Component, Path, PathBuf};

use crate::files::hash::sha256_hex;

/// Longest file name we make; the systems' limit is 255, and temporary names add to it.
const LONGEST: usize = 200;

/// Percent-encodes a key into one path component: never empty, never hidden, never `.` or `..`, at
/// most 200 bytes. Different keys get different names.
pub fn encode(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    for (position, byte) in key.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_')
            || (byte == b'.' && position > 0);
        if plain {
            name.push(char::from(byte));
        } else {
            name.push('%');
            name.push(digit(byte >> 4));
            name.push(digit(byte & 15));
        }
    }
    if name.is_empty() {
        // `~` is never left plain, so no key is spelled like this or like the shortened form.
        return "~".to_owned();
    }
    if name.len() > LONGEST {
        let hash = sha256_hex(key.as_bytes());
        name.truncate(LONGEST - 1 - hash.len());
        return format!("{name}~{hash}");
    }
    name
}

fn digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16)
        .unwrap_or('0')
        .to_ascii_uppercase()
}

/// The key of a plan that has no id: its path relative to the workspace with `/` between the
/// parts; a plan outside the workspace is known by its absolute path.
pub(crate) fn of_path(workspace: &Path, path: &Path) -> String {
    let real = resolve(&workspace.join(path));
    let shown = real.strip_prefix(workspace).unwrap_or(&real);
    shown.to_string_lossy().into_owned()
}

/// The path without links, as far as it exists, and without `..`.
fn resolve(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return normalize(&real.join(rest));
        }
    }
    normalize(path)
}

fn normalize(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_readable_where_they_can_be() {
        for (key, name) in [
            ("PLAN-1a2b", "PLAN-1a2b"),
            ("docs/plan.md", "docs%2Fplan.md"),
            ("..", "%2E."),
            ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
            ("/abs", "%2Fabs"),
            (".hidden", "%2Ehidden"),
            ("é", "%C3%A9"),
            ("50%", "50%25"),
            ("a~b", "a%7Eb"),
            ("", "~"),
        ] {
            assert_eq!(encode(key), name);
        }
    }

    #[test]
    fn long_keys_that_differ_at_the_end_stay_apart() {
        let (one, two) = ("ü".repeat(400) + "1", "ü".repeat(400) + "2");
        assert_ne!(encode(&one), encode(&two));
        assert_eq!(encode(&one).len(), LONGEST);
    }

    proptest! {
        #[test]
        fn one_component_and_injective(one in ".{0,300}", two in ".{0,300}") {
            let name = encode(&one);
            prop_assert!(name.len() <= LONGEST && !name.starts_with('.') && !name.contains(['/', '\0']));
            prop_assert_eq!(Path::new(&name).components().count(), 1);
            prop_assert_eq!(one == two, name == encode(&two));
        }
    }

    #[test]
    fn a_path_is_relative_to_the_workspace_however_it_is_spelled() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().canonicalize().unwrap();
        fs::create_dir(workspace.join("docs")).unwrap();
        fs::write(workspace.join("docs/plan.md"), "x").unwrap();
        std::os::unix::fs::symlink("docs/plan.md", workspace.join("link.md")).unwrap();
        for spelled in [
            "docs/plan.md",
            "./docs/../docs/plan.md",
            "docs//plan.md",
            "link.md",
        ] {
            assert_eq!(of_path(&workspace, Path::new(spelled)), "docs/plan.md");
        }
        let absolute = workspace.join("docs/plan.md");
        assert_eq!(of_path(&workspace, &absolute), "docs/plan.md");
        assert_eq!(
            of_path(&workspace, Path::new("docs/not-yet.md")),
            "docs/not-yet.md"
        );
        let outside = of_path(&workspace, Path::new("../other/plan.md"));
        let expected = workspace.parent().unwrap().join("other/plan.md");
        assert_eq!(Path::new(&outside), expected);
    }
}
