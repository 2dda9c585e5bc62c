mod four_agents;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::lock::lock_path;
use super::*;
use crate::confine::requirements::Login;

/// A person's home with a login, and agents with copies of it.
struct World {
    root: tempfile::TempDir,
    keeper: LoginKeeper,
}

/// A login of which this many renewals are known.
fn login(number: u32) -> String {
    format!(r#"{{"refresh":"token-{number}","expires":{number}}}"#)
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let locks = root.path().join("state/logins");
        // Nobody waits for the watcher in these tests: each looks when it wants to.
        let keeper = LoginKeeper::with_patience(Some(locks), Duration::ZERO);
        keeper.watcher.set(None).unwrap();
        let world = Self { root, keeper };
        fs::create_dir(world.root.path().join("home")).unwrap();
        fs::write(world.person(), login(1)).unwrap();
        fs::set_permissions(world.person(), fs::Permissions::from_mode(0o600)).unwrap();
        world
    }

    fn locks(&self) -> PathBuf {
        self.root.path().join("state/logins")
    }

    fn person(&self) -> PathBuf {
        self.root.path().join("home/auth.json")
    }

    fn persons_login(&self) -> String {
        fs::read_to_string(self.person()).unwrap()
    }

    /// Where an agent of this name has its copy.
    fn copy(&self, agent: &str) -> PathBuf {
        self.root.path().join(agent).join("own/auth.json")
    }

    fn start(&self, agent: &str) -> KeptLogins {
        self.keeper.keep(&self.hand_over(agent, Shape::AnyObject))
    }

    /// Gives an agent its copy.
    fn hand_over(&self, agent: &str, shape: Shape) -> Vec<LoginCopy> {
        let bytes = fs::read(self.person()).unwrap();
        let copy = self.copy(agent);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::write(&copy, &bytes).unwrap();
        let login = Login {
            from: self.person(),
            to: "own/auth.json".into(),
            renewed: Some(shape),
            text: None,
        };
        let location = CopyLocation::InHome {
            home: self.root.path().join(agent),
            path: "own/auth.json".into(),
        };
        LoginCopy::of(&login, location, bytes).into_iter().collect()
    }

    fn look(&self) {
        self.keeper.shared.synchronize_all();
    }

    fn note(&self) -> String {
        self.keeper.notes().join("\n")
    }
}

