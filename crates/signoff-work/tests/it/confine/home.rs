//! What agents and contracts find of a person's home.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use signoff_sandbox::Level;
use signoff_work::confine::{AgentRequirements, Home};

use super::exists;
use super::home_world::{HomeWorld, SYSTEM, is_readable};

#[test]
fn it_is_empty_and_what_is_written_there_is_gone() {
    let world = HomeWorld::new();
    world.file("notes.txt", "private").file(".profile", "x");
    world.file(".local/state/signoff/trust", "x");
    let script = "echo $HOME; ls -A ~; cat ~/.ssh/id ~/notes.txt ~/.local/state/signoff/trust; \
                  mkdir -p ~/.cargo ~/.gradle ~/.local/state/signoff && \
                  echo evil | tee ~/.cargo/config.toml ~/.gradle/init.gradle ~/.local/state/signoff/trust";
    world.check(script, "~\n.gitconfig\nevil");
    assert!(!world.has(".cargo") && !world.has(".gradle"));
    let trust = fs::read(world.home().join(".local/state/signoff/trust"));
    assert_eq!(trust.unwrap(), b"x");
}

#[test]
fn tools_work_however_they_are_linked() {
    let mut world = HomeWorld::new();
    // Proxies that look for a toolchain elsewhere in the home.
    world.program(
        ".cargo/bin/rustup",
        "#!/bin/sh\nexec ~/.rustup/toolchains/x/bin/${0##*/}\n",
    );
    world.link(".cargo/bin/cargo", "rustup");
    world.program(".rustup/toolchains/x/bin/cargo", "#!/bin/sh\necho cargo\n");
    // A script that runs another one.
    world.program(
        ".pyenv/shims/python4",
        "#!/bin/sh\nexec ~/.pyenv/versions/4/bin/python4\n",
    );
    world.program(
        ".pyenv/versions/4.1/bin/python4",
        "#!/bin/sh\necho python\n",
    );
    world.link(".pyenv/versions/4", "4.1");
    // A link to a tool, whose interpreter is a link as well.
    world.link(".local/bin/ruff", "../share/uv/tools/ruff/bin/ruff");
    world.program(
        ".local/share/uv/tools/ruff/bin/ruff",
        "#!~/.local/share/uv/tools/ruff/bin/shell\necho ruff\n",
    );
    world.link(
        ".local/share/uv/tools/ruff/bin/shell",
        "~/.local/share/uv/python/bin/shell",
    );
    world.link(".local/share/uv/python/bin/shell", "/bin/sh");
    // A folder of the person's.
    world.link("bin/mine", "../work/tools/bin/mine");
    world.program(
        "work/tools/bin/mine",
        "#!~/work/tools/lib/shell\necho mine\n",
    );
    world.link("work/tools/lib/shell", "~/shells/bin/mysh");
    world.link("work/tools/bin/sh2", "~/shells/bin/mysh");
    world.link("shells/bin/mysh", "/bin/sh");
    world.file("work/private", "x");
    world.program("venvs/a/bin/own", "#!/bin/sh\necho own\n");
    // A home whose large parts lie elsewhere.
    world.program("big/nvm/versions/22/bin/node4", "#!/bin/sh\necho node\n");
    world.link(".nvm", "big/nvm");
    super::make_program(
        &world.root.join("disk/volta/bin/volta4"),
        "#!/bin/sh\necho volta\n",
    );
    world.link(".volta", "../disk/volta");
    world.set(
        "PATH",
        &format!("~/.cargo/bin:~/.pyenv/shims:~/.local/bin:~/bin:~/venvs/a/bin:~/.nvm/versions/22/bin:~/.volta/bin:{SYSTEM}"),
    );
    world.check(
        "for tool in cargo python4 ruff mine own node4 volta4; do $tool; done",
        "cargo\npython\nruff\nmine\nown\nnode\nvolta",
    );
    world.check(
        "cat ~/work/private; for f in ~/.cargo/bin/x ~/.pyenv/x ~/bin/x ~/.nvm/x ~/.volta/x; do echo x > $f; done",
        "",
    );
    assert!(!world.has(".cargo/bin/x") && !world.has("big/nvm/x"));
}

