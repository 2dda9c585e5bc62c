//! What work left in an upper directory, made by hand.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat, setxattr};
use signoff_work::git::{GitError, HarnessGit, Id};
use signoff_work::layers::{
    IgnoreRules, LayerContext, LayerError, LayerLimits, LayerReport, ignored_paths, record_layer,
    remove_layer,
};

use crate::git::world::{World, write};

/// A repository, the rules of its first commit, and an upper directory.
pub(crate) struct Layer {
    pub(crate) world: World,
    pub(crate) own: HarnessGit,
    pub(crate) base: Id,
    pub(crate) rules: IgnoreRules,
    pub(crate) upper: PathBuf,
    pub(crate) produces: Vec<String>,
    pub(crate) roots: Vec<Vec<u8>>,
    pub(crate) below: Vec<PathBuf>,
    pub(crate) limits: LayerLimits,
}

impl Layer {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = World::committed(files);
        let own = world.own();
        let base = own.tree_of(&world.head()).unwrap();
        let upper = world.root.join("upper");
        fs::create_dir(&upper).unwrap();
        Self {
            rules: IgnoreRules::of_tree(&own, &base).unwrap(),
            own,
            base,
            upper,
            world,
            produces: Vec::new(),
            roots: Vec::new(),
            below: Vec::new(),
            limits: LayerLimits::default(),
        }
    }

    pub(crate) fn context(&self) -> LayerContext<'_> {
        LayerContext {
            own: &self.own,
            base: &self.base,
            rules: &self.rules,
            produces: &self.produces,
            ignored_roots: &self.roots,
            ignored_layers: &self.below,
            limits: self.limits,
        }
    }

    pub(crate) fn record(&self) -> Result<LayerReport, LayerError> {
        record_layer(&self.context(), &self.upper)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.upper, name, text);
    }

    pub(crate) fn remove(&self, name: &str) {
        whiteout(&self.upper.join(name));
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.upper.join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// The files of a tree as `mode name: content`.
    pub(crate) fn shown(&self, tree: &Id) -> Vec<String> {
        let listing = self.world.git(&format!("ls-tree -r {tree}"));
        let lines = listing.lines().map(|line| {
            let (head, name) = line.split_once('\t').unwrap();
            let words: Vec<&str> = head.split(' ').collect();
            let content = self.world.git(&format!("cat-file blob {}", words[2]));
            format!("{} {name}: {}", words[0], content.escape_debug())
        });
        lines.collect()
    }
}

fn whiteout(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mknodat(CWD, path, FileType::CharacterDevice, Mode::empty(), 0).unwrap();
}

fn mark(path: &Path, key: &str, value: &[u8]) {
    setxattr(path, key, value, XattrFlags::empty()).unwrap();
}

pub(crate) fn changes(report: &LayerReport) -> Vec<String> {
    let changed = report.changed.iter();
    changed
        .map(|change| format!("{} {}", change.kind.name(), change.text()))
        .collect()
}

pub(crate) fn roots(report: &LayerReport) -> Vec<String> {
    let roots = report.ignored_roots.iter();
    roots
        .map(|root| String::from_utf8_lossy(root).into_owned())
        .collect()
}

const FILES: [(&str, &str); 8] = [
    (".gitignore", "*.pyc\n/dist/\nnode_modules/\n"),
    ("a", "a\n"),
    ("d/e/f", "f\n"),
    ("d/g", "g\n"),
    ("d/h/i", "i\n"),
    ("link", "-> a"),
    ("run", "#!/bin/sh\n"),
    ("x/y", "y\n"),
];

#[test]
fn a_link_in_place_of_an_ignored_directory_is_no_work() {
    let mut layer = Layer::new(&[(".gitignore", "node_modules/\n"), ("a", "1\n")]);
    layer.roots = vec![b"node_modules".to_vec()];
    layer.write("nm2/tool", "fake\n");
    symlink("nm2", layer.upper.join("node_modules")).unwrap();
    let report = layer.record().unwrap();
    let shown = layer.shown(&report.tree);
    let is_link = |line: &String| line.starts_with("120000");
    assert!(!shown.iter().any(is_link), "{shown:?}");
    assert_eq!(report.ignored_roots, [b"node_modules"]);
}

#[test]
fn an_empty_layer_is_the_base() {
    let layer = Layer::new(&FILES);
    layer.folder("d/e");
    let report = layer.record().unwrap();
    assert_eq!(report.tree, layer.base);
    assert!(report.changed.is_empty() && report.ignored_roots.is_empty());
}

