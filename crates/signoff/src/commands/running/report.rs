//! `report`: what a run did and how we know, as one page or as JSON.

use std::path::Path;

use signoff_page::graph::layout::StepGraph;
use signoff_page::graph::svg::{Canvas, svg};
use signoff_runtime::runs::view::RunView;
use signoff_runtime::{Clock as _, SystemClock};

use crate::args::{Report, ReportFormat};
use crate::failure::Failure;
use crate::new_files;
use crate::report::graph::RunProgress;
use crate::session::Session;

pub(crate) fn report(session: &mut Session, args: &Report) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, args.run.as_deref())?;
    let report = view.report(&project, SystemClock::new().now())?;
    let text = match args.format {
        ReportFormat::Html => signoff_page::report::file(&report, graph(&view).as_deref()),
        ReportFormat::Json => serde_json::to_string(&report)
            .map_err(|why| Failure::new(6, "json", why.to_string()))?,
    };
    let Some(output) = &args.output else {
        session.out.answer(text);
        return Ok(0);
    };
    let target = session.process.directory.join(output);
    require_directory(&target, output)?;
    let hidden = session.out.secrets().hide(&text).into_owned();
    new_files::write(&target, output, &[(String::new(), hidden)], args.force)?;
    session.out.say(format!("wrote {}", output.display()));
    Ok(0)
}

/// A report is one file: a directory that is missing is more likely a slip than a wish.
fn require_directory(target: &Path, output: &Path) -> Result<(), Failure> {
    let directory = target.parent().unwrap_or(target);
    if directory.is_dir() {
        return Ok(());
    }
    let missing = output.parent().unwrap_or(output).display();
    let message = format!(
        "cannot write {}: there is no directory {missing}",
        output.display()
    );
    Err(Failure::new(6, "file", message).hint(format!("`mkdir -p {missing}` makes it")))
}

/// The drawing; none of a run with too many boxes.
fn graph(view: &RunView) -> Option<String> {
    let progress = RunProgress {
        run: &view.run,
        driven: view.driven,
    };
    let plan = view.run.plan();
    svg(
        plan,
        &StepGraph::of_plan(plan),
        Canvas::Page,
        Some(&progress),
    )
    .ok()
}