#[test]
fn no_way_leads_to_keys() {
    let mut world = HomeWorld::new();
    world.program(".ssh/tool", "#!/bin/sh\necho tool\n");
    world.program(".docker/bin/docker", "#!/bin/sh\n");
    world.file(".docker/config.json", "auth");
    world.link("keys", ".ssh");
    world.link(".cargo/bin/way", "~/.ssh");
    world.link("bin/tool", "~/.ssh/tool");
    world.link(".pyenv", ".ssh");
    std::os::unix::fs::symlink(world.home().join(".ssh"), world.root.join("around")).unwrap();
    let dialect_notes = world.root.join("around").display().to_string();
    world.set(
        "PATH",
        &format!(
            "~/keys:~/.cargo/bin:~/bin:~/.docker/bin:~/.pyenv:{dialect_notes}:~/x/../.ssh:{SYSTEM}"
        ),
    );
    world.set("JAVA_HOME", "~/.ssh").set("NVM_DIR", "~/keys");
    world.check(
        &format!(
            "cat ~/.ssh/id ~/keys/id ~/.cargo/bin/way/id ~/.pyenv/id {dialect_notes}/id ~/.docker/config.json; \
             tool; echo \"$JAVA_HOME$NVM_DIR\"; ls -A ~"
        ),
        "\n.cargo\n.gitconfig\nbin".trim_start(),
    );
}

#[test]
fn keys_that_lie_elsewhere_are_hidden_there() {
    let mut world = HomeWorld::new();
    fs::create_dir_all(world.root.join("disk/aws")).unwrap();
    fs::write(world.root.join("disk/aws/credentials"), "secret").unwrap();
    world.link(".aws", "../disk/aws");
    fs::create_dir_all(world.root.join("state/signoff")).unwrap();
    fs::write(world.root.join("state/signoff/trust"), "secret").unwrap();
    let state = world.root.join("state").display().to_string();
    world.set("XDG_STATE_HOME", &state);
    let disk = world.root.join("disk").display().to_string();
    // They would be covered with everything else in /tmp.
    world.options.writable = vec![disk.clone(), state.clone()];
    assert_eq!(Home::resolve(&world.options).refusals().len(), 1);
    world.check(
        &format!("cat {disk}/aws/credentials {state}/signoff/trust; echo x > {disk}/written; cat {disk}/written"),
        "x",
    );
}

#[test]
fn settings_are_found_and_logins_are_not() {
    let world = HomeWorld::new();
    world.program(".cargo/bin/cargo", "");
    world.file(".cargo/credentials.toml", "[registry]\ntoken = 'secret'\n");
    world.file(
        ".cargo/config.toml",
        "[registry]\ntoken = 'secret'\n[net]\nretry = 7\n",
    );
    world.file(
        ".npmrc",
        "registry=https://n.example\n//n.example/:_authToken=secret\n",
    );
    world.file(
        "dotfiles/pip/pip.conf",
        "[global]\nindex-url = https://me:secret@p.example\n",
    );
    world.link(".config", "dotfiles");
    world.check(
        "cat ~/.cargo/credentials.toml; cat ~/.cargo/config.toml ~/.npmrc ~/.config/pip/pip.conf",
        "[net]\nretry = 7\n\n[registry]\nregistry=https://n.example\n[global]\nindex-url = https://p.example",
    );
}