#[test]
fn files_links_and_modes_are_recorded() {
    let layer = Layer::new(&FILES);
    layer.write("a", "changed\n");
    layer.write("d/new\nname", "#!new\n");
    layer.write("link", "-> elsewhere");
    layer.write("link2", "-> /absolute\nlink");
    fs::write(layer.upper.join(OsStr::from_bytes(b"\xff\"q")), "odd").unwrap();
    let setuid = layer.upper.join("run");
    fs::write(&setuid, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&setuid, fs::Permissions::from_mode(0o6755)).unwrap();
    let report = layer.record().unwrap();
    assert_eq!(
        changes(&report),
        [
            "modified a",
            "added d/new\nname",
            "modified link",
            "added link2",
            r#"added "\377\"q""#,
        ]
    );
    let shown = layer.shown(&report.tree);
    for line in [
        r"100644 a: changed\n",
        r#"100755 "d/new\nname": #!new\n"#,
        "120000 link: elsewhere",
        r"120000 link2: /absolute\nlink",
        r#"100644 "\377\"q": odd"#,
        r"100755 run: #!/bin/sh\n",
        r"100644 d/e/f: f\n",
    ] {
        assert!(shown.contains(&line.to_owned()), "{line} {shown:#?}");
    }
}

#[test]
fn a_file_that_was_only_touched_is_no_change() {
    let layer = Layer::new(&FILES);
    layer.write("d/g", "g\n");
    layer.write("link", "-> a");
    let report = layer.record().unwrap();
    assert_eq!((report.tree, report.changed), (layer.base, Vec::new()));
}

#[test]
fn what_was_removed_is_gone() {
    let layer = Layer::new(&FILES);
    layer.remove("a");
    layer.remove("d/h");
    layer.remove("never-there");
    fs::write(layer.folder("x").join("y"), "").unwrap();
    mark(&layer.upper.join("x/y"), "user.overlay.whiteout", b"");
    let report = layer.record().unwrap();
    assert_eq!(
        changes(&report),
        ["removed a", "removed d/h/i", "removed x/y"]
    );
    assert!(report.ignored_roots.is_empty());
}

#[test]
fn everything_can_be_removed() {
    let layer = Layer::new(&[("a", "a\n"), ("b/c", "c\n")]);
    layer.remove("a");
    layer.remove("b");
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), ["removed a", "removed b/c"]);
    assert!(layer.shown(&report.tree).is_empty());
}

#[test]
fn an_opaque_directory_hides_what_was_in_it() {
    let layer = Layer::new(&FILES);
    layer.write("d/e/new", "new\n");
    mark(&layer.upper.join("d"), "user.overlay.opaque", b"y");
    // Says only that something in it may be hidden.
    mark(&layer.folder("x"), "user.overlay.opaque", b"x");
    let report = layer.record().unwrap();
    let expected = [
        "removed d/e/f",
        "added d/e/new",
        "removed d/g",
        "removed d/h/i",
    ];
    assert_eq!(changes(&report), expected);
}

#[test]
fn a_file_takes_the_place_of_a_directory_and_back() {
    let layer = Layer::new(&FILES);
    layer.write("d", "now a file\n");
    layer.write("a/inner", "now a directory\n");
    layer.folder("run");
    layer.write("link/inner", "was a link\n");
    let report = layer.record().unwrap();
    assert_eq!(
        changes(&report),
        [
            "removed a",
            "added a/inner",
            "added d",
            "removed d/e/f",
            "removed d/g",
            "removed d/h/i",
            "removed link",
            "added link/inner",
            "removed run",
        ]
    );
}

