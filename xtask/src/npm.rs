//! Packages from npm, installed where all clones find them.

use std::path::Path;

use crate::invocation::Invocation;

/// Whether the scripts of packages run while they are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripts {
    Ignored,
    /// They put a native program in its place.
    Needed,
}

/// Installs packages in this directory, unless it is there. They are installed beside it first: what is in its place is whole.
pub(crate) fn install(
    what: &str,
    packages: &[&str],
    scripts: Scripts,
    directory: &Path,
) -> Result<(), String> {
    if directory.is_dir() {
        return Ok(());
    }
    let partial = directory.with_added_extension("partial");
    let install = invocation(packages, scripts, &partial);
    println!("── {what} is missing: {install}");
    let failed = |error| format!("{}: {error}", directory.display());
    std::fs::create_dir_all(&partial).map_err(failed)?;
    install.run()?;
    std::fs::rename(&partial, directory).map_err(failed)
}

fn invocation(packages: &[&str], scripts: Scripts, directory: &Path) -> Invocation {
    let install = Invocation::new("npm", ["install", "--no-audit", "--no-fund", "--silent"]);
    let install = match scripts {
        Scripts::Ignored => install.args(&["--ignore-scripts"]),
        Scripts::Needed => install,
    };
    let directory = directory.display().to_string();
    install.args(&["--prefix", &directory]).args(packages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_run_only_where_needed() {
        let line = |scripts| invocation(&["a@1", "b@2"], scripts, Path::new("/d")).to_string();
        assert_eq!(
            line(Scripts::Needed),
            "npm install --no-audit --no-fund --silent --prefix /d a@1 b@2"
        );
        assert_eq!(
            line(Scripts::Ignored),
            "npm install --no-audit --no-fund --silent --ignore-scripts --prefix /d a@1 b@2"
        );
    }
}