#[test]
fn a_directory_of_programs_does_not_show_what_lies_around_it() {
    let mut world = HomeWorld::new();
    world.program("work/bin/mine", "#!/bin/sh\necho mine\n");
    world.program("work/scripts/linked", "#!/bin/sh\necho linked\n");
    world.link("work/bin/linked", "../scripts/linked");
    world.program(".other/bin/other", "#!/bin/sh\necho other\n");
    // An environment of Python in a project.
    world.program("site/bin/python4", "#!~/site/lib/shell\necho python\n");
    world.link("site/lib/shell", "/bin/sh");
    world.file("site/pyvenv.cfg", "home = /usr/bin");
    for secret in [
        "work/notes",
        "work/scripts/notes",
        ".other/notes",
        "site/notes",
    ] {
        world.file(secret, "private");
    }
    world.set(
        "PATH",
        &format!("~/work/bin:~/.other/bin:~/site/bin:{SYSTEM}"),
    );
    world.set("CARGO_HOME", "~/work");
    world.check(
        "mine; linked; other; python4; cat ~/site/pyvenv.cfg; cat ~/work/notes ~/work/scripts/notes ~/.other/notes ~/site/notes",
        "mine\nlinked\nother\npython\nhome = /usr/bin",
    );
}

#[test]
fn downloads_elsewhere_are_found() {
    let mut world = HomeWorld::new();
    world.file("mods/x.example/a", "module");
    world.file("work/caches/modules-2/a", "artifact");
    world.file("work/notes", "private");
    world
        .set("GOMODCACHE", "~/mods")
        .set("GRADLE_USER_HOME", "~/work");
    world.overlays = true;
    world.check_at(
        Level::Namespaces,
        "cat $GOMODCACHE/x.example/a $GRADLE_USER_HOME/caches/modules-2/a ~/work/notes",
        "moduleartifact",
    );
}

#[test]
fn keys_in_tools_are_hidden() {
    let mut world = HomeWorld::new();
    world.program(".cargo/bin/cargo", "");
    world.file(
        ".dotnet/corefx/cryptography/x509stores/my/key.pfx",
        "secret",
    );
    for path in [
        ".cargo/.env",
        ".cargo/id_rsa",
        ".pyenv/.netrc",
        ".nvm/a/b/.npmrc",
        "go/me.p12",
    ] {
        world.file(path, "secret");
    }
    world.file(".rustup/my.pem", "-----BEGIN PRIVATE KEY-----\nsecret");
    world.file(".rustup/ca.pem", "certificate\n");
    let config = "[remote \"origin\"]\n\turl = https://me:secret@x.example/a.git\n";
    for repository in [
        ".pyenv/.git",
        ".asdf/plugins/x/.git",
        ".cargo/git/db/x",
        "go/pkg/mod/cache/vcs/x",
    ] {
        world.file(&format!("{repository}/config"), config);
    }
    let script = "grep -r secret ~/.cargo ~/.pyenv ~/.nvm ~/go ~/.rustup ~/.asdf ~/.dotnet; cat ~/.rustup/ca.pem; \
                  git config --file ~/.pyenv/.git/config remote.origin.url";
    world.check(script, "certificate\nhttps://x.example/a.git");
    world.overlays = true;
    world.check_at(
        Level::Namespaces,
        script,
        "certificate\nhttps://x.example/a.git",
    );
    // Whoever means it gets it.
    world.options.visible = vec!["~/.cargo/.env".to_owned()];
    world.check("cat ~/.cargo/.env ~/.cargo/id_rsa", "secret");
}

#[test]
fn nobody_reads_the_passwords_of_the_machine() {
    let world = HomeWorld::new();
    world.check(
        "cat /etc/shadow /etc/gshadow /etc/ssh/*_key; ls -A /etc/sudoers.d /etc/ssl/private | grep -v :",
        "",
    );
}

