//! Lockfiles: what they are called, and what installs exactly what they say.

/// Lockfiles and what installs exactly what they say, in groups of which one is used. Cargo and Go fetch what they need
/// by themselves.
pub const GROUPS: [&[(&str, &str)]; 4] = [
    &[
        ("package-lock.json", "npm ci"),
        ("npm-shrinkwrap.json", "npm ci"),
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
        ("yarn.lock", "yarn install --frozen-lockfile"),
        ("bun.lock", "bun install --frozen-lockfile"),
        ("bun.lockb", "bun install --frozen-lockfile"),
    ],
    &[
        ("uv.lock", "uv sync --frozen"),
        ("poetry.lock", "poetry install"),
        ("pdm.lock", "pdm sync"),
        ("Pipfile.lock", "pipenv sync"),
        (
            "requirements.txt",
            "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
        ),
    ],
    &[("Gemfile.lock", "bundle install")],
    &[("composer.lock", "composer install")],
];

/// Is this the path of a lockfile, in whichever directory?
pub fn is_lockfile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut known = GROUPS.iter().copied().flatten();
    known.any(|(lockfile, _)| *lockfile == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lockfile_is_known_by_its_name() {
        assert!(is_lockfile("package-lock.json") && is_lockfile("web/yarn.lock"));
        assert!(!is_lockfile("my-package-lock.json") && !is_lockfile("yarn.lock/x"));
    }
}
