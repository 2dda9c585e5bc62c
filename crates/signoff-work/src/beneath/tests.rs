use std::fs;
use std::os::unix::fs::symlink;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::*;

/// `outer/root`, with a secret beside it.
fn world() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("root");
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/b/file"), "text").unwrap();
    fs::write(outer.path().join("secret"), "secret").unwrap();
    (outer, root)
}

fn read(root: &Path, path: &str, links: Links) -> Result<String, String> {
    let directory = Directory::open(root).unwrap();
    let read = directory.read(Path::new(path), links, 100);
    read.map(|bytes| String::from_utf8(bytes).unwrap())
        .map_err(|error| error.to_string())
}

pub(crate) fn make_pipe(path: &Path) {
    let mode = Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(CWD, path, FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn links_are_followed_inside_only_or_not_at_all() {
    let (outer, root) = world();
    for (target, name) in [
        ("b/file".into(), "a/inside"),
        (root.join("a"), "absolute"),
        ("../secret".into(), "out"),
        (outer.path().join("secret"), "far"),
        ("..".into(), "a/up"),
        ("loop".into(), "loop"),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    for (path, expected) in [
        ("a/b/file", Ok("text")),
        ("./a/../a/b/file", Ok("text")),
        ("none/../a/b/file", Ok("text")),
        ("a/none/more/../../b/file", Ok("text")),
        // Through a link, `..` is above what it leads to.
        ("absolute/none/../b/file", Ok("text")),
        ("none/../../secret", Err("outside")),
        ("none/../out", Err("outside")),
        ("none/more/../file", Err("No such file")),
        ("a/inside", Ok("text")),
        ("absolute/b/file", Ok("text")),
        ("a/up/a/inside", Ok("text")),
        ("a/up/../secret", Err("outside")),
        ("out", Err("outside")),
        ("far", Err("outside")),
        ("../secret", Err("outside")),
        ("/etc/passwd", Err("outside")),
        ("loop", Err("too many")),
        ("a", Err("directory")),
        ("none", Err("No such file")),
    ] {
        let found = read(&root, path, Links::Inside);
        match expected {
            Ok(text) => assert_eq!(found.as_deref(), Ok(text), "{path}"),
            Err(part) => assert!(found.clone().unwrap_err().contains(part), "{found:?}"),
        }
    }
    for path in ["a/inside", "absolute/b/file", "out"] {
        let found = read(&root, path, Links::Refuse);
        assert!(found.unwrap_err().contains("symbolic link"), "{path}");
    }
    assert!(Directory::open(&root.join("absolute")).is_err());
}

/// Control: `fs::read` of the same pipe never returns.
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let (_outer, root) = world();
    let pipe = root.join("pipe");
    make_pipe(&pipe);
    symlink("pipe", root.join("link")).unwrap();
    symlink("/dev/zero", root.join("zero")).unwrap();
    for path in ["pipe", "link"] {
        let found = read(&root, path, Links::Inside);
        assert!(found.unwrap_err().contains("ordinary file"), "{path}");
    }
    assert!(read(&root, "zero", Links::Inside).is_err());
    let (send, receive) = channel();
    let path = pipe.clone();
    std::thread::spawn(move || send.send(fs::read(path).is_ok()));
    assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
    // Ends the thread.
    drop(fs::OpenOptions::new().write(true).open(pipe).unwrap());
}

#[test]
fn holes_and_growth_end_at_the_limit() {
    let (_outer, root) = world();
    let holes = root.join("holes");
    let file = File::create(&holes).unwrap();
    file.set_len(1 << 40).unwrap();
    assert!(
        read(&root, "holes", Links::Refuse)
            .unwrap_err()
            .contains("larger than 100")
    );
    // It had no bytes when its size was asked for: /proc never tells sizes.
    let grown = File::open("/proc/self/status").unwrap();
    assert_eq!(grown.metadata().unwrap().len(), 0);
    assert!(matches!(
        read_whole(grown, 100),
        Err(OpenError::TooLarge { limit: 100 })
    ));
}

#[test]
fn names_are_bytes_and_counted() {
    let (_outer, root) = world();
    let odd = OsStr::from_bytes(b"\xff\n");
    fs::write(root.join(odd), "").unwrap();
    let directory = Directory::open(&root).unwrap();
    let mut names = directory.names(2).unwrap();
    names.sort();
    assert_eq!(names, [OsStr::new("a"), odd]);
    assert!(matches!(
        directory.names(1),
        Err(OpenError::TooMany { limit: 1 })
    ));
    let inner = directory.directory(Path::new("a/b")).unwrap();
    assert_eq!(inner.names(9).unwrap(), ["file"]);
}