#[test]
fn another_home_is_hidden_like_the_home() {
    let mut world = HomeWorld::new();
    // Not in /tmp, where something else covers it, if whoever runs the tests may write elsewhere.
    let elsewhere = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).ok();
    let other = elsewhere
        .as_ref()
        .map_or(&*world.root, |directory| directory.path());
    let other = other.canonicalize().unwrap().join("account");
    let write = |path: &str, text: &str| super::make_program(&other.join(path), text);
    write(".ssh/id", "secret");
    write("notes", "secret");
    write("work/bin/mine", "#!/bin/sh\necho mine\n");
    write("work/notes", "secret");
    write(".local/share/uv/bin/ruff", "#!/bin/sh\necho ruff\n");
    let path = |path: &str| other.join(path).display().to_string();
    std::os::unix::fs::symlink("../.local/share/uv/bin/ruff", other.join("work/ruff")).unwrap();
    fs::create_dir(other.join("bin")).unwrap();
    std::os::unix::fs::symlink("../work/ruff", other.join("bin/ruff")).unwrap();
    write("sdk/jdk-21/bin/java", "#!/bin/sh\necho java\n");
    world.options.other_homes = vec![
        other.clone(),
        "/".into(),
        "/usr/sbin".into(),
        "/missing".into(),
    ];
    world.set(
        "PATH",
        &format!("{}:{}:{SYSTEM}", path("work/bin"), path("bin")),
    );
    world.set("JAVA_HOME", &path("sdk/jdk-21"));
    // It would be covered with everything else in /tmp.
    world.options.writable = vec![world.root.join("shared").display().to_string()];
    fs::create_dir(world.root.join("shared")).unwrap();
    let all = other.display();
    world.check(
        &format!(
            "mine; ruff; $JAVA_HOME/bin/java; grep -r secret {all}; echo x > {all}/written && cat {all}/written; ls -d /usr/sbin"
        ),
        "mine\nruff\njava\nx\n/usr/sbin",
    );
    assert!(!other.join("written").exists());
}

#[test]
fn git_knows_the_person_and_runs_nothing_of_theirs() {
    let world = HomeWorld::new();
    world.file(
        ".gitconfig",
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[core]\n\tpager = evil\n[alias]\n\tx = !evil\n",
    );
    world.check(
        "git init -q /tmp/r && cd /tmp/r && git commit -q --allow-empty -m first && \
         git log --format='%an <%ae>' && git config --get-all core.pager; git config alias.x",
        "Ada <ada@example.com>",
    );
}

#[test]
fn variables_pass_where_what_they_name_is_found() {
    let mut world = HomeWorld::new();
    world.program("opt/jdk/bin/java", "#!/bin/sh\necho java\n");
    world.file("opt/cargo/credentials", "secret");
    world.file("opt/cargo/bin/x", "");
    world.file("certs/ca.pem", "certificate");
    world.set("JAVA_HOME", "~/opt/jdk").set("GOROOT", "/usr");
    world.set("CARGO_HOME", "~/opt/cargo");
    world.set("RUSTUP_HOME", "~/nowhere");
    world.set("SSL_CERT_FILE", "~/certs/ca.pem");
    world.set("HTTPS_PROXY", "http://proxy:1");
    world.set("SSH_AUTH_SOCK", "/tmp/agent");
    world.set("TOKEN", "secret");
    // Whatever is there may be an agent's.
    let tree = world.options.tree.display().to_string();
    std::os::unix::fs::symlink(&tree, world.home().join("way")).unwrap();
    world.set("NVM_DIR", &tree).set("GRADLE_HOME", "~/way");
    world.check(
        "$JAVA_HOME/bin/java; cat $SSL_CERT_FILE; echo; ls $CARGO_HOME; cat $CARGO_HOME/credentials; \
         echo $GOROOT $HTTPS_PROXY $RUSTUP_HOME $SSH_AUTH_SOCK $TOKEN $NVM_DIR $GRADLE_HOME; ls ~/certs",
        "java\ncertificate\nbin\ncredentials\n/usr http://proxy:1\nca.pem",
    );
}

#[test]
fn downloads_are_there_and_stay_as_they_are() {
    let world = HomeWorld::new();
    world.file(".cargo/registry/a", "crate");
    world.file(".m2/repository/a", "artifact");
    world.file(".m2/settings-security.xml", "secret");
    world.file(".npm/_cacache/a", "package");
    world.file(".cache/go-build/a", "built");
    // Without layers only what its tool can use so.
    world.check(
        "cat ~/.cargo/registry/a ~/.m2/repository/a ~/.npm/_cacache/a ~/.cache/go-build/a ~/.m2/settings-security.xml; \
         echo x > ~/.m2/repository/b; mkdir -p ~/.npm/_cacache && touch ~/.npm/_cacache/b && ls ~/.npm/_cacache",
        "crateartifactb",
    );
    assert!(!world.has(".m2/repository/b") && !world.has(".npm/_cacache/b"));
}

