//! Caches of common tools. A report does not mention that a contract wrote them.

/// Names of files and directories, or several in a row, wherever they are in a path.
const CACHES: [&str; 17] = [
    ".cache",
    ".coverage",
    ".eslintcache",
    ".gradle",
    ".hypothesis",
    ".mypy_cache",
    ".nox",
    ".nyc_output",
    ".parcel-cache",
    ".phpunit.result.cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    "__pycache__",
    "node_modules/.cache",
    "node_modules/.vite",
];

/// Is this path a cache of a known tool, or inside one?
pub(super) fn is_cache(path: &str) -> bool {
    let path = format!("/{}/", path.trim_end_matches('/'));
    CACHES
        .iter()
        .any(|name| path.contains(&format!("/{name}/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_known_wherever_they_are() {
        for path in [
            ".pytest_cache",
            ".pytest_cache/v/cache/lastfailed",
            "src/pkg/__pycache__/",
            "web/node_modules/.cache/x",
            ".coverage",
        ] {
            assert!(is_cache(path), "{path}");
        }
        for path in [
            "src/cache.py",
            "my__pycache__",
            "node_modules/left-pad",
            "coverage.xml",
        ] {
            assert!(!is_cache(path), "{path}");
        }
    }
}