#[test]
fn what_is_ignored_is_told_and_not_recorded() {
    let layer = Layer::new(&FILES);
    layer.write("dist/app.js", "built");
    layer.write("x/node_modules/m/index.js", "m");
    layer.write("x/z.pyc", "");
    layer.remove("node_modules");
    rustix::fs::mknodat(
        CWD,
        layer.upper.join("dist/pipe"),
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let report = layer.record().unwrap();
    assert_eq!(report.tree, layer.base);
    assert_eq!(
        roots(&report),
        ["dist", "node_modules", "x/node_modules", "x/z.pyc"]
    );
}

#[test]
fn rules_that_work_wrote_hide_nothing() {
    let layer = Layer::new(&FILES);
    layer.write(".gitignore", "*\n");
    layer.write("conftest.py", "evil\n");
    layer.write("sub/.git/info/exclude", "*\n");
    layer.write("sub/.git/HEAD", "ref: x\n");
    layer.write("sub/inner/file", "plain\n");
    layer.write(".git/info/exclude", "*\n");
    let report = layer.record().unwrap();
    assert_eq!(
        changes(&report),
        [
            "modified .gitignore",
            "added conftest.py",
            "added sub/inner/file"
        ]
    );
}

#[test]
fn what_a_step_produces_is_recorded_though_ignored() {
    let mut layer = Layer::new(&FILES);
    layer.produces = vec!["dist/**".to_owned()];
    layer.write("dist/js/app.js", "built");
    layer.write("x/node_modules/m", "m");
    let first = layer.record().unwrap();
    assert_eq!(changes(&first), ["added dist/js/app.js"]);
    assert_eq!(roots(&first), ["x/node_modules"]);
    // In a later step it is versioned, and nothing else there is.
    layer.produces.clear();
    layer.base = first.tree;
    layer.write("dist/js/app.js", "built again");
    layer.write("dist/js/other.js", "not produced");
    let second = layer.record().unwrap();
    assert_eq!(changes(&second), ["modified dist/js/app.js"]);
    assert_eq!(roots(&second), ["dist", "x/node_modules"]);
    // And can be removed.
    fs::remove_dir_all(layer.upper.join("dist")).unwrap();
    layer.remove("dist/js/app.js");
    assert_eq!(
        changes(&layer.record().unwrap()),
        ["removed dist/js/app.js"]
    );
    fs::remove_dir_all(layer.upper.join("dist")).unwrap();
    layer.remove("dist");
    assert_eq!(
        changes(&layer.record().unwrap()),
        ["removed dist/js/app.js"]
    );
}

#[test]
fn a_pattern_of_a_name_alone_is_produced_anywhere() {
    let mut layer = Layer::new(&FILES);
    layer.produces = vec!["**/*.pyc".to_owned(), "dist/*.txt".to_owned()];
    layer.write("x/z.pyc", "p");
    layer.write("dist/a.txt", "t");
    layer.write("dist/b.bin", "b");
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), ["added dist/a.txt", "added x/z.pyc"]);
    assert_eq!(roots(&report), ["dist"]);
}

#[test]
fn ignored_roots_below_a_removed_directory_are_told() {
    let mut layer = Layer::new(&FILES);
    layer.roots = vec![b"x/node_modules".to_vec(), b"dist".to_vec()];
    layer.remove("x");
    let report = layer.record().unwrap();
    assert_eq!(changes(&report), ["removed x/y"]);
    assert_eq!(roots(&report), ["x/node_modules"]);
}

#[test]
fn files_of_the_harness_are_never_recorded() {
    let layer = Layer::new(&FILES);
    layer.write(".signoff/runs/1", "journal");
    assert_eq!(layer.record().unwrap().tree, layer.base);
}

#[test]
fn what_cannot_be_recorded_is_an_error_that_names_it() {
    for kind in [FileType::Fifo, FileType::Socket] {
        let layer = Layer::new(&FILES);
        let path = layer.folder("d").join(".gitattributes");
        mknodat(CWD, &path, kind, Mode::from_raw_mode(0o600), 0).unwrap();
        let error = layer.record().unwrap_err();
        assert!(matches!(error, LayerError::Special { .. }), "{error}");
        assert!(error.to_string().contains("`d/.gitattributes`"), "{error}");
    }
    for name in [".GIT/config", "d/git~1/x"] {
        let layer = Layer::new(&FILES);
        layer.write(name, "x");
        let error = layer.record().unwrap_err();
        assert!(matches!(error, LayerError::Name { .. }), "{error}");
    }
    // A usual file, but no link of that name.
    let layer = Layer::new(&FILES);
    layer.write(".gitmodules", "text");
    layer.record().unwrap();
    fs::remove_file(layer.upper.join(".gitmodules")).unwrap();
    symlink("a", layer.upper.join(".gitmodules")).unwrap();
    assert!(matches!(layer.record(), Err(LayerError::Name { .. })));
}

#[test]
fn limits_are_errors() {
    let mut layer = Layer::new(&FILES);
    let holes = fs::File::create(layer.upper.join("holes")).unwrap();
    holes.set_len(1 << 40).unwrap();
    let error = layer.record().unwrap_err();
    assert!(matches!(error, LayerError::Limit { .. }), "{error}");
    assert!(error.to_string().contains("`holes`"), "{error}");
    fs::remove_file(layer.upper.join("holes")).unwrap();
    layer.write("one/two/three", "12345");
    layer.write("one/two/four", "12345");
    let limits = layer.limits;
    for limits in [
        LayerLimits {
            entries: 3,
            ..limits
        },
        LayerLimits { bytes: 9, ..limits },
        LayerLimits {
            largest: 4,
            ..limits
        },
        LayerLimits { depth: 1, ..limits },
    ] {
        layer.limits = limits;
        let error = layer.record().unwrap_err();
        assert!(
            matches!(error, LayerError::Limit { .. }),
            "{limits:?} {error}"
        );
    }
    layer.limits = limits;
    assert_eq!(changes(&layer.record().unwrap()).len(), 2);
}

