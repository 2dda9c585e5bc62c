//! Paths of files in a repository: bytes for git, text for everything else.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// A path within a repository, as git spells it.
pub(crate) type Name = Vec<u8>;

/// The path as text, from which [`name`] finds it again: as it is, or where it is not UTF-8 (or looks like it was
/// written that way) in quotes as git writes them.
pub(crate) fn text(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        Ok(_) | Err(_) => quote(name),
    }
}

/// The texts of these paths.
pub(crate) fn path_texts<'n>(names: impl IntoIterator<Item = &'n Name>) -> Vec<String> {
    names.into_iter().map(|name| text(name)).collect()
}

/// The path that a text stands for.
pub(crate) fn name(text: &str) -> Name {
    unquote(text).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// In double quotes, with everything that is not plain ASCII escaped.
pub(crate) fn quote(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => write!(text, "\\{byte:03o}").expect("a string takes everything"),
        }
    }
    text.push('"');
    text
}

fn unquote(text: &str) -> Option<Name> {
    let mut bytes = text.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut name = Name::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return None,
            b'\\' => name.push(match bytes.next()? {
                same @ (b'"' | b'\\') => same,
                first => {
                    let digits = [first, bytes.next()?, bytes.next()?];
                    let digits = std::str::from_utf8(&digits).ok()?;
                    u8::from_str_radix(digits, 8).ok()?
                }
            }),
            plain => name.push(plain),
        }
    }
    Some(name)
}

/// Whether the path is one of these, or lies in one of them.
pub(crate) fn lies_within(name: &[u8], roots: &[Name]) -> bool {
    roots.iter().any(|root| {
        let rest = name.strip_prefix(root.as_slice());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    })
}

/// The path as the file system takes it.
pub(crate) fn path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// Exactly this path and what lies in it, left out of what the other pathspecs say.
pub(crate) fn except(name: &[u8]) -> OsString {
    let spec = [b":(exclude,top,literal)", name].concat();
    OsString::from_vec(spec)
}

/// Exactly this path and what lies in it.
pub(crate) fn exactly(name: &[u8]) -> OsString {
    OsString::from_vec([b":(top,literal)", name].concat())
}

/// The parts of an output in which each ends in NUL.
pub(crate) fn nul_separated(listing: &[u8]) -> impl Iterator<Item = &[u8]> {
    listing
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
}

/// Names for an input in which each ends in NUL.
pub(crate) fn nul_terminated<'n>(names: impl IntoIterator<Item = &'n Name>) -> Vec<u8> {
    let parts = names.into_iter().flat_map(|name| [&name[..], b"\0"]);
    parts.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        let plain: [&[u8]; 6] = [
            b"a b/c",
            "ä\n".as_bytes(),
            b":(top)x",
            b"it's",
            b"a\"b",
            b"\\x",
        ];
        for bytes in plain {
            assert_eq!(text(bytes).as_bytes(), bytes);
            assert_eq!(name(&text(bytes)), bytes);
        }
        for (bytes, shown) in [
            (&b"\xff\\\n"[..], r#""\377\\\012""#),
            (b"\"a\"", r#""\"a\"""#),
            (b"\"", r#""\"""#),
        ] {
            assert_eq!(text(bytes), shown);
            assert_eq!(name(shown), bytes);
        }
        // Not written by us: taken as it is.
        assert_eq!(name("\"a"), b"\"a");
        assert_eq!(name("\"\\9\""), b"\"\\9\"");
    }

    #[test]
    fn a_place_covers_what_lies_in_it() {
        let roots = [b".signoff".to_vec(), b"a/plan.md".to_vec()];
        for (path, covered) in [
            (".signoff", true),
            (".signoff/runs/1", true),
            (".signoff2", false),
            ("a/plan.md", true),
            ("b/a/plan.md", false),
        ] {
            assert_eq!(lies_within(path.as_bytes(), &roots), covered, "{path}");
        }
    }
}