#[test]
fn a_renewed_login_reaches_the_person_and_the_other_agents() {
    let world = World::new();
    let agents = [world.start("a"), world.start("b")];
    fs::write(world.copy("a"), login(2)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(2));
    assert_eq!(fs::read_to_string(world.copy("b")).unwrap(), login(2));
    // And back again, since each was given something else meanwhile.
    fs::write(world.copy("b"), login(3)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(3));
    assert_eq!(fs::read_to_string(world.copy("a")).unwrap(), login(3));
    drop(agents);
    assert_eq!(world.note(), "");
    let mode = fs::metadata(world.person()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let names = fs::read_dir(world.person().parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1);
}

#[test]
fn what_was_renewed_last_is_written_at_the_end() {
    let world = World::new();
    let (a, _b) = (world.start("a"), world.start("b"));
    fs::write(world.copy("a"), login(2)).unwrap();
    drop(a);
    assert_eq!(world.persons_login(), login(2));
    assert_eq!(fs::read_to_string(world.copy("b")).unwrap(), login(2));
}

#[test]
fn what_the_person_renews_reaches_the_agents() {
    let world = World::new();
    let agent = world.start("a");
    fs::write(world.person(), login(2)).unwrap();
    world.look();
    assert_eq!(fs::read_to_string(world.copy("a")).unwrap(), login(2));
    // Half a file does not.
    fs::write(world.person(), &login(3)[..9]).unwrap();
    world.look();
    assert_eq!(fs::read_to_string(world.copy("a")).unwrap(), login(2));
    drop(agent);
    assert_eq!(world.note(), "");
}

#[test]
fn of_two_renewals_the_newer_one_stays() {
    let world = World::new();
    let agent = world.start("a");
    fs::write(world.copy("a"), login(5)).unwrap();
    fs::write(world.person(), login(4)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(5));
    fs::write(world.copy("a"), login(6)).unwrap();
    fs::write(world.person(), login(7)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(7));
    assert_eq!(fs::read_to_string(world.copy("a")).unwrap(), login(7));
    // Where no time is known, the person's stays.
    let timeless = |token: &str| format!(r#"{{"refresh":"{token}","expires":"soon"}}"#);
    fs::write(world.person(), timeless("person")).unwrap();
    fs::write(world.copy("a"), timeless("agent").replace("soon", "")).unwrap();
    drop(agent);
    assert_eq!(world.persons_login(), timeless("person"));
}

#[test]
fn what_is_not_a_renewed_login_is_not_written_back() {
    for broken in ["", "{", "[]", "{}", r#"{"refresh":"2"}"#, "\0\0"] {
        let world = World::new();
        let agent = world.start("a");
        fs::write(world.copy("a"), broken).unwrap();
        world.look();
        assert_eq!(world.note(), "", "it may still be writing");
        drop(agent);
        assert_eq!(world.persons_login(), login(1), "{broken}");
        let note = world.note();
        assert!(note.contains("of the same shape"), "{broken}: {note}");
        assert!(note.contains("home/auth.json"), "{note}");
        assert!(!note.contains("token-"), "{note}");
    }
}

#[test]
fn a_login_that_was_written_in_two_parts_is_written_back() {
    let world = World::new();
    let agent = world.start("a");
    fs::write(world.copy("a"), &login(2)[..12]).unwrap();
    world.look();
    fs::write(world.copy("a"), login(2)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(2));
    drop(agent);
    assert_eq!(world.note(), "");
}

#[test]
fn a_copy_that_is_no_ordinary_file_is_not_read() {
    let large = login(2) + &" ".repeat(1 << 20);
    let world = World::new();
    let secret = world.root.path().join("secret.json");
    fs::write(&secret, login(2)).unwrap();
    let tamper: [&dyn Fn(&Path); 5] = [
        &|copy| fs::write(copy, &large).unwrap(),
        &|copy| {
            fs::remove_file(copy).unwrap();
            symlink(&secret, copy).unwrap();
        },
        &|copy| {
            fs::remove_file(copy).unwrap();
            crate::beneath::make_pipe(copy);
        },
        &|copy| {
            fs::remove_dir_all(copy.parent().unwrap()).unwrap();
            symlink(world.root.path().join("home"), copy.parent().unwrap()).unwrap();
        },
        &|copy| fs::remove_file(copy).unwrap(),
    ];
    for (number, tamper) in tamper.into_iter().enumerate() {
        let name = format!("agent-{number}");
        let agent = world.start(&name);
        tamper(&world.copy(&name));
        // Nothing is put where the agent's links lead.
        fs::write(world.person(), login(3)).unwrap();
        world.look();
        assert_eq!(fs::read_to_string(&secret).unwrap(), login(2));
        fs::write(world.person(), login(1)).unwrap();
        drop(agent);
        assert_eq!(world.persons_login(), login(1), "{number}");
    }
    assert!(
        world.note().contains("removed its copy"),
        "{}",
        world.note()
    );
    assert_eq!(world.keeper.notes().len(), 4);
}

#[test]
fn a_login_behind_a_link_stays_behind_it() {
    let world = World::new();
    let target = world.root.path().join("dotfiles.json");
    fs::rename(world.person(), &target).unwrap();
    symlink(&target, world.person()).unwrap();
    let agent = world.start("a");
    fs::write(world.copy("a"), login(2)).unwrap();
    world.look();
    assert!(world.person().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), login(2));
    // A link that leads elsewhere now is not followed.
    let other = world.root.path().join("other.json");
    fs::write(&other, login(2)).unwrap();
    fs::remove_file(world.person()).unwrap();
    symlink(&other, world.person()).unwrap();
    fs::write(world.copy("a"), login(3)).unwrap();
    drop(agent);
    assert_eq!(fs::read_to_string(&other).unwrap(), login(2));
    assert_eq!(fs::read_to_string(&target).unwrap(), login(2));
    assert!(world.note().contains("was moved"), "{}", world.note());
}

#[test]
fn a_login_that_is_gone_or_read_only_stays_so() {
    let world = World::new();
    let agent = world.start("a");
    fs::write(world.copy("a"), login(2)).unwrap();
    fs::set_permissions(world.person(), fs::Permissions::from_mode(0o400)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(1));
    drop(agent);
    assert!(world.note().contains("read-only"), "{}", world.note());
    let agent = world.start("b");
    fs::write(world.copy("b"), login(2)).unwrap();
    fs::remove_file(world.person()).unwrap();
    drop(agent);
    assert!(!world.person().exists());
    assert!(world.note().contains("is gone"), "{}", world.note());
}

#[test]
fn nothing_is_written_while_another_process_holds_the_lock() {
    let world = World::new();
    let agent = world.start("a");
    fs::create_dir_all(world.locks()).unwrap();
    let person = world.person().canonicalize().unwrap();
    let lock = fs::File::create(lock_path(&world.locks(), &person)).unwrap();
    // As another process would: the lock belongs to this opening of the file.
    lock.lock().unwrap();
    fs::write(world.copy("a"), login(2)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(1));
    lock.unlock().unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(2));
    lock.lock().unwrap();
    fs::write(world.copy("a"), login(3)).unwrap();
    drop(agent);
    assert_eq!(world.persons_login(), login(2));
    assert!(world.note().contains("holds its lock"), "{}", world.note());
}

#[test]
fn a_file_that_is_no_object_is_left_alone() {
    let world = World::new();
    fs::write(world.person(), "key = secret").unwrap();
    let agent = world.start("a");
    fs::write(world.copy("a"), login(2)).unwrap();
    drop(agent);
    assert_eq!(world.persons_login(), "key = secret");
    assert_eq!(world.note(), "");
}

#[test]
fn a_file_that_is_mounted_is_written_back_and_not_replaced() {
    let world = World::new();
    let file = world.root.path().join("files-0");
    fs::write(&file, login(1)).unwrap();
    let copy = LoginCopy {
        from: world.person(),
        location: CopyLocation::Mounted { file: file.clone() },
        shape: Shape::AnyObject,
        bytes: login(1).into(),
    };
    let agent = world.keeper.keep(&[copy]);
    fs::write(&file, login(2)).unwrap();
    world.look();
    assert_eq!(world.persons_login(), login(2));
    fs::write(world.person(), login(3)).unwrap();
    world.look();
    assert_eq!(fs::read_to_string(&file).unwrap(), login(2));
    drop(agent);
    assert_eq!(world.persons_login(), login(3));
    assert_eq!(world.note(), "");
}

#[test]
fn no_secret_is_in_what_is_printed() {
    let world = World::new();
    let agent = world.start("a");
    let text = format!("{:?} {:?}", world.keeper, agent);
    assert!(!text.contains("token-1"), "{text}");
    let bytes = format!("{:?}", login(1).as_bytes());
    assert!(!text.contains(bytes.trim_matches(['[', ']'])), "{text}");
}