#[test]
fn with_layers_downloads_can_be_added_to_and_stay_as_they_are() {
    let mut world = HomeWorld::new();
    world.overlays = true;
    world.file(".cargo/registry/a", "crate");
    world.file(".cargo/bin/x", "");
    world.file("big/npm/_cacache/a", "package");
    world.link(".npm", "big/npm");
    world.check_at(
        Level::Namespaces,
        "cat ~/.cargo/registry/a ~/.npm/_cacache/a; cd ~/.npm/_cacache && rm a && touch b && ls; \
         cd ~/.cargo/registry && mkdir src && mv a src && ls; echo x > ~/.cargo/bin/x",
        "cratepackageb\nsrc",
    );
    assert!(world.has("big/npm/_cacache/a") && !world.has("big/npm/_cacache/b"));
    assert!(world.has(".cargo/registry/a") && !world.has(".cargo/registry/src"));
}

#[test]
fn a_person_may_name_more() {
    let mut world = HomeWorld::new();
    world
        .file(".config/foo/rc", "foo")
        .file("shared/a", "shared");
    world.file(".config/gh/hosts.yml", "token");
    world.link("keys", ".ssh");
    world.options.visible = ["~/.config/foo", "~/missing", "~/keys", "~/.config/signoff"]
        .map(str::to_owned)
        .to_vec();
    world.file(".config/signoff/config.toml", "");
    world.options.writable = ["~/shared", "~/missing", "~/.ssh"]
        .map(str::to_owned)
        .to_vec();
    let tree = world.options.tree.display().to_string();
    world.options.writable.push(format!("{tree}/.signoff"));
    world.check(
        "cat ~/.config/foo/rc ~/shared/a ~/keys/id ~/.ssh/id; echo x > ~/.config/foo/x; echo x > ~/shared/b",
        "fooshared",
    );
    assert!(world.has("shared/b") && !world.has(".config/foo/x"));
    assert_eq!(
        Home::resolve(&world.options).refusals(),
        [
            "`~/keys` of `[sandbox] home`: it leads to keys or logins; name those themselves if you mean them",
            "`~/.config/signoff` of `[sandbox] home`: it is Signoff's own",
            "`~/missing` of `[sandbox] writable`: it does not exist",
            "`~/.ssh` of `[sandbox] writable`: keys or logins are kept there",
            &format!("`{tree}/.signoff` of `[sandbox] writable`: it lies in the project"),
        ]
    );
    // Whoever means it gets it, and only that.
    world.options.visible = vec!["~/.config".to_owned(), "~/.ssh/id".to_owned()];
    world.file(".config/signoff/config.toml", "private");
    world.check(
        "cat ~/.ssh/id ~/.config/foo/rc ~/.config/gh/hosts.yml ~/.config/signoff/config.toml",
        "a private keyfoo",
    );
}

#[test]
fn a_command_that_names_a_secret_does_not_hand_it_over() {
    let mut world = HomeWorld::new();
    world.program(".ssh/run", "#!/bin/sh\n").file("notes", "x");
    world.link("agent", ".ssh/run");
    world.program("scripts/agent.sh", "echo started");
    let home = world.home();
    let path = |name: &str| home.join(name).display().to_string();
    world.command = ["scripts/agent.sh", ".ssh/id", "agent", "notes", ""]
        .map(path)
        .to_vec();
    let needs =
        AgentRequirements::of_command(&world.command).with_login(&["~/notes".to_owned()], &[]);
    let unreachable = world.run_paths(Level::Namespaces).unreachable(&needs);
    assert_eq!(unreachable, [home.join(".ssh/id"), home.join(".ssh/run")]);
    for level in super::home_world::mounting_levels() {
        world.check_agent(
            level,
            "sh ~/scripts/agent.sh; cat ~/.ssh/id ~/agent ~/notes",
            "started",
        );
    }
}

