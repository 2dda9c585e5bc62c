//! A limit on memory holds for all processes of a command together.

use std::path::Path;

use signoff_sandbox::{ExitStatus, Level, MemoryScope, Policy, Sandbox, memory_scope};

use crate::processes::shell::bash;

/// Each takes less than the limit, and keeps it until one of them is killed, which the shell reports.
const HOARD: &str = "for i in 1 2 3 4; do \
     ( x=$(head -c 30000000 /dev/zero | tr '\\0' x); sleep 1000 ) & done; wait -n; echo $?";

#[test]
fn a_tree_that_takes_too_much_is_ended() {
    if memory_scope() == MemoryScope::EachProcess {
        return; // Nothing to try: no group can be made here.
    }
    for level in [Level::Namespaces, Level::Landlock, Level::None] {
        let mut command = bash(HOARD);
        command.policy = Some(Policy {
            memory: Some(100 << 20),
            ..Policy::default()
        });
        let ended = Sandbox::with_level(level).unwrap().run(command).unwrap();
        assert_eq!(
            (ended.status, ended.stdout.text().as_str()),
            (ExitStatus::Exited(0), "137\n"),
            "{level}: {}",
            ended.stderr.text()
        );
        assert_eq!(groups(), 0, "{level}: the group is removed");
    }
}

/// How many groups of this process there are.
fn groups() -> usize {
    fn count(directory: &Path, name: &str) -> usize {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        directories
            .map(|entry| {
                let found = entry.file_name().to_string_lossy().starts_with(name);
                usize::from(found) + count(&entry.path(), name)
            })
            .sum()
    }
    let name = format!("signoff-memory-{}-", std::process::id());
    count(Path::new("/sys/fs/cgroup"), &name)
}
