use super::*;

#[track_caller]
fn refused(text: &str, reason: &str) {
    let refusal = read_only(text).expect_err(text);
    assert_eq!(refusal.to_string(), reason);
}

#[test]
fn a_refusal_is_one_line_that_says_why() {
    refused("ls; frobnicate x", "`frobnicate` is not known to only read");
    refused("git frob x", "`git frob` is not known to only read");
    refused(
        "cat a | git log --output=x",
        "`git log --output=x`: `--output=x` writes or deletes files",
    );
    refused(
        "find . -exec x {} +",
        "`find . -exec x {} +`: `-exec` runs other commands",
    );
    refused("ls > f", "`ls > f`: `> f` writes or deletes files");
    refused("sleep 9 &", "`sleep 9`: `&` goes on in the background");
    refused(
        "sort $x",
        "`sort $x`: what `$x` becomes is not known beforehand",
    );
    refused(
        "sort --foo",
        "`sort --foo`: `--foo` is not known to only read",
    );
    refused(
        "PATH=. ls",
        "`PATH=. ls`: `PATH` changes what later commands do",
    );
    refused(
        "gzip a",
        "`gzip a` is not known to only read without `-c`, `-l` or `-t`",
    );
    refused("ls 'a", "the command cannot be read: `ls 'a`");
}

#[test]
fn no_program_is_listed_twice() {
    let mut names = read_only_programs();
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn what_stands_in_itself_again_and_again_is_refused() {
    let sums = format!("echo {}1{}", "$((".repeat(20_000), "))".repeat(20_000));
    assert!(read_only(&sums).is_err());
    let nested = |times| {
        read_only(&format!(
            "{}ls{}",
            "echo $(".repeat(times),
            ")".repeat(times)
        ))
    };
    assert!(nested(9).is_ok());
    assert!(nested(20_000).is_err());
    let braces = format!("echo {}x{}", "${a:-".repeat(20_000), "}".repeat(20_000));
    assert!(read_only(&braces).is_err());
    assert!(read_only(&format!("{}ls", "timeout 5 ".repeat(9))).is_ok());
    assert!(read_only(&format!("{}ls", "timeout 5 ".repeat(11_000))).is_err());
}
