//! Logins that an agent renews in the sandbox.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use signoff_testkit::{Output, Project};

use crate::support::BINARY;

const LOGIN: &str = r#"{"refresh":"token-1","expires":1}"#;

struct World {
    project: Project,
}

impl World {
    /// An agent that is a shell, with a login of the person's and these steps.
    fn new(tasks: &[&str]) -> Self {
        let project = Project::new(BINARY).confined();
        let config = "[agents.default]\ndriver = 'command'\ncommand = ['bash', '-c', '{task}']\nlogin = ['~/.my-agent/auth.json']\n";
        for (file, text) in [
            (".config/signoff/config.toml", config),
            (".my-agent/auth.json", LOGIN),
        ] {
            let path = project.home().join(file);
            fs::create_dir_all(path.parent().expect("it is in the home")).expect("a home");
            fs::write(path, text).expect("a home");
        }
        project.write(".signoff/.keep", "");
        let steps = tasks.iter().zip(1..).map(|(task, number)| {
            format!("### {number}. S{number}\n\n**target:** default\n**task:**\n{task}\n**contract:**\n```bash\ntest -s out{number}\n```\n**on_fail:** abort\n\n")
        });
        let steps: String = steps.collect();
        project.write(
            "plan.md",
            &format!(
                "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n## Steps\n\n{steps}"
            ),
        );
        let world = Self { project };
        fs::set_permissions(world.path(), fs::Permissions::from_mode(0o600)).expect("a home");
        world
    }

    fn path(&self) -> PathBuf {
        self.project.home().join(".my-agent/auth.json")
    }

    fn login(&self) -> String {
        fs::read_to_string(self.path()).expect("a login")
    }

    fn run(&self) -> Output {
        self.project.signoff(["run", "plan.md", "--approve"])
    }
}

#[test]
fn a_renewed_login_is_the_persons_and_the_next_agents() {
    let renew = r"cd ~/.my-agent && sed 's/token-1/token-2/; s/:1}/:2}/' auth.json > new && mv new auth.json && cd - && echo x > out1";
    let world = World::new(&[renew, "cat ~/.my-agent/auth.json > out2"]);
    let ran = world.run();
    ran.assert_success();
    let renewed = LOGIN.replace('1', "2");
    assert_eq!(world.login(), renewed);
    assert_eq!(world.project.read("out2"), renewed);
    assert!(!ran.stderr.contains("login"), "{ran}");
    let mode = fs::metadata(world.path()).expect("a login").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let beside = fs::read_dir(world.project.home().join(".my-agent")).expect("a folder");
    assert_eq!(beside.count(), 1);
}

/// The agent waits until its login is written back while it works: it ends only then.
#[test]
fn a_login_is_written_back_while_the_agent_works() {
    let wait = r"until grep -q token-3 ~/.my-agent/auth.json; do sleep 0.05; done; echo x > out1";
    let renew =
        format!(r#"echo '{{"refresh":"token-2","expires":2}}' > ~/.my-agent/auth.json; {wait}"#);
    let world = World::new(&[&renew]);
    let person = world.path();
    std::thread::scope(|scope| {
        // The person's own tool finds the agent's login, and renews it in turn.
        scope.spawn(|| {
            while !fs::read_to_string(&person)
                .expect("a login")
                .contains("token-2")
            {
                std::thread::yield_now();
            }
            fs::write(&person, r#"{"refresh":"token-3","expires":3}"#).expect("a login");
        });
        world.run().assert_success();
    });
    assert!(world.login().contains("token-3"), "{}", world.login());
}

#[test]
fn what_is_not_a_login_any_more_is_not_written_back_and_said() {
    for broken in [
        "echo '{' >",
        "echo '{\"refresh\":7,\"expires\":2}' >",
        "ln -sf /etc/passwd",
    ] {
        let world = World::new(&[&format!("{broken} ~/.my-agent/auth.json; echo x > out1")]);
        let ran = world.run();
        ran.assert_success()
            .assert_stderr_contains("an agent changed its login")
            .assert_stderr_contains(".my-agent/auth.json, which was not written back: its copy");
        assert_eq!(world.login(), LOGIN, "{broken}");
        assert!(!ran.stderr.contains("token-"), "{ran}");
    }
}

/// At once after its end, before anything looked at the agent's copy.
#[test]
fn what_an_agent_renewed_before_a_crash_is_written_back_by_the_next_command() {
    let world = World::new(&[
        r#"echo '{"refresh":"token-2","expires":2}' > ~/.my-agent/auth.json; echo x > out1"#,
    ]);
    world
        .project
        .signoff(["approve", "plan.md"])
        .assert_success();
    let variables = [("SIGNOFF_FAILPOINT", "work.ended:1")];
    let killed = world.project.signoff_with(&variables, ["run", "plan.md"]);
    assert_eq!(killed.code, None, "{killed}");
    // What the watcher did before the crash is undone: the copy is all that is left.
    fs::write(world.path(), LOGIN).expect("a login");
    let resume = world.project.signoff(["abort"]);
    resume.assert_success();
    assert!(
        world.login().contains("token-2"),
        "{} {resume}",
        world.login()
    );
}
