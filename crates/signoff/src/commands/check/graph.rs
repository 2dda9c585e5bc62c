//! `graph`: the dependencies between steps.

use std::ffi::OsStr;

use signoff_plan::model::Plan;
use signoff_plan::tools::stop_reasons;
use signoff_runtime::runs::view::RunView;

use crate::args::{Graph, GraphFormat};
use crate::commands::running::dry_run::asks_line;
use crate::failure::Failure;
use crate::plan_paths::{read, workspace};
use crate::report::graph::layout::StepGraph;
use crate::report::graph::svg::Canvas;
use crate::report::graph::{RunProgress, svg, terminal, text};
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{DIM, TITLE, paint, sanitize};

/// Columns of a drawing that goes to a file or another program.
const NO_TERMINAL: usize = 100;

pub(crate) fn graph(session: &mut Session, args: &Graph) -> Result<u8, Failure> {
    if let Some(run) = &args.run {
        let project = session.project()?;
        let named = Some(run.as_str()).filter(|run| !run.is_empty());
        let view = RunView::find(&project, named)?;
        let progress = RunProgress {
            run: &view.run,
            driven: view.driven,
        };
        draw(session, args, view.run.plan(), Some(&progress))?;
        return Ok(0);
    }
    let path = args.path.as_ref().expect("clap requires a plan or a run");
    let file = read(session, path, args.dialect)?;
    draw(session, args, &file.checked.plan, None)?;
    if args.format == GraphFormat::Terminal {
        let plan = &file.checked.plan;
        let workspace = workspace(session)?;
        let asks = stop_reasons(plan, &workspace)
            .into_iter()
            .enumerate()
            .filter(|(_, why)| !why.is_empty())
            .collect();
        if let Some(line) = asks_line(plan, &asks) {
            session.out.answer(line);
        }
    }
    if file.checked.errors() > 0 {
        let name = shell_word(file.source.name());
        let note = format!(
            "the plan has errors; this draws what could be read: `signoff verify {name}` shows them"
        );
        session.out.say(paint(DIM, note));
    }
    Ok(0)
}

fn draw(
    session: &mut Session,
    args: &Graph,
    plan: &Plan,
    progress: Option<&RunProgress<'_>>,
) -> Result<(), Failure> {
    let layout = StepGraph::of_plan(plan);
    match args.format {
        GraphFormat::Terminal => {
            let width = args.width.unwrap_or_else(|| columns(session).max(20));
            let title = sanitize(plan.display_title());
            session.out.answer(paint(TITLE, title));
            for line in terminal::lines(plan, &layout, args.full, width, progress) {
                session.out.answer(line);
            }
        }
        GraphFormat::Svg => {
            match svg::svg(plan, &layout, Canvas::File { full: args.full }, progress) {
                Ok(picture) => session.out.write_unredacted(picture.as_bytes()),
                Err(boxes) => {
                    let most = svg::MOST_BOXES;
                    let message =
                        format!("a picture can have {most} boxes, and this one needs {boxes}");
                    return Err(Failure::new(1, "too-large", message)
                        .hint("`--format terminal` and `--format dot` have no such limit"));
                }
            }
        }
        GraphFormat::Mermaid => {
            let picture = text::mermaid(plan, &layout, progress);
            session.out.write_unredacted(picture.as_bytes());
        }
        GraphFormat::Dot => {
            let picture = text::dot(plan, &layout, progress);
            session.out.write_unredacted(picture.as_bytes());
        }
    }
    Ok(())
}

/// The width for the drawing.
fn columns(session: &Session) -> usize {
    let said = session.process.variables.get(OsStr::new("COLUMNS"));
    let said = said.and_then(|value| value.to_str()?.parse().ok());
    terminal_size::terminal_size_of(std::io::stdout())
        .map(|(width, _)| usize::from(width.0))
        .or(said)
        .unwrap_or(NO_TERMINAL)
}
