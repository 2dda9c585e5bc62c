//! `completions`: for bash, zsh, fish and others.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::args::Cli;
use crate::session::Session;

pub(crate) fn completions(session: &mut Session, shell: Shell) -> u8 {
    let mut bytes = Vec::new();
    generate(shell, &mut Cli::command(), "signoff", &mut bytes);
    session.out.write_unredacted(&bytes);
    0
}
