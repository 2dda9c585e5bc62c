use std::os::unix::fs::symlink;

use super::*;

fn id(text: &str) -> ThreadId {
    ThreadId::new(text).unwrap()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn everything_is_private_and_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("agentflow/plans");
    let mut threads = Threads::open(&root).unwrap();
    assert!(threads.sessions.sessions.is_empty());
    let made = threads.ensure_directory(&id("s1")).unwrap();
    assert_eq!(made, root.join("s1"));
    threads
        .sessions
        .sessions
        .insert("s1".to_owned(), Session::default());
    threads.save().unwrap();
    for path in [&root, &made, &dir.path().join("agentflow")] {
        assert_eq!(mode(path), 0o700, "{}", path.display());
    }
    assert_eq!(mode(&root.join(STATE)), 0o600);
    let sessions = threads.sessions.clone();
    drop(threads);
    assert_eq!(Threads::open(&root).unwrap().sessions, sessions);
}

#[test]
fn a_directory_that_others_can_read_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let threads = Threads::open(dir.path()).unwrap();
    let path = dir.path().join("s1");
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    threads.ensure_directory(&id("s1")).unwrap();
    assert_eq!(mode(&path), 0o700);
    assert_eq!(threads.make_new(&id("s1")).unwrap(), None);
}

#[test]
fn a_link_in_the_place_of_a_thread_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join(PLAN), "x").unwrap();
    let threads = Threads::open(dir.path()).unwrap();
    symlink(elsewhere.path(), dir.path().join("s1")).unwrap();
    let made = threads.ensure_directory(&id("s1"));
    assert!(
        matches!(made, Err(ThreadsError::NoDirectory { .. })),
        "{made:?}"
    );
    let cleared = threads.clear(&id("s1"));
    assert!(
        matches!(cleared, Err(ThreadsError::NoDirectory { .. })),
        "{cleared:?}"
    );
    threads.remove(&id("s1")).unwrap();
    assert!(dir.path().join("s1").symlink_metadata().is_err());
    assert_eq!(fs::read(elsewhere.path().join(PLAN)).unwrap(), b"x");
    // A link inside is removed, and what it leads to stays.
    fs::create_dir(dir.path().join("s2")).unwrap();
    symlink(elsewhere.path(), dir.path().join("s2/tasks")).unwrap();
    assert!(!threads.is_empty(&id("s2")).unwrap());
    threads.clear(&id("s2")).unwrap();
    assert!(threads.is_empty(&id("s2")).unwrap());
    assert_eq!(fs::read(elsewhere.path().join(PLAN)).unwrap(), b"x");
}

#[test]
fn clearing_takes_the_plan_and_removing_everything() {
    let dir = tempfile::tempdir().unwrap();
    let threads = Threads::open(dir.path()).unwrap();
    let path = threads.ensure_directory(&id("s1")).unwrap();
    assert!(threads.is_empty(&id("s1")).unwrap());
    fs::create_dir(path.join(TASKS)).unwrap();
    fs::write(path.join("tasks/.keep"), "").unwrap();
    assert!(threads.is_empty(&id("s1")).unwrap());
    fs::write(path.join("tasks/01-a.md"), "").unwrap();
    assert!(!threads.is_empty(&id("s1")).unwrap());
    fs::write(path.join(PLAN), "").unwrap();
    fs::write(path.join("notes"), "").unwrap();
    threads.clear(&id("s1")).unwrap();
    assert!(threads.is_empty(&id("s1")).unwrap() && path.join("notes").exists());
    threads.remove(&id("s1")).unwrap();
    assert!(!path.exists());
    threads.remove(&id("s1")).unwrap();
    threads.clear(&id("s1")).unwrap();
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let session = |id: &str, thread: &str| {
        format!(
            r#"{{"schema":"signoff.sessions/1","sessions":{{"{id}":{{"topic":null,"committed":[],
            "threads":[{{"thread_id":"{thread}","committed":[]}}]}}}}}}"#
        )
    };
    for (text, good) in [
        (session("s1", "thread_1"), true),
        (session("..", "thread_1"), false),
        (session("s1", "../../home"), false),
        (session("s1", "/etc"), false),
        (session("s1", ""), false),
        (
            session("s1", "t").replace("sessions/1", "sessions/2"),
            false,
        ),
        (session("s1", "t").replace("topic", "toppic"), false),
        ("{".to_owned(), false),
        (String::new(), false),
    ] {
        fs::write(dir.path().join(STATE), &text).unwrap();
        let opened = Threads::open(dir.path());
        let broken = matches!(opened, Err(ThreadsError::Broken { .. }));
        assert_eq!(opened.is_ok(), good, "{text}");
        assert_eq!(broken, !good, "{text}");
    }
}

#[test]
fn the_stored_sample_can_be_read() {
    let sample = include_bytes!("../../tests/samples/sessions-v1.json");
    let sessions = read(sample).unwrap();
    let session = &sessions.sessions["01950f64-7c1a"];
    assert_eq!(session.topic.as_deref(), Some("Authentication"));
    assert_eq!(session.threads[0].thread_id, "thread_0badcafe");
    assert_eq!(session.committed[0].workspace, "/work/shop");
    let again = serde_json::to_vec_pretty(&sessions).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&again),
        String::from_utf8_lossy(sample).trim_end()
    );
}