#[test]
fn a_program_that_an_agent_cannot_start_is_told() {
    let mut world = HomeWorld::new();
    world.program(".docker/bin/my-agent", "#!/bin/sh\n");
    world.program(".claude/local/claude", "#!/bin/sh\necho claude\n");
    world.file(".claude/.credentials.json", "login");
    world.set("PATH", &format!("~/.docker/bin:~/.claude/local:{SYSTEM}"));
    let unreachable = |program: &str| {
        let needs = AgentRequirements::of_command(&[program.to_owned()]);
        world.run_paths(Level::Namespaces).unreachable(&needs)
    };
    assert_eq!(
        unreachable("my-agent"),
        [world.home().join(".docker/bin/my-agent")]
    );
    assert!(unreachable("claude").is_empty());
    world.check("claude; cat ~/.claude/.credentials.json", "claude");
}

#[test]
fn an_odd_home_hides_nothing_that_is_needed_and_shows_no_keys() {
    let script = "echo x > made && cat made; cat ~/.ssh/id KEY; touch ~/x && ls ~/x >/dev/null && echo private";
    let check = |change: fn(&mut HomeWorld)| {
        let mut world = HomeWorld::new();
        let key = world.home().join(".ssh/id").display().to_string();
        change(&mut world);
        let key = match &world.options.home {
            Some(home) if exists(&home.join(".ssh/id")) => home.join(".ssh/id"),
            _ => PathBuf::from(key),
        };
        let script = script.replace("KEY", &key.to_string_lossy());
        world.check(&script, "x\nprivate");
    };
    // Behind a link.
    check(|world| {
        let link = world.root.join("link");
        std::os::unix::fs::symlink(world.home(), &link).unwrap();
        world.options.home = Some(link);
    });
    // The project lies in it.
    check(|world| {
        world.options.tree = world.home().join("work/tree");
        fs::create_dir_all(world.options.tree.join(".signoff")).unwrap();
    });
    // It is the project, or lies in it.
    check(|world| {
        world.options.tree = world.home();
        fs::create_dir_all(world.options.tree.join(".signoff")).unwrap();
    });
    check(|world| {
        world.options.tree = world.root.clone();
        fs::create_dir_all(world.options.tree.join(".signoff")).unwrap();
    });
    // There is none, or it cannot be replaced.
    let no_key = |change: fn(&mut HomeWorld)| {
        let mut world = HomeWorld::new();
        change(&mut world);
        let script = script.replace("~/.ssh/id KEY", "/dev/null");
        world.command = vec!["agent".to_owned()];
        for level in super::home_world::mounting_levels() {
            world.check_without_home(level, &script, "x\nprivate");
        }
    };
    no_key(|world| world.options.home = None);
    no_key(|world| world.options.home = Some("/".into()));
    no_key(|world| world.options.home = Some("/nonexistent".into()));
    no_key(|world| world.options.home = Some("/tmp".into()));
}

#[test]
fn what_a_process_misses_can_be_told() {
    let world = HomeWorld::new();
    world.program(".cargo/bin/cargo", "").file("notes", "");
    world.file(".npmrc", "fund=false\n").file(".condarc", "x");
    let unseen = Home::resolve(&world.options).unseen_entries().unwrap();
    assert_eq!(unseen, [".condarc", ".ssh", "notes"]);
}

