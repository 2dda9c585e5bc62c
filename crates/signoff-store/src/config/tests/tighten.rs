//! What a project and the environment may change, and what not.

use super::*;

#[test]
fn a_user_may_loosen_and_a_project_may_not() {
    let user = "[approval]\nrequired = false\nproof = 'terminal'\nminimum = 'terminal'\nthen_run = true\nallowed_signers = '~/s'\n";
    let config = load(user, "").unwrap();
    assert!(!config.approval.required.value && config.approval.then_run.value);
    let home = Some(std::path::Path::new("/home/ada"));
    let signers = config.approval.signers_file(home);
    assert_eq!(signers, Some(PathBuf::from("/home/ada/s")));
    let tighter = load(
        user,
        "[approval]\nrequired = true\nproof = 'key'\nminimum = 'terminal'\nthen_run = false\n",
    )
    .unwrap();
    assert!(tighter.approval.required.value && !tighter.approval.then_run.value);
    assert_eq!(tighter.approval.required_proof(), Proof::Key);
    assert_eq!(
        load(
            user,
            "[approval]\nproof = 'any'\nallowed_signers = '/mine'\nminimum = 'any'\n"
        )
        .unwrap_err(),
        [
            "project.toml:2:9: a project cannot loosen `[approval] proof` from `terminal` (user.toml:3:9) to `any`; only your own configuration can",
            "project.toml:3:19: a project cannot loosen `[approval] allowed_signers` from `~/s` (user.toml:6:19) to `/mine`; only your own configuration can",
            "project.toml:4:11: a project cannot loosen `[approval] minimum` from `terminal` (user.toml:4:11) to `any`; only your own configuration can",
        ]
    );
    check(
        "[approval]\nrequired = false\nthen_run = true\n",
        &[
            "2:12: a project cannot loosen `[approval] required` from `true` (built-in) to `false`; only your own configuration can",
            "3:12: a project cannot loosen `[approval] then_run` from `false` (built-in) to `true`; only your own configuration can",
        ],
    );
}

#[test]
fn a_project_may_refuse_what_nobody_verifies_and_not_let_it_in() {
    let refuse = "contract = { unverified = 'refuse', accept = 'step' }";
    let config = load("", refuse).unwrap();
    assert_eq!(config.contract.unverified.value, UnverifiedPolicy::Refuse);
    assert_eq!(config.contract.accept.value, AcceptTime::Step);
    assert_eq!(
        load(refuse, "contract = { unverified = 'ask', accept = 'end' }").unwrap_err(),
        [
            "project.toml:1:27: a project cannot loosen `[contract] unverified` from `refuse` (user.toml:1:27) to `ask`; only your own configuration can"
        ]
    );
    check(
        "contract.accept = 'never'",
        &["1:19: `never` is not among the choices `end` and `step`"],
    );
}

#[test]
fn a_project_can_only_narrow_policies() {
    let user = "approval.auto = [{ owner = 'bot', tools = ['read_file', 'write_file'] }]";
    let narrow = "approval.auto = [{ owner = 'bot', tools = ['read_file'], title = 'x' }]";
    assert_eq!(load(user, narrow).unwrap().approval.auto.value.len(), 1);
    assert!(load(user, "approval.auto = []").is_ok());
    let wide = load(user, "approval.auto = [{ owner = 'bot' }]").unwrap_err();
    assert_eq!(
        wide,
        [
            r#"project.toml:1:17: a project cannot loosen `[approval] auto` from `[{"owner":"bot","tools":["read_file","write_file"]}]` (user.toml:1:17) to `[{"owner":"bot"}]`; only your own configuration can"#
        ]
    );
    check(
        "approval.auto = [{}, 'bot', { ower = 'x' }]",
        &[
            "1:18: a policy without a condition would sign everything; give it one, or write `required = false` if you mean that",
            "1:22: expected a policy like `{ owner = \"bot\" }`, found a string",
            "1:29: a policy without a condition would sign everything; give it one, or write `required = false` if you mean that",
            "1:31: unknown key `ower` in `[approval.auto]`, which has `owner`, `dialect`, `title` and `tools`; did you mean `owner`?",
        ],
    );
}

#[test]
fn a_pi_store_has_its_own_file_and_runs_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| Some(dir.path().join(name));
    fs::write(dir.path().join("user.toml"), "plans.stale_after_days = 9").unwrap();
    fs::write(
        dir.path().join("plans.json"),
        r#"{"stale_after_days": 7, "executor_timeout_minutes": 5}"#,
    )
    .unwrap();
    let project = dir.path().join("project.toml");
    fs::write(&project, "plans.executor_timeout_minutes = 6").unwrap();
    let layers = Layers {
        home: None,
        pi_store: true,
        user: path("user.toml"),
        pi: path("plans.json"),
        project: path("project.toml"),
        environment: [("SIGNOFF_PLANS_MAX_REJECTIONS".into(), "2".into())].into(),
    };
    let Config {
        plans, approval, ..
    } = Config::load(&layers).unwrap();
    assert_eq!(plans.stale_after_days.value, 7);
    assert_eq!(plans.executor_timeout_minutes.value, 6);
    assert_eq!(plans.max_rejections.value, 2);
    assert!(approval.then_run.value);
    assert_eq!(approval.then_run.origin, Origin::BuiltIn);
    fs::write(&project, "approval.then_run = true").unwrap();
    assert!(Config::load(&layers).is_ok());
}

