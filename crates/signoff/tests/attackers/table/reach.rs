//! Attacks on the person: files, services, keys.

use super::Outcome::NotCovered;
use super::{Attack, CONFINED, Control, HONEST, mounts_or};

pub(super) const ATTACKS: [Attack; 8] = [
    Attack {
        name: "bashrc",
        does: "writes to the person's `~/.bashrc`",
        script: "echo done > out; echo 'cargo() { true; }' >> @HOME@/.bashrc; echo 'cargo() { true; }' >> ~/.bashrc",
        happened: "test -s @HOME@/.bashrc",
        expected: CONFINED,
        shows: "contracts are run by a shell that reads no such file; the person's own shell does",
        ..HONEST
    },
    Attack {
        name: "symbolic-link",
        does: "writes through a symbolic link out of the tree",
        script: "echo done > out; ln -s @HOME@ way; echo evil > way/evil",
        happened: "test -s @HOME@/evil",
        expected: CONFINED,
        shows: "nothing",
        ..HONEST
    },
    Attack {
        name: "docker-socket",
        does: "talks to a service below `/run`, as docker's and D-Bus' are",
        script: "echo done > out; SSH_AUTH_SOCK=@RUN@/docker.sock timeout 5 ssh-add -l",
        happened: "test -e @BESIDE@/reached",
        expected: mounts_or(NotCovered),
        shows: "nothing",
        ..HONEST
    },
    Attack {
        name: "ssh-agent",
        does: "talks to `ssh-agent` by the socket in `/tmp` that `SSH_AUTH_SOCK` names",
        script: "echo done > out; SSH_AUTH_SOCK=${SSH_AUTH_SOCK-@BESIDE@/agent.sock} timeout 5 ssh-add -l",
        happened: "test -e @BESIDE@/reached",
        expected: mounts_or(NotCovered),
        shows: "nothing; a key that asks (`ssh-add -c`) asks",
        ..HONEST
    },
    Attack {
        name: "secrets",
        does: "reads the person's keys in `~/.ssh`",
        prepare: "mkdir @HOME@/.ssh; echo a-private-key > @HOME@/.ssh/id_ed25519",
        script: "echo done > out; cat @HOME@/.ssh/id_ed25519",
        happened: "grep -q a-private-key @SAID@",
        expected: mounts_or(NotCovered),
        shows: "nothing",
        ..HONEST
    },
    Attack {
        name: "environment",
        does: "reads keys in the environment of the harness",
        script: "echo done > out; cat /proc/*/environ 2> /dev/null | tr '\\0' '\\n' | grep SECRET_KEY",
        happened: "grep -q 'SECRET_KEY=in-the-environment' @SAID@",
        expected: CONFINED,
        shows: "nothing; its own environment has only what `[sandbox] env` lists",
        ..HONEST
    },
    Attack {
        name: "own-environment",
        does: "reads keys in its own environment",
        script: "echo done > out; env",
        happened: "grep -q 'SECRET_KEY=in-the-environment' @SAID@",
        control: Control::Bare("bash agent.sh > @SAID@"),
        ..HONEST
    },
    Attack {
        name: "descriptor",
        does: "writes to a file that the harness' parent left open",
        script: "echo done > out; echo evil >&9; for fd in /proc/self/fd/[3-9]*; do echo evil >> $fd; done",
        happened: "test -s @BESIDE@/descriptor",
        control: Control::Bare("bash agent.sh 9>> @BESIDE@/descriptor"),
        ..HONEST
    },
];