#[test]
fn what_a_text_names_and_a_process_misses_can_be_told() {
    let mut world = HomeWorld::new();
    world.options.tree = world.home().join("work/project");
    world.file("work/project/src/a.rs", "");
    world
        .program(".cargo/bin/cargo", "")
        .file("work/other/x", "");
    world.file(".npmrc", "fund=false\n").file(".condarc", "x");
    world
        .file(".config/tool/settings", "x")
        .file(".local/share/data/x", "x");
    let home = world.home().display().to_string();
    let seen = Home::resolve(&world.options);
    assert_eq!(
        seen.unseen_entries().unwrap(),
        [".condarc", ".config", ".local", ".ssh"]
    );
    let check = |text: &str, expected: &[&str]| {
        let text = text.replace("HOME", &home);
        assert_eq!(seen.unseen_paths_in(&text), expected, "{text}");
    };
    check(
        "cat: HOME/.condarc: No such file or directory",
        &["~/.condarc"],
    );
    check("no '~/.condarc'", &["~/.condarc"]);
    let by_variable = seen.unseen_paths_in("no $HOME/.condarc, no ${HOME}/.config/tool/x");
    assert_eq!(by_variable, ["~/.condarc", "~/.config/tool"]);
    check("HOME/.config/tool/settings: missing", &["~/.config/tool"]);
    check(
        "HOME/.local/share/data/x and HOME/.local/share/data/y",
        &["~/.local/share/data"],
    );
    check("error in HOME/work/project/src/a.rs", &[]);
    check("no HOME/work/other/x", &["~/work/other"]);
    // What is seen, what is nowhere, and keys, which are hidden on purpose.
    check(
        "HOME/.cargo/bin/cargo HOME/.npmrc HOME/.nothing HOME/.ssh/id HOME/.config",
        &[],
    );
    world.options.visible = vec!["~/.condarc".to_owned()];
    assert!(
        Home::resolve(&world.options)
            .unseen_paths_in("~/.condarc")
            .is_empty()
    );
}

#[test]
fn without_mounts_the_home_is_private_too() {
    let mut world = HomeWorld::new();
    world.program(".cargo/bin/cargo", "#!/bin/sh\necho cargo\n");
    world.file(".npmrc", "fund=false\n");
    world.file(".gradle/gradle.properties", "org.gradle.x=real\n");
    world.options.writable = vec!["~/.gradle".to_owned()];
    world.set("PATH", &format!("~/.cargo/bin:{SYSTEM}"));
    let real = world.home().display().to_string();
    for level in [Level::Landlock, Level::None] {
        let script = format!(
            "test $HOME != {real} && cargo && ~/.cargo/bin/cargo; cat ~/.npmrc; echo x > ~/x && cat ~/x; echo x > ~/.gradle/y"
        );
        world.check_at(level, &script, "cargo\ncargo\nfund=false\nx");
    }
    assert!(!world.has("x") && world.has(".gradle/y"));
    let kept = fs::read_to_string(world.home().join(".gradle/gradle.properties"));
    assert_eq!(kept.unwrap(), "org.gradle.x=real\n");
}

/// The tools of this machine, as whoever runs the tests has them.
#[test]
fn the_tools_of_this_machine_work() {
    let Some(home) = std::env::var_os("HOME").map(PathBuf::from) else {
        return;
    };
    if !is_readable(&home) {
        return; // Whose home it is, the tests' user may not see.
    }
    let mut world = HomeWorld::new();
    world.options.home = Some(home.clone());
    for name in ["PATH", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT"] {
        if let Some(value) = std::env::var_os(name) {
            world.options.variables.insert(name.into(), value);
        }
    }
    let tree = world.options.tree.clone();
    fs::create_dir_all(tree.join("src")).unwrap();
    fs::write(
        tree.join("src/main.rs"),
        "fn main() { println!(\"built\"); }",
    )
    .unwrap();
    let mut package =
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n".to_owned();
    // One that was downloaded is found without a network.
    if is_downloaded(&home, "itoa-1.") {
        package.push_str("[dependencies]\nitoa = \"1\"\n");
    }
    fs::write(tree.join("Cargo.toml"), package).unwrap();
    let has = |program: &str| {
        let found = Process::new(program)
            .arg("--version")
            .current_dir(&tree)
            .output();
        found.is_ok_and(|output| output.status.success())
    };
    for (program, script, expected) in [
        (
            "cargo",
            "cargo build -q --offline && target/debug/a && rm -r target",
            "built",
        ),
        (
            "python3",
            "python3 -c 'import json, ssl; print(1 + 1)'",
            "2",
        ),
        ("node", "node -e 'console.log(1 + 1)'", "2"),
        ("npm", "npm --version > version && echo npm", "npm"),
    ] {
        if has(program) {
            world.check(script, expected);
            world.overlays = true;
            world.check_at(Level::Namespaces, script, expected);
            world.overlays = false;
        }
    }
    world.check(
        &format!("ls {}/.ssh {}/.claude", home.display(), home.display()),
        "",
    );
}

