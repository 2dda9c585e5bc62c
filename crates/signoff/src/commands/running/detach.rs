//! `run --detach`: starts a run that goes on in the background.

use clap::ValueEnum as _;
use signoff_runtime::launch::{LaunchedBy, launch_run_with};
use signoff_runtime::project::Project;
use signoff_runtime::runs::view::RunView;

use crate::args::Run;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{GOOD, paint};

/// Starts the run in a process of its own, and prints its name as soon as it has begun.
pub(super) fn detach(
    session: &mut Session,
    project: &Project,
    args: &Run,
    plan: &str,
) -> Result<u8, Failure> {
    let program = std::env::current_exe()
        .map_err(|why| Failure::new(6, "io", format!("signoff cannot find itself: {why}")))?;
    let by = LaunchedBy::Person;
    let launched = launch_run_with(project, &program, plan, &options(args), by)?;
    let run = launched.run;
    if session.is_json() {
        session.json(&RunView::load(project, &run)?.to_api());
    } else {
        session.out.say(format!(
            "{} run {run}: `signoff log {run} --follow` shows what happens, `signoff inbox` what waits on you",
            paint(GOOD, "started"),
        ));
    }
    Ok(0)
}

/// The options with which the other process runs it. The plan is signed already.
fn options(args: &Run) -> Vec<String> {
    let limits = &args.limits;
    let isolation = args.isolation.and_then(|one| one.to_possible_value());
    let valued = [
        ("--jobs", limits.jobs.map(|jobs| jobs.to_string())),
        ("--until", limits.until.clone()),
        ("--only", limits.only.clone()),
        (
            "--isolation",
            isolation.map(|one| one.get_name().to_owned()),
        ),
        ("--engine", Some("local".to_owned())),
    ];
    let flags = [("--again", args.again), ("--all", args.all)];
    let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
    let valued = valued.into_iter();
    let valued = valued.filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    flags
        .map(|(name, _)| name.to_owned())
        .chain(valued)
        .collect()
}
