//! Reading and changing single files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use signoff_work::tools::{CallEnd, StopFlag};

use crate::tools::bench::{Bench, at, call, tree};

#[test]
fn a_file_is_read_whole_or_in_part() {
    let bench = Bench::new(&[("a/b.txt", "one\ntwo\nthree"), ("empty", "")]);
    let read = |args| bench.done("read_file", args)["content"].clone();
    assert_eq!(read(at("a/b.txt")), "one\ntwo\nthree");
    assert_eq!(read(at("./a/../a//b.txt")), "one\ntwo\nthree");
    assert_eq!(read(at("empty")), "");
    for (from, to, expected) in [
        (2, 2, "two\n"),
        (2, 9, "two\nthree"),
        (4, 9, ""),
        (3, 1, ""),
    ] {
        let args = json!({"path": "a/b.txt", "from_line": from, "to_line": to});
        assert_eq!(read(args), expected, "{from} {to}");
    }
    let whole = bench.done("read_file", at("a/b.txt"));
    assert_eq!(whole["path"], "a/b.txt");
}

#[test]
fn what_cannot_be_read_says_why() {
    let bench = Bench::new(&[("dir/a", "")]);
    fs::write(bench.root().join("binary"), [0xff, 0xfe]).unwrap();
    let large = fs::File::create(bench.root().join("large")).unwrap();
    large.set_len(16 * 1024 * 1024 + 1).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bench.root().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    for (path, expected) in [
        ("no", "cannot read `no`: there is no such file"),
        ("no/a", "cannot find `no/a`: there is no such file"),
        ("dir", "cannot read `dir`: it is a directory"),
        (".", "`.` is a directory"),
        (
            "dir/a/b",
            "cannot find `dir/a/b`: a part of the path is not a directory",
        ),
        ("binary", "cannot read `binary`: it is not UTF-8 text"),
        (
            "large",
            "cannot read `large`: it is larger than 16 MiB; `from_line` and `to_line` read a part of it",
        ),
        ("pipe", "cannot read `pipe`: it is not an ordinary file"),
    ] {
        assert_eq!(bench.fails("read_file", at(path)), expected);
    }
}