#[test]
fn problems_of_files_and_variables_come_together() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("project.toml");
    fs::write(&project, "approval.proof = 'key'\nrun.backof = '1s'").unwrap();
    let layers = Layers {
        project: Some(project),
        environment: [("SIGNOFF_APPROVAL_PROOF".into(), "any".into())].into(),
        ..Layers::default()
    };
    let problems = Config::load(&layers).unwrap_err().problems;
    assert_eq!(problems.len(), 2, "{problems:?}");
    let last = problems[1].to_string();
    assert!(
        last.contains("from `key` (") && last.contains("project.toml:1:18) to `any`"),
        "{last}"
    );
}

#[test]
fn only_a_user_hands_logins_and_variables_to_an_agent() {
    let user = "sandbox.env = ['PATH', 'SHARED']\n[agents.coder]\ndriver = 'command'\ncommand = ['x']\nlogin = ['~/.x/auth.json', '~/.x/auth.json']\nenv = ['X_KEY']\n";
    let config = load(user, "").unwrap();
    let agent = &config.agents["coder"].value;
    assert_eq!(agent.login, ["~/.x/auth.json"]);
    assert_eq!(agent.env, ["X_KEY"]);
    // A project's agent of that name has only what the project may give.
    let theirs = "[agents.coder]\ndriver = 'command'\ncommand = ['y']\n";
    let given = format!("{theirs}env = ['SHARED']\n[sandbox]\nenv = ['PATH']\n");
    let config = load(user, &given).unwrap();
    assert_eq!(config.agents["coder"].value.env, ["SHARED"]);
    assert!(config.agents["coder"].value.login.is_empty());
    let greedy = format!("{theirs}env = ['X_KEY', 'PATH']\nlogin = ['~/.ssh/id']\n");
    assert_eq!(
        load(user, &greedy).unwrap_err(),
        [
            "project.toml:4:8: a project cannot let the variable `X_KEY` through; add it to `[sandbox] env` in your own configuration",
            "project.toml:5:10: a project cannot hand the login file `~/.ssh/id` to an agent; name it for the agent in your own configuration",
        ]
    );
}

#[test]
fn a_login_is_a_file_below_the_home() {
    let login = |file: &str| {
        format!("[agents.coder]\ndriver = 'command'\ncommand = ['x']\nlogin = ['{file}']\n")
    };
    assert!(load(&login("~/a"), "").is_ok());
    for wrong in ["a", "/etc/a", "~", "~/", "~/../a", "~/a/../b", "~ada/a"] {
        let expected = format!(
            "user.toml:4:10: `{wrong}` is not a file below your home; write one like `~/.my-agent/auth.json`"
        );
        assert_eq!(load(&login(wrong), "").unwrap_err(), [expected]);
    }
}

#[test]
fn only_a_person_says_what_is_seen_of_a_home_and_written_besides() {
    let user = "sandbox.home = ['~/.config/foo/', '~/.config/foo']\nsandbox.writable = ['~/c', '/var/cache/x']";
    let config = load(user, "").unwrap();
    assert_eq!(config.sandbox.home.value, ["~/.config/foo"]);
    assert_eq!(config.sandbox.writable.value, ["~/c", "/var/cache/x"]);
    let narrower = load(user, "sandbox.writable = ['~/c']").unwrap();
    assert_eq!(narrower.sandbox.writable.value, ["~/c"]);
    assert_eq!(
        load("", "sandbox.home = ['~/.ssh']\nsandbox.writable = ['/etc']").unwrap_err(),
        [
            "project.toml:1:16: a project cannot loosen `[sandbox] home` from `[]` (built-in) to `[\"~/.ssh\"]`; only your own configuration can",
            "project.toml:2:20: a project cannot loosen `[sandbox] writable` from `[]` (built-in) to `[\"/etc\"]`; only your own configuration can",
        ]
    );
    for path in ["", "~", "~/", "/", "x", "/etc", "~/../x", "~/a/../../b"] {
        let text = format!("sandbox.home = ['{path}']");
        assert!(load(&text, "").is_err(), "{path}");
    }
    for path in ["", "~", "/", "x", "/a/../b", "~x"] {
        let text = format!("sandbox.writable = ['{path}']");
        assert!(load(&text, "").is_err(), "{path}");
    }
}
