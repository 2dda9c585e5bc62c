use std::fs;
use std::os::unix::fs::PermissionsExt;

use signoff_sandbox::{ExitStatus, Limits, Sandbox, Stdin};
use tempfile::TempDir;

use super::*;

fn environment(more: &[(&str, &str)]) -> Variables {
    let path = [("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8")];
    let all = path.iter().chain(more);
    all.map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// A tree with programs that are none.
fn tree() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text, mode) in [
        ("script", "#!/bin/sh\necho script $0 $@\n", 0o755),
        ("no-interpreter", "#!/no/such/program\n", 0o755),
        ("headless", "echo $BASH_VERSION; exit 3\n", 0o755),
        ("not-executable", "#!/bin/sh\n", 0o644),
        ("empty", "", 0o755),
        (
            "wrong-machine",
            "\x7fELF\x01\x01\x01 and so on and on",
            0o755,
        ),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    dir
}

/// How it ended, what it printed, and its messages.
fn run(argv: Vec<OsString>, env: Variables, cwd: &Path) -> (ExitStatus, String, String) {
    let limits = Limits {
        time: None,
        output: 1 << 20,
        log: 0,
    };
    let command = signoff_sandbox::Command {
        argv,
        cwd: cwd.to_owned(),
        env,
        stdin: Stdin::Null,
        marker: None,
        limits,
        log: None,
        policy: None,
        mounts: None,
    };
    let ended = Sandbox::new().unwrap().run(command).unwrap();
    (ended.status, ended.stdout.text(), ended.stderr.text())
}

/// Runs a text in both ways, and says whether it is plain.
#[track_caller]
fn check(text: &str, is_plain: bool) {
    let (tree, env) = (tree(), environment(&[]));
    let direct = parse_plain(text, "bash", tree.path(), &env);
    assert_eq!(direct.is_some(), is_plain, "`{text}`");
    let by_shell = ["bash", "-c", text].map(OsString::from).to_vec();
    let expected = run(by_shell, env, tree.path());
    if let Some((argv, env)) = direct {
        assert_eq!(run(argv, env, tree.path()), expected, "`{text}`");
    }
}

#[test]
fn plain_commands_do_what_bash_does() {
    for text in [
        "true",
        "false",
        ":",
        "/bin/true",
        "/usr/bin/false",
        " /usr/bin/echo a  b \n",
        "/usr/bin/test -f script",
        "/usr/bin/test -f missing",
        "ls",
        "ls -l --color=never missing",
        "grep -c echo script headless",
        "cat script ./headless",
        "env --null true",
        "expr 1 + 1",
        "expr 0",
        "sleep 0",
        "timeout 5 false",
        "cat /proc/self/cmdline",
        "readlink /proc/self/cwd",
        "printenv SHLVL PWD _ OLDPWD PATH",
        "git --version",
        "sh script",
        "sha256sum empty",
        "cut -d: -f1 /etc/passwd",
        "date +%Y",
        "basename /a/b@c,d.e",
    ] {
        check(text, true);
    }
}

#[test]
fn everything_else_goes_to_the_shell() {
    for text in [
        "",
        " ",
        "true x",
        "false x",
        ": x",
        "echo a",
        "test -f script",
        "[ -f script ]",
        "printf %s a",
        "pwd",
        "kill -l",
        "exit 3",
        "exec ls",
        "command ls",
        "time true",
        "cd /",
        "type ls",
        "A=1 ls",
        "A=1",
        "ls; true",
        "ls && true",
        "ls & true",
        "! false",
        "ls | cat",
        "ls > out",
        "ls *",
        "ls ?",
        "ls [a]",
        "ls ~",
        "ls {a,b}",
        "ls $HOME",
        "ls `true`",
        "ls 'a'",
        "ls \"a\"",
        "ls \\a",
        "ls # all",
        "ls\ntrue",
        "ls\ttrue",
        "ls é",
        "missing",
        "./missing",
        "/",
        "-x",
        "./script a",
        "./no-interpreter",
        "./headless",
        "./not-executable",
        "./empty",
        "./wrong-machine",
    ] {
        check(text, false);
    }
}

#[test]
fn all_that_bash_knows_by_itself_is_left_to_it() {
    let asked = ["bash", "-c", "compgen -bk"].map(OsString::from).to_vec();
    let (_, listed, _) = run(asked, environment(&[]), Path::new("/"));
    assert!(listed.contains("printf"), "{listed}");
    for word in listed.lines() {
        let plain = parse_plain(
            &format!("{word} x"),
            "bash",
            Path::new("/"),
            &environment(&[]),
        );
        assert_eq!(plain, None, "{word}");
        let known = is_part_of_bash(word) || plain_words(word).is_none();
        assert!(known, "{word}");
    }
}

#[test]
fn other_shells_and_variables_that_bash_listens_to_are_left_alone() {
    let cwd = Path::new("/");
    let is_plain = |shell: &str, more: &[(&str, &str)]| {
        parse_plain("/bin/true", shell, cwd, &environment(more)).is_some()
    };
    assert!(is_plain("bash", &[("HOME", "/root"), ("TERM", "dumb")]));
    for shell in ["sh", "zsh", "/bin/bash", "bash --posix"] {
        assert!(!is_plain(shell, &[]), "{shell}");
    }
    for name in [
        "BASH_ENV",
        "BASH_FUNC_ls%%",
        "SHELLOPTS",
        "PWD",
        "SHLVL",
        "_",
        "LC_ALL",
        "a.b",
    ] {
        assert!(!is_plain("bash", &[(name, "x")]), "{name}");
    }
}

#[test]
fn the_first_program_in_the_path_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy("/bin/true", dir.path().join("mine")).unwrap();
    fs::write(dir.path().join("ls"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(dir.path().join("ls"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin", dir.path().display());
    let env = vec![("PATH".into(), OsString::from(path))];
    let cwd = Path::new("/");
    let (argv, given) = parse_plain("mine", "bash", cwd, &env).unwrap();
    assert_eq!(argv, ["mine"]);
    let mine = dir.path().join("mine").into_os_string();
    assert!(given.contains(&("_".into(), mine)), "{given:?}");
    assert_eq!(
        parse_plain("ls", "bash", cwd, &env),
        None,
        "a script comes first"
    );
    assert_eq!(
        parse_plain("mine", "bash", cwd, &[]),
        None,
        "nobody knows where to look"
    );
}
