//! What tools downloaded before, so that they need not do it again. Data, and what of it is there.
//!
//! Not what they built: a build that was made of other code says nothing about this one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::environment::Variables;

/// A directory of downloads.
#[derive(Debug)]
pub(super) struct Cache {
    /// Where it is in a home.
    path: &'static str,
    /// A variable that names another place, and where it is there. May be empty.
    moved_by: (&'static str, &'static str),
    /// Whether its tool does without writing to it.
    works_read_only: bool,
}

const fn cache(path: &'static str, moved_by: (&'static str, &'static str)) -> Cache {
    Cache {
        path,
        moved_by,
        works_read_only: false,
    }
}

const fn readable_cache(path: &'static str, moved_by: (&'static str, &'static str)) -> Cache {
    Cache {
        path,
        moved_by,
        works_read_only: true,
    }
}

const CACHES: [Cache; 27] = [
    readable_cache(".cargo/registry", ("CARGO_HOME", "registry")),
    readable_cache(".cargo/git", ("CARGO_HOME", "git")),
    readable_cache("go/pkg/mod", ("GOPATH", "pkg/mod")),
    readable_cache("go/pkg/mod", ("GOMODCACHE", "")),
    readable_cache(".cache/pip", ("PIP_CACHE_DIR", "")),
    cache(".cache/uv", ("UV_CACHE_DIR", "")),
    cache(".cache/pypoetry/cache", ("", "")),
    cache(".cache/pypoetry/artifacts", ("", "")),
    cache(".conda/pkgs", ("", "")),
    cache(".npm/_cacache", ("npm_config_cache", "_cacache")),
    cache(".cache/yarn", ("YARN_CACHE_FOLDER", "")),
    cache(".yarn/berry/cache", ("", "")),
    cache(".local/share/pnpm/store", ("PNPM_HOME", "store")),
    cache(".cache/pnpm", ("", "")),
    cache(".bun/install/cache", ("BUN_INSTALL_CACHE_DIR", "")),
    cache(".cache/deno", ("DENO_DIR", "")),
    readable_cache(".m2/repository", ("", "")),
    readable_cache(".m2/wrapper", ("", "")),
    cache(
        ".gradle/caches/modules-2",
        ("GRADLE_USER_HOME", "caches/modules-2"),
    ),
    readable_cache(
        ".gradle/wrapper/dists",
        ("GRADLE_USER_HOME", "wrapper/dists"),
    ),
    cache(".ivy2/cache", ("", "")),
    readable_cache(".cache/coursier", ("COURSIER_CACHE", "")),
    readable_cache(".nuget/packages", ("NUGET_PACKAGES", "")),
    cache(".bundle/cache", ("", "")),
    cache(".hex/packages", ("", "")),
    readable_cache(".cache/huggingface/hub", ("HF_HUB_CACHE", "")),
    readable_cache(".cache/Cypress", ("CYPRESS_CACHE_FOLDER", "")),
];

/// The variables that say where they are.
pub(super) fn variables() -> impl Iterator<Item = &'static str> {
    let names = CACHES.iter().map(|cache| cache.moved_by.0);
    names.filter(|name| !name.is_empty())
}

/// Where they may be, and whether their tools only need to read there.
pub(super) fn paths(home: &Path, variables: &Variables) -> Vec<(PathBuf, bool)> {
    let cache_path = |cache: &Cache| {
        let (variable, below) = cache.moved_by;
        let moved = variables.get(OsStr::new(variable)).map(PathBuf::from);
        let moved = moved.filter(|moved| moved.is_absolute());
        let path = moved.map_or_else(|| home.join(cache.path), |moved| moved.join(below));
        (path, cache.works_read_only)
    };
    CACHES.iter().map(cache_path).collect()
}