#[test]
fn rights_that_were_taken_hide_nothing() {
    let layer = Layer::new(&FILES);
    layer.write("d/e/f", "changed\n");
    let modes = [("d/e/f", 0o000), ("d/e", 0o000), ("d", 0o111)];
    for (name, mode) in modes {
        let path = layer.upper.join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    assert_eq!(changes(&layer.record().unwrap()), ["modified d/e/f"]);
}

#[test]
fn line_ends_are_as_git_would_record_them() {
    let layer = Layer::new(&[
        (".gitattributes", "*.bat text eol=crlf\n"),
        ("x/a.bat", "one\n"),
        ("x/b.txt", "one\r\n"),
    ]);
    layer.write("x/a.bat", "one\r\ntwo\r\n");
    layer.write("x/b.txt", "one\r\ntwo\r\n");
    layer.write("new/.gitattributes", "*.bat -text\n");
    layer.write("new/c.bat", "one\r\n");
    let shown = layer.shown(&layer.record().unwrap().tree);
    for line in [
        r"100644 x/a.bat: one\ntwo\n",
        r"100644 x/b.txt: one\r\ntwo\r\n",
        r"100644 new/c.bat: one\r\n",
    ] {
        assert!(shown.contains(&line.to_owned()), "{line} {shown:#?}");
    }
}

#[test]
fn a_layer_is_removed_whatever_its_rights() {
    let layer = Layer::new(&FILES);
    layer.write("work/work/x", "x");
    layer.write("closed/y", "y");
    symlink(layer.world.repo(), layer.upper.join("link")).unwrap();
    for (name, mode) in [("work/work", 0o000), ("closed", 0o500), (".", 0o500)] {
        let rights = fs::Permissions::from_mode(mode);
        fs::set_permissions(layer.upper.join(name), rights).unwrap();
    }
    remove_layer(&layer.upper).unwrap();
    assert!(!layer.upper.exists());
    assert!(layer.world.path("a").exists());
    remove_layer(&layer.upper).unwrap();
}

#[test]
fn a_redirect_is_an_error() {
    let layer = Layer::new(&FILES);
    mark(&layer.folder("d"), "user.overlay.redirect", b"/x");
    assert!(matches!(layer.record(), Err(LayerError::Redirected { .. })));
}

#[test]
fn what_a_layer_holds_of_ignored_directories() {
    let rules = "target/\n*.o\n!keep.o\n";
    let layer = Layer::new(&[(".gitignore", rules), ("pkg/a", "a")]);
    layer.world.write("target/mine", "m");
    layer.world.git("add -f target/mine");
    let versioned = layer.world.commit("versioned all the same");
    let rules = IgnoreRules::of_tree(&layer.own, &versioned).unwrap();
    for name in [
        "target/mine",
        "target/built",
        "pkg/target/deep/x",
        "pkg/b.o",
        "pkg/keep.o",
        "pkg/a",
        ".git/config.o",
    ] {
        write(&layer.upper, name, "x");
    }
    // A link in the place of an ignored directory is none, and its absence is as ignored as itself.
    fs::create_dir(layer.upper.join("linked")).unwrap();
    symlink("/etc", layer.upper.join("linked/target")).unwrap();
    fs::create_dir(layer.upper.join("gone")).unwrap();
    let gone = layer.upper.join("gone/target");
    whiteout(&gone);
    let found = ignored_paths(&layer.upper, &rules).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    // What the first tree has in an ignored directory is versioned.
    assert_eq!(
        found,
        ["gone/target", "pkg/b.o", "pkg/target", "target/built"]
    );
}

/// Whatever an agent left, Ctrl-C does not wait until it is read.
#[test]
fn a_look_ends_when_the_run_is_stopped() {
    let layer = Layer::new(&[("a", "1")]);
    layer.write("new", "1");
    layer.own.stop_flag().set();
    let error = layer.record().unwrap_err();
    let is_own =
        matches!(&error, LayerError::Git(GitError::Stopped { tried }) if !tried.starts_with("git"));
    assert!(is_own, "{error}");
}