fn is_downloaded(home: &Path, name: &str) -> bool {
    let registries = fs::read_dir(home.join(".cargo/registry/cache"));
    let registries = registries.into_iter().flatten().flatten();
    let mut crates = registries.flat_map(|entry| fs::read_dir(entry.path()).into_iter().flatten());
    crates
        .any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(name)))
}

/// All of these once more, if the tests have root's rights.
#[test]
fn all_of_this_holds_for_an_ordinary_user() {
    const MARK: &str = "SIGNOFF_TEST_PART";
    let is_root = fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0);
    if !is_root || std::env::var_os(MARK).is_some() {
        return;
    }
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let output = Process::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .arg("home::")
        .env(MARK, "nobody")
        .env("TMPDIR", "/tmp")
        .env("PATH", SYSTEM)
        .env("HOME", folder.path())
        .current_dir(Path::new("/"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("tools_work_however_they_are_linked ... ok"),
        "{said}"
    );
}

#[test]
fn a_hook_whose_script_is_not_there_is_left_out_and_named() {
    let mut world = HomeWorld::new();
    world.file(".claude/hooks/check.py", "x").file("log", "x");
    world.program("seen/check.sh", "#!/bin/sh\n");
    world.options.visible = vec!["~/seen".to_owned()];
    let home = world.home().display().to_string();
    let hook = |command: &str| format!(r#"{{"type": "command", "command": "{command}"}}"#);
    let (missing, absolute) = (
        "python3 ~/.claude/hooks/check.py".to_owned(),
        format!("python3 {home}/.claude/hooks/check.py --strict"),
    );
    let kept = [
        "echo x >> ~/log",
        "$HOME/seen/check.sh",
        "python3 hooks/own.py",
    ];
    let settings = format!(
        r#"{{"model": "m", "hooks": {{
            "PreToolUse": [{{"matcher": "Bash", "hooks": [{}, {}, {}, {}]}}, {{"hooks": [{}]}}],
            "Stop": [{{"hooks": [{}]}}]}}}}"#,
        hook(&missing),
        hook(kept[0]),
        hook(kept[1]),
        hook(kept[2]),
        hook(&absolute),
        hook(&missing),
    );
    world.file(".claude/settings.json", &settings);
    world.command = vec!["claude".to_owned()];
    let needs = AgentRequirements::of_command(&world.command);
    let variables = world.options.variables.clone();
    let run_paths = world.run_paths(Level::Namespaces);
    let dropped = run_paths.dropped_hooks(&needs, &variables);
    let told: Vec<_> = (dropped.iter())
        .map(|hook| {
            (
                hook.event.as_str(),
                hook.command.clone(),
                hook.script.as_str(),
            )
        })
        .collect();
    let script = "~/.claude/hooks/check.py";
    let expected = [
        ("PreToolUse", missing.clone(), script),
        ("PreToolUse", absolute, script),
        ("Stop", missing, script),
    ];
    assert_eq!(told, expected);
    assert_eq!(dropped[0].settings, "~/.claude/settings.json");
    // Without mounts the scripts are found.
    let bare = world.run_paths(Level::Landlock);
    assert_eq!(bare.dropped_hooks(&needs, &variables), []);
    let copy = format!(
        r#"{{"model":"m","hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{}]}}]}}}}"#,
        kept.map(|command| hook(command).replace(": ", ":").replace(", ", ","))
            .join(",")
    );
    for level in super::home_world::mounting_levels() {
        world.check_agent(level, "cat ~/.claude/settings.json", &copy);
    }
    assert_eq!(
        fs::read_to_string(world.home().join(".claude/settings.json")).unwrap(),
        settings
    );
}