#[test]
fn writing_makes_directories_and_keeps_the_mode() {
    let bench = Bench::new(&[("run.sh", "old")]);
    let script = bench.root().join("run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let write = |path: &str| json!({"path": path, "content": "new"});
    let written = bench.done("write_file", write("x/y/z.txt"));
    assert_eq!(written, json!({"path": "x/y/z.txt", "bytes": 3}));
    bench.done("write_file", write("run.sh"));
    let mode = fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(bench.read("run.sh").unwrap(), "new");
    assert_eq!(
        bench.fails("write_file", write("x/y")),
        "`x/y` is a directory, not a file"
    );
    assert_eq!(
        bench.fails("write_file", write("run.sh/a")),
        "cannot find `run.sh/a`: a part of the path is not a directory"
    );
    assert_eq!(tree(&bench.root()), ["run.sh", "x/y/z.txt"]);
}

#[test]
fn a_link_inside_is_followed_to_its_file() {
    let bench = Bench::new(&[("real/a", "old")]);
    symlink("real/a", bench.root().join("link")).unwrap();
    symlink(bench.root().join("real"), bench.root().join("absolute")).unwrap();
    bench.done("write_file", json!({"path": "link", "content": "new"}));
    assert_eq!(bench.read("real/a").unwrap(), "new");
    assert!(bench.root().join("link").is_symlink());
    assert_eq!(bench.done("read_file", at("absolute/a"))["content"], "new");
    let whole = bench.root().join("real/a");
    let whole = whole.canonicalize().unwrap();
    let read = bench.done("read_file", at(whole.to_str().unwrap()));
    assert_eq!(read["content"], "new");
}

#[test]
fn nobody_overwrites_what_nobody_agreed_to() {
    let bench = Bench::new(&[("there", "old"), ("from", "x")]);
    for (tool, args) in [
        ("write_file", json!({"path": "there", "content": "new"})),
        ("move_file", json!({"from": "from", "to": "there"})),
    ] {
        let mut call = call(tool, args);
        call.agreed = false;
        let end = bench.tools.call(&call, &StopFlag::new());
        let message = "`there` appeared just now, and no person agreed to overwrite it".to_owned();
        let transient = true;
        assert_eq!(
            end,
            CallEnd::Failed {
                message,
                transient,
                unknown: false
            }
        );
        assert_eq!(bench.read("there").unwrap(), "old");
    }
    assert_eq!(tree(&bench.root()), ["from", "there"]);
}

#[test]
fn a_directory_that_a_path_only_passes_is_not_made() {
    let bench = Bench::new(&[("there", "old")]);
    let args = json!({"path": "no/more/../../there", "content": "new"});
    bench.done("write_file", args);
    assert_eq!(bench.done("read_file", at("no/../there"))["content"], "new");
    assert_eq!(tree(&bench.root()), ["there"]);
}

#[test]
fn an_edit_replaces_what_is_there_once() {
    let bench = Bench::new(&[("a", "one two two\n")]);
    let edit = |old: &str, all: bool| json!({"path": "a", "old_text": old, "new_text": "X", "replace_all": all});
    assert_eq!(
        bench.fails("edit_file", edit("three", false)),
        "`old_text` is not in `a`"
    );
    assert_eq!(
        bench.fails("edit_file", edit("two", false)),
        "`old_text` is in `a` 2 times; make it longer, or set `replace_all`"
    );
    assert_eq!(
        bench.fails("edit_file", edit("", true)),
        "`old_text` is empty, so that it is everywhere"
    );
    assert_eq!(bench.done("edit_file", edit("one", false))["replaced"], 1);
    assert_eq!(bench.done("edit_file", edit("two", true))["replaced"], 2);
    assert_eq!(bench.read("a").unwrap(), "X X X\n");
}

#[test]
fn files_are_deleted_and_moved_and_directories_are_not() {
    let bench = Bench::new(&[("a", "a"), ("b", "b"), ("dir/c", "c")]);
    symlink("a", bench.root().join("link")).unwrap();
    assert_eq!(bench.done("delete_file", at("link")), at("link"));
    assert!(
        bench.read("a").is_some(),
        "the link is deleted, not its file"
    );
    assert_eq!(
        bench.fails("delete_file", at("dir")),
        "`dir` is a directory, not a file"
    );
    assert_eq!(
        bench.fails("delete_file", at("no")),
        "cannot delete `no`: there is no such file"
    );
    let from_to = |from: &str, to: &str| json!({"from": from, "to": to});
    bench.done("move_file", from_to("a", "new/deep/a"));
    bench.done("move_file", from_to("b", "dir/c"));
    assert_eq!(
        bench.fails("move_file", from_to("no", "x")),
        "cannot move `no`: there is no such file"
    );
    assert_eq!(
        bench.fails("move_file", from_to("dir", "x")),
        "`dir` is a directory, not a file"
    );
    assert_eq!(
        bench.fails("move_file", from_to("dir/c", "new")),
        "`new` is a directory, not a file"
    );
    assert_eq!(tree(&bench.root()), ["dir/c", "new/deep/a"]);
    assert_eq!(bench.read("dir/c").unwrap(), "b");
    bench.done("delete_file", at("dir/c"));
    assert_eq!(tree(&bench.root()), ["new/deep/a"]);
}

#[test]
fn arguments_are_checked_again() {
    let bench = Bench::new(&[]);
    assert_eq!(
        bench.fails("read_file", json!({"pth": "a"})),
        "`pth` is not taken; did you mean `path`?"
    );
    assert_eq!(
        bench.fails("write_file", json!({"path": "a", "content": {"path": "b"}})),
        "`content` must be text, not an object"
    );
    assert_eq!(
        bench.fails("read", at("a")),
        "there is no tool `read`; `signoff tools` lists them"
    );
    assert_eq!(
        bench.tools.check("read_file", &json!({})),
        ["`path` is missing"]
    );
    assert_eq!(bench.tools.check("read_file", &at("$a")), [""; 0]);
    assert_eq!(
        bench.tools.check("no.such", &json!({})),
        ["there is no tool `no.such`; `signoff tools` lists them"]
    );
}

#[test]
fn nothing_is_called_once_the_run_stops() {
    let bench = Bench::new(&[]);
    let stop = StopFlag::new();
    stop.set();
    let write = call("write_file", json!({"path": "a", "content": ""}));
    assert_eq!(bench.tools.call(&write, &stop), CallEnd::Stopped);
    assert_eq!(tree(&bench.root()), [""; 0]);
}
