//! Attacks that do not end, or use up what there is.

use super::{Attack, Control, HONEST};

pub(super) const ATTACKS: [Attack; 5] = [
    Attack {
        name: "sleeps",
        does: "sleeps for ever",
        step: "**timeout:** 1s",
        script: "touch begun; sleep 1000",
        happened: ALIVE,
        control: Control::Bare(
            "bash agent.sh > /dev/null 2>&1 & until [ -e begun ]; do sleep 0.01; done",
        ),
        ..HONEST
    },
    Attack {
        name: "deaf",
        does: "ignores every signal that can be ignored",
        step: "**timeout:** 1s",
        script: "trap '' TERM INT HUP; touch begun; while :; do sleep 1000; done",
        happened: ALIVE,
        control: Control::Bare(
            "bash agent.sh > /dev/null 2>&1 & until [ -e begun ]; do sleep 0.01; done; kill $!",
        ),
        ..HONEST
    },
    Attack {
        name: "fork-bomb",
        does: "starts hundreds of processes in sessions of their own",
        script: "echo done > out; for i in {1..200}; do setsid -f sleep 1000; done > /dev/null 2>&1",
        happened: ALIVE,
        control: Control::Bare("bash agent.sh"),
        ..HONEST
    },
    Attack {
        name: "flood",
        does: "prints without end",
        script: "echo done > out; head -c 80000000 /dev/zero",
        happened: "test $(du -b --total @SAID@ | tail -n 1 | cut -f 1) -gt 70000000",
        control: Control::Bare("bash agent.sh > @SAID@"),
        ..HONEST
    },
    Attack {
        name: "pipes",
        does: "makes pipes of the files that git reads, so that whoever looks waits for ever",
        prepare: "git init -q .",
        script: "echo done > out; mkfifo .gitignore .gitattributes .gitmodules; rm -f .git/info/exclude; mkfifo .git/info/exclude",
        happened: "test -e @BESIDE@/waits || ! grep -q '\"type\":\"run_finished\"' @EVENTS@",
        control: Control::Bare(
            "bash agent.sh; timeout 1 git status; test $? = 124 && touch @BESIDE@/waits",
        ),
        ..HONEST
    },
];

/// Something of it still works in the project.
const ALIVE: &str = "for process in /proc/[0-9]*; do [ $process != /proc/$$ ] && \
     [ \"$(readlink $process/cwd)\" = @P@ ] && grep -qaE 'sleep|agent.sh' $process/cmdline && exit 0; done; exit 1";
