//! `man`: manual pages, made from the same definition as `--help`.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;

use crate::args::{Cli, Man};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn man(session: &mut Session, args: &Man) -> Result<u8, Failure> {
    let pages = pages();
    if let Some(dir) = &args.dir {
        write_all(&session.process.directory.join(dir), &pages)
            .map_err(|why| Failure::new(6, "file", format!("{}: {why}", dir.display())))?;
        let line = format!("wrote {} pages into {}", pages.len(), dir.display());
        session.out.say(line);
        return Ok(0);
    }
    let name = match &args.command {
        Some(command) => format!("signoff-{command}"),
        None => "signoff".to_owned(),
    };
    let page = pages.iter().find(|(other, _)| *other == name);
    match page {
        Some((name, page)) => session.out.write_unredacted(&render(name, page)),
        None => {
            let message = format!("there is no page `{name}`");
            return Err(Failure::new(2, "no-such-page", message)
                .hint("`signoff --help` lists the commands"));
        }
    }
    Ok(0)
}

/// The overview and one page for each command.
fn pages() -> Vec<(String, Command)> {
    let mut overview = Cli::command().disable_help_flag(true);
    overview.build();
    let commands = overview.get_subcommands();
    let mut pages: Vec<(String, Command)> = commands
        .filter(|command| !command.is_hide_set())
        .map(|command| (format!("signoff-{}", command.get_name()), command.clone()))
        .collect();
    pages.insert(0, ("signoff".to_owned(), overview));
    pages
}

fn render(name: &str, command: &Command) -> Vec<u8> {
    let mut command = command.clone();
    // The library's synopsis omits repetitions and the values of options.
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let page = Page::new(command.override_usage(usage))
        .title(name.to_uppercase())
        .source(concat!("signoff ", env!("CARGO_PKG_VERSION")))
        .manual("Signoff");
    let mut bytes = Vec::new();
    // Writing into memory does not fail.
    drop(page.render(&mut bytes));
    bytes
}

fn write_all(directory: &Path, pages: &[(String, Command)]) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    for (name, page) in pages {
        std::fs::write(directory.join(format!("{name}.1")), render(name, page))?;
    }
    Ok(())
}
