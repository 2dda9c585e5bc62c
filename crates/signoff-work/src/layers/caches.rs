//! Ignored files that a contract does as well without.

/// Names of what programs make again by themselves, or write only for people to read.
const NAMES: &[&str] = &[
    "target",
    "__pycache__",
    ".cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".parcel-cache",
    ".eslintcache",
    ".turbo",
    ".next",
    ".gradle",
    ".nyc_output",
    ".coverage",
    "htmlcov",
    "coverage",
    "logs",
    "tmp",
    ".idea",
    ".vscode",
    ".DS_Store",
];

/// How such names end.
const ENDINGS: &[&str] = &[".log", ".pyc", ".pyo", ".swp", ".swo", ".tmp", "~"];

/// Whether an ignored path is a cache, a log or something of an editor: without it a contract may take longer, but says
/// the same.
pub fn is_cache(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let is_known = NAMES.iter().any(|known| known.as_bytes() == name);
    is_known || ENDINGS.iter().any(|end| name.ends_with(end.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::is_cache;

    #[test]
    fn caches_are_known_by_their_names() {
        for path in ["target", "a/__pycache__", "server.log", "src/.x.swp"] {
            assert!(is_cache(path.as_bytes()), "{path}");
        }
        for path in [".venv", "node_modules", "web/node_modules", ".env", "build"] {
            assert!(!is_cache(path.as_bytes()), "{path}");
        }
    }
}
