//! Agents that attack from a worktree of their own, beside one that does not: whatever comes of their step, nothing
//! changes outside of it, and nothing of theirs is run by somebody else.

use signoff_testkit::{PATIENCE, Project, Script};

use crate::support::busy_checkout::{
    MINE, attempts, difference, in_the_middle_of_something, picture, repository, shell, steps_of,
};
use crate::support::plan;

struct Attack {
    name: &'static str,
    /// What the agent runs, in its worktree.
    script: &'static str,
    contract: &'static str,
    /// What its step comes to.
    ends: Ends,
    /// Files that it may bring into the checkout.
    brings: &'static [&'static str],
}

enum Ends {
    Lands,
    /// It does not, and somebody is told why.
    Fails(&'static str),
    /// All that was done waits for the person, who is told why.
    Waits(&'static str),
}
use Ends::{Fails, Lands, Waits};

/// An agent that does its work and nothing else.
const HONEST: Attack = Attack {
    name: "honest",
    script: "",
    contract: "test -s out",
    ends: Lands,
    brings: &[],
};

/// Configuration by which git runs a program, for whoever reads it.
const TRAPS: &str = "printf '#!/bin/sh\\ntouch @OUT@/pwned\\necho HOOKED\\n' > trap.sh; chmod +x trap.sh; t=$PWD/trap.sh
mkdir -p .git/hooks
for hook in post-checkout pre-commit post-commit post-index-change reference-transaction; do cp trap.sh .git/hooks/$hook; done
git config core.hooksPath $PWD/.git/hooks; git config core.fsmonitor $t; git config core.pager $t
git config diff.external $t; git config filter.evil.clean $t; git config filter.evil.smudge $t; git config core.sshCommand $t
git config merge.evil.driver $t; git config alias.status \"!$t\"; echo '* filter=evil diff=evil merge=evil' > .git/info/attributes";

const ATTACKS: [Attack; 25] = [
    HONEST,
    Attack {
        name: "changes the checkout",
        script: "echo evil >> @P@/mine.txt; echo evil > @P@/evil; rm -f @P@/mine.txt; mv @P@/mine.txt @P@/m",
        ends: Waits("do not fit without what you have not committed in `mine.txt`"),
        ..HONEST
    },
    Attack {
        name: "changes other trees of the run",
        script: "for tree in @W@/*/run @W@/*/steps/*; do test $tree = $PWD || { echo evil > $tree/evil; rm -rf $tree/*; }; done; rm -rf @W@/*/run",
        ..HONEST
    },
    Attack {
        name: "moves references",
        script: "git -C @P@ branch evil; git -C @P@ update-ref HEAD HEAD~0; git -C @P@ reset -q --hard; echo 0 > @P@/.git/refs/heads/main; rm -f @P@/.git/HEAD",
        ..HONEST
    },
    Attack {
        name: "removes objects",
        script: "chmod -R u+w @P@/.git; find @P@/.git/objects -type f -delete; rm -rf @P@/.git/objects/*",
        ..HONEST
    },
    Attack {
        name: "writes into the store",
        script: "echo evil > @P@/.signoff/evil; rm -rf @P@/.signoff/runs; mkdir -p .signoff; echo 'evil = 1' > .signoff/config.toml; echo evil > plan.md",
        ..HONEST
    },
    Attack {
        name: "sets traps in its repository",
        script: TRAPS,
        contract: "git status; git log -1; git diff HEAD; git checkout -q HEAD -- .; test -s out",
        brings: &["trap.sh"],
        ..HONEST
    },
    Attack {
        name: "sets traps in the tree",
        script: "echo '* filter=evil merge=evil' > .gitattributes; printf '[filter \"evil\"]\\n\\tclean = touch @OUT@/pwned\\n' > .gitconfig; printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = ext::touch @OUT@/pwned\\n' > .gitmodules",
        contract: "git status; git diff HEAD; test -s out",
        brings: &[".gitattributes", ".gitconfig", ".gitmodules"],
        ..HONEST
    },
    Attack {
        name: "replaces its worktree by a link",
        script: "tree=$PWD; cd ..; mv $tree aside && ln -s @P@ $tree; cd $tree; echo evil > mine.txt; git checkout -q -- mine.txt",
        ..HONEST
    },
    Attack {
        name: "makes its repository the person's",
        script: "rm -rf .git; echo 'gitdir: @P@/.git' > .git",
        contract: "git status; git commit -qam evil; test -s out",
        ..HONEST
    },
    Attack {
        name: "makes its repository a link",
        script: "rm -rf .git || mv .git old; ln -s @P@/.git .git",
        contract: "git status; git commit -qam evil; test -s out",
        ..HONEST
    },
    Attack {
        name: "hides files in a repository",
        script: "git init -q nested; echo hidden > nested/file; git -C nested add .; git -C nested -c user.name=x -c user.email=x@x commit -qm x; printf '#!/bin/sh\\ntouch @OUT@/pwned\\n' > nested/.git/hooks/post-checkout; chmod +x nested/.git/hooks/*",
        brings: &["nested/file"],
        ..HONEST
    },
    Attack {
        name: "spells .git otherwise",
        script: "mkdir -p .GIT/hooks sub/.Git; echo evil > .GIT/config; echo evil > sub/.Git/config",
        ends: Fails("`.GIT/config`: git does not record this name"),
        ..HONEST
    },
    Attack {
        name: "leaves a huge ignored file",
        script: "mkdir -p ignored; head -c 50000000 /dev/zero > ignored/huge",
        ..HONEST
    },
    Attack {
        name: "hides files in a directory that ignores itself",
        script: "mkdir -p new/venv; echo '*' > new/venv/.gitignore; echo evil > new/venv/conftest.py; mkfifo new/venv/pipe",
        contract: "test ! -e new && test -s out",
        ..HONEST
    },
    Attack {
        name: "sets a bit",
        script: "cp /bin/true program; chmod 6755 program",
        brings: &["program"],
        ..HONEST
    },
    Attack {
        name: "names files oddly",
        script: "echo x > $'a\\nb'; echo x > $'tab\\t\"quote\\\\'; echo x > ':(exclude)*'; echo x > '--end'; mkdir ' d '; echo x > ' d / e '",
        brings: &["a\nb", "tab\t\"quote\\", ":(exclude)*", "--end", " d / e "],
        ..HONEST
    },
    Attack {
        name: "links to the outside",
        script: "ln -s @OUT@/kept kept; ln -s @P@ checkout; ln -sf /etc/passwd link2",
        brings: &["kept", "checkout", "link2"],
        ..HONEST
    },
    Attack {
        name: "makes a directory a link and fails",
        script: "if test -e sub/file; then rm -rf sub; ln -s @OUT@ sub; exit 1; fi",
        contract: "test -s out && test -f sub/file && test ! -L sub",
        ends: Fails("exit_code == 0"),
        ..HONEST
    },
    Attack {
        name: "makes pipes of what git reads",
        script: "rm -f .gitignore; mkfifo .gitignore .gitattributes sub/.gitignore; mkfifo pipe sub/pipe; rm -rf .git/info/exclude; mkfifo .git/info/exclude",
        ends: Fails("is a pipe, which cannot be recorded"),
        ..HONEST
    },
    Attack {
        name: "takes rights away",
        script: "mkdir closed; echo x > closed/file; chmod 000 closed/file; chmod 000 closed; chmod 555 sub",
        brings: &["closed/file"],
        ..HONEST
    },
    Attack {
        name: "has its contract commit",
        contract: "echo contract > by-contract; git add -A; git -c user.name=x -c user.email=x@x commit -qm contract; test -s out",
        ..HONEST
    },
    Attack {
        name: "has its contract throw work away",
        contract: "test -s out; code=$?; git stash -uq; git reset -q --hard HEAD; git clean -ffdxq; rm -rf .git other; exit $code",
        ..HONEST
    },
    Attack {
        name: "has its contract remove the tree",
        contract: "test -s out; code=$?; rm -rf -- * .[a-z]*; exit $code",
        ..HONEST
    },
    Attack {
        name: "commits, branches and stashes",
        script: "echo one > kept; git add kept; git -c user.name=x -c user.email=x@x commit -qm 'Signoff-Attempt: x/step-2/1'; git checkout -qb other; git tag evil; echo two >> mine.txt; git -c user.name=x -c user.email=x@x stash -q",
        brings: &["kept"],
        ..HONEST
    },
];

const AGENT: &str = "case \"$(cat)\" in *Attack*) . ./attack.sh; echo done > out; if test -f .gitignore; then mkdir -p ignored; echo evil > ignored/left; fi;; *Look*) echo looked > third;; *) echo done > other;; esac\n";

fn stage(attack: &Attack) -> Project {
    let step = |task: &str, contract: &str| {
        format!(
            "**target:** coder\n**depends_on:** none\n**on_fail:** retry(1), then abort\n**critical:** no\n**task:**\n{task}\n\n**contract:**\n```shell\n{contract}\n```\n"
        )
    };
    // Nobody would sign `.gitattributes` for a contract that calls git, but even then nothing comes of it.
    let produces = format!("**produces:** {}\n**task:**", attack.brings.join(", "));
    let mut attacked = step("Attack.", attack.contract);
    if !attack.brings.is_empty() {
        attacked = attacked.replace("**task:**", &produces);
    }
    let text = plan(&[
        &attacked,
        &step("Work.", "test -s other"),
        // What is not versioned is there for work, and judges nothing.
        &step("Look.", "test -s third && test ! -e ignored/left")
            .replace("**depends_on:** none", "**depends_on:** 1, 2"),
    ]);
    let mut files = vec![
        ("agent.sh", AGENT),
        ("sub/file", "sub\n"),
        ("attack.sh", ""),
    ];
    files.extend(MINE);
    let project = repository(&Script::new(), &text, &files);
    std::fs::create_dir(project.outside("out")).expect("the folder is ours");
    std::fs::write(project.outside("out/file"), "outside\n").expect("the folder is ours");
    let script = attack
        .script
        .replace("@P@", &project.path().to_string_lossy())
        .replace("@OUT@", &project.outside("out").to_string_lossy())
        .replace(
            "@W@",
            &project
                .home()
                .join(".local/share/signoff/worktrees")
                .to_string_lossy(),
        );
    project.write("attack.sh", &script);
    project.write(
        ".signoff/config.toml",
        "[run]\nbackoff = \"1ms\"\n\n[agents.coder]\ndriver = \"command\"\ncommand = [\"bash\", \"agent.sh\"]\n",
    );
    shell(&project, "git commit -qam attack --allow-empty");
    in_the_middle_of_something(&project);
    let project = project.confined();
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// What is wrong after an attack.
fn check(attack: &Attack) -> Vec<String> {
    let project = stage(attack);
    let before = picture(&project);
    let store = project.read(".signoff/config.toml");
    let begun = std::time::Instant::now();
    let output = project.signoff(["run", "plan.md", "--jobs", "2"]);
    let mut wrong = Vec::new();
    let mut see = |holds: bool, what: &str| {
        if !holds {
            wrong.push(format!("{}: {what}\n{output}", attack.name));
        }
    };
    see(begun.elapsed() < PATIENCE, "it took very long");
    let text = format!("{}{}", output.stdout, output.stderr);
    let start = before["git HEAD"].lines().next().expect("a commit");
    let landed = attempts(&project, start, "HEAD");
    let landed = steps_of(&landed);
    match attack.ends {
        Lands => {
            see(landed.contains(&"step-1"), "its work did not land");
            let third = landed.contains(&"step-3") && project.exists("third");
            see(third, "something was left to the next contract");
        }
        Fails(why) | Waits(why) => {
            see(!landed.contains(&"step-1"), "its work landed");
            see(text.contains(why), why);
        }
    }
    let waits = matches!(attack.ends, Waits(_));
    see(
        landed.contains(&"step-2") != waits,
        "the work of the other did not land, or before its time",
    );
    let after = picture(&project);
    let (mut seen, mut wanted) = (after.clone(), before.clone());
    let allowed = |name: &String| {
        let brought = attack.brings.contains(&name.as_str())
            || ["out", "other", "third"].contains(&name.as_str());
        brought || name.starts_with("git ")
    };
    seen.retain(|name, _| !allowed(name));
    wanted.retain(|name, _| !allowed(name));
    see(
        seen == wanted,
        &format!("the checkout is another:\n{}", difference(&wanted, &seen)),
    );
    for name in ["git stash", "git config"] {
        see(
            before[name] == after[name],
            &format!("{name}: {}", after[name]),
        );
    }
    let names = after["git refs"]
        .lines()
        .map(|line| line.split(' ').next().unwrap_or_default());
    let names: Vec<&str> = names.collect();
    see(
        names == ["refs/heads/main", "refs/stash"],
        &format!("references: {names:?}"),
    );
    see(
        project.bash("git fsck --strict", &project.path()).code == Some(0),
        "git is broken",
    );
    let outside = shell(
        &project,
        &format!("ls -A {}", project.outside("out").display()),
    );
    see(outside == "file\n", &format!("outside: {outside}"));
    see(
        project.read(".signoff/config.toml") == store,
        "the store is another",
    );
    let hooked = shell(
        &project,
        "grep -rl HOOKED .signoff/runs/*/steps --include=*contract* || :",
    );
    see(
        hooked.is_empty(),
        &format!("somebody ran its program: {hooked}"),
    );
    see(project.processes().is_empty(), "processes are left");
    wrong
}

/// Two tests, for they run beside each other.
fn check_each(part: usize) {
    let only = std::env::var("SIGNOFF_ATTACK").ok();
    let part = ATTACKS.iter().skip(part).step_by(2);
    let chosen = part.filter(|attack| {
        let is_named = |only: &String| attack.name.contains(only.as_str());
        only.as_ref().is_none_or(is_named)
    });
    let wrong: Vec<String> = chosen.flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_outside_of_its_worktree_is_changed() {
    check_each(0);
}

#[test]
fn nothing_outside_of_its_worktree_is_changed_either() {
    check_each(1);
}
