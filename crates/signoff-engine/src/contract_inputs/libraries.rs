//! Modules of Perl and Ruby that come with the language, in the place of which a program loads one of the tree.

use super::runners::{Family, Runners};

/// Modules that come with Perl, and those that its test runners are made of; sorted.
const PERL: &str = include_str!("perl_modules.txt");

/// Libraries of Ruby that tests load, and test runners; sorted.
const RUBY: [&str; 30] = [
    "English",
    "benchmark",
    "bundler",
    "csv",
    "date",
    "erb",
    "fileutils",
    "forwardable",
    "io/console",
    "json",
    "logger",
    "minitest",
    "minitest/autorun",
    "monitor",
    "net/http",
    "open3",
    "ostruct",
    "pathname",
    "rake",
    "rspec",
    "rspec/core",
    "securerandom",
    "set",
    "shellwords",
    "stringio",
    "tempfile",
    "test/unit",
    "time",
    "tmpdir",
    "yaml",
];

/// Directories that come before the language's own, by their last name; empty = the root.
const SEARCHED: [&str; 7] = ["", "inc", "lib", "perl5", "spec", "t", "test"];

/// Whether a file, once it is there, is what these languages load in the place of their own.
pub(super) fn takes_place_of_library(path: &str, runners: &Runners) -> bool {
    let is_known = |ending: &str, family: Family, known: &dyn Fn(&str) -> bool| {
        let module = path.strip_suffix(ending);
        runners.include(family) && module.is_some_and(|module| is_in_searched(module, known))
    };
    is_known(".pm", Family::Perl, &|name| {
        PERL.lines().any(|one| one == name)
    }) || is_known(".rb", Family::Ruby, &|name| RUBY.contains(&name))
}

/// Whether a path is a directory that is searched, and below it one of these names.
fn is_in_searched(path: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let cuts = path.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(cuts).any(|at| {
        let (folder, name) = path.split_at(at);
        let folder = folder.trim_end_matches('/');
        SEARCHED.contains(&folder.rsplit('/').next().unwrap_or_default()) && known(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_what_matters() {
        let names: Vec<&str> = PERL.lines().collect();
        assert!(names.is_sorted() && RUBY.is_sorted());
        for name in ["strict", "warnings", "Test/More", "List/Util", "POSIX"] {
            assert!(names.contains(&name), "{name}");
        }
    }

    #[test]
    fn only_where_it_is_searched_first() {
        let check = |command: &str, path: &str, expected| {
            let runners = Runners::of([command].into_iter(), "");
            assert_eq!(
                takes_place_of_library(path, &runners),
                expected,
                "{command} {path}"
            );
        };
        for path in [
            "lib/strict.pm",
            "strict.pm",
            "t/lib/Test/More.pm",
            "a/lib/POSIX.pm",
        ] {
            check("prove", path, true);
            check("make", path, true);
            check("cargo", path, false);
        }
        for path in [
            "lib/Shop/Config.pm",
            "lib/Shop.pm",
            "docs/strict.pm",
            "lib/strict.pl",
        ] {
            check("perl", path, false);
        }
        check("rspec", "spec/json.rb", true);
        check("rspec", "lib/shop/json.rb", false);
    }
}
