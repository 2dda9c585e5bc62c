//! The graph in a terminal: a line for each step, its dependencies drawn beside it.

use anstyle::{AnsiColor, Style};
use signoff_engine::StepStatus;
use signoff_plan::model::{Plan, Step, Work};
use unicode_width::UnicodeWidthStr;

use super::{RunProgress, heading, remark};
use crate::report::columns::truncate;
use crate::report::graph::layout::StepGraph;
use crate::report::graph::layout::chains::{Chain, Item, fold};
use crate::report::graph::layout::lanes::{LaneRow, draw};
use crate::style::{CARE, DIM, ERROR, GOOD, HINT, paint, sanitize};

/// How long a chain may be before its middle is folded away.
const LONGEST: usize = 16;

/// Columns that the text of a step needs at least.
const TEXT: usize = 28;

/// How a drawing labels a step.
pub(crate) struct StepLabels<'a> {
    /// The text, in so many columns.
    pub(crate) text: &'a dyn Fn(&Step, usize) -> String,
    /// The symbol.
    pub(crate) sign: &'a dyn Fn(&Step) -> (&'static str, Style),
}

/// The drawing, line by line. Chains are folded unless the `full` graph is wanted.
pub(crate) fn lines(
    plan: &Plan,
    graph: &StepGraph,
    full: bool,
    width: usize,
    progress: Option<&RunProgress<'_>>,
) -> Vec<String> {
    let longest = if full { usize::MAX } else { LONGEST };
    let labels = StepLabels {
        text: &|step, columns| step_text(step, columns, progress),
        sign: &|step| {
            progress.map_or_else(|| kind(step), |progress| state_sign(progress.status(step)))
        },
    };
    let mut lines = tree(plan, graph, longest, width, &labels);
    for (step, before) in &graph.backward {
        if let (Some(step), Some(before)) = (plan.steps.get(*step), plan.steps.get(*before)) {
            let (id, before) = (sanitize(&step.id), sanitize(&before.id));
            let what = if id == before {
                format!("{id} waits for itself")
            } else {
                format!("{id} waits for {before}, which waits for it")
            };
            lines.push(format!("{} {what}", paint(ERROR, "!")));
        }
    }
    lines.extend(match progress {
        Some(progress) => legend(plan, labels.sign, |step| progress.class(step)),
        None => legend(plan, labels.sign, |step| step.work.kind()),
    });
    lines
}

/// The steps with the lines between them. Chains that are longer than `longest` are folded.
pub(crate) fn tree(
    plan: &Plan,
    graph: &StepGraph,
    longest: usize,
    width: usize,
    labels: &StepLabels<'_>,
) -> Vec<String> {
    let chains = fold(graph, longest);
    let nodes = Nodes::new(&chains);
    let free = nodes.dependencies.iter().all(Vec::is_empty);
    let lanes = width.saturating_sub(TEXT) / 2;
    let mut lines = match draw(&nodes.dependencies, lanes).filter(|_| !free) {
        Some(rows) => draw_nodes(plan, &nodes, &rows, width, labels),
        None => list_steps(plan, graph, width, labels),
    };
    if free && nodes.items.len() > 1 {
        lines.push(paint(DIM, "no step waits for another").to_string());
    }
    lines
}

/// The items of all chains in the order they are drawn, and what each waits for.
struct Nodes {
    items: Vec<Item>,
    dependencies: Vec<Vec<usize>>,
}

impl Nodes {
    fn new(chains: &[Chain]) -> Self {
        let mut last = Vec::new();
        let mut nodes = Self {
            items: Vec::new(),
            dependencies: Vec::new(),
        };
        for chain in chains {
            let mut before: Vec<usize> = chain
                .dependencies
                .iter()
                .filter_map(|other| last.get(*other).copied())
                .collect();
            for item in &chain.items {
                nodes.items.push(*item);
                nodes.dependencies.push(before);
                before = vec![nodes.items.len() - 1];
            }
            last.push(nodes.items.len().saturating_sub(1));
        }
        nodes
    }
}

fn draw_nodes(
    plan: &Plan,
    nodes: &Nodes,
    rows: &[LaneRow],
    width: usize,
    labels: &StepLabels<'_>,
) -> Vec<String> {
    let lanes = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let columns = width.saturating_sub(lanes * 2 + 1);
    rows.iter()
        .map(|row| {
            let item = row.node.and_then(|node| nodes.items.get(node));
            let (glyph, text) = match item {
                Some(Item::Step(step)) => match plan.steps.get(*step) {
                    Some(step) => (glyph(labels, step), (labels.text)(step, columns)),
                    None => (String::new(), String::new()),
                },
                Some(Item::Folded(count)) => {
                    let text = format!("… {count} more, one after the other");
                    ("┊".to_owned(), paint(DIM, text).to_string())
                }
                None => (String::new(), String::new()),
            };
            let mut line = String::new();
            for cell in &row.cells {
                if cell.node {
                    line.push_str(&glyph);
                } else {
                    line.push(cell.line());
                }
                line.push(if cell.gap { '─' } else { ' ' });
            }
            if row.node.is_some() {
                let missing = lanes.saturating_sub(row.cells.len()) * 2;
                line.extend(std::iter::repeat_n(' ', missing + 1));
            }
            line.push_str(&text);
            line.trim_end().to_owned()
        })
        .collect()
}

fn step_text(step: &Step, columns: usize, progress: Option<&RunProgress<'_>>) -> String {
    let remark = remark(step, progress);
    let heading = heading(step);
    // The remark is cut first.
    let wanted = heading.width() + 2 + remark.width();
    if wanted <= columns {
        return format!("{heading}  {}", paint(DIM, remark));
    }
    let left = columns.saturating_sub(heading.width() + 2);
    if left >= 8 {
        return format!("{heading}  {}", paint(DIM, truncate(&remark, left)));
    }
    truncate(&heading, columns)
}

/// The steps as a list with the numbers of their dependencies, for a graph that is too wide to draw.
fn list_steps(
    plan: &Plan,
    graph: &StepGraph,
    width: usize,
    labels: &StepLabels<'_>,
) -> Vec<String> {
    let chains = fold(graph, usize::MAX);
    let steps = chains.iter().flat_map(|chain| &chain.items);
    steps
        .filter_map(|item| match item {
            Item::Step(step) => Some((*step, plan.steps.get(*step)?)),
            Item::Folded(_) => None,
        })
        .map(|(position, step)| {
            let before = graph.dependencies.get(position).into_iter().flatten();
            let numbers: Vec<String> = before
                .filter_map(|other| Some(plan.steps.get(*other)?.number.to_string()))
                .collect();
            let after = match numbers.as_slice() {
                [] => String::new(),
                numbers => truncate(&format!("  ← {}", numbers.join(" ")), width / 2),
            };
            let columns = width.saturating_sub(2 + after.width());
            let text = (labels.text)(step, columns);
            format!("{} {text}{}", glyph(labels, step), paint(DIM, after))
        })
        .collect()
}

fn glyph(labels: &StepLabels<'_>, step: &Step) -> String {
    let (sign, style) = (labels.sign)(step);
    paint(style, sign).to_string()
}

/// A sign for each kind of work.
pub(crate) fn kind(step: &Step) -> (&'static str, Style) {
    match step.work {
        Work::Agent { .. } => ("●", AnsiColor::Blue.on_default().bold()),
        Work::Tool { .. } => ("◆", AnsiColor::Magenta.on_default().bold()),
        Work::Ask { .. } => ("?", CARE),
        Work::Check => ("○", AnsiColor::Green.on_default().bold()),
    }
}

/// What the signs mean.
fn legend(
    plan: &Plan,
    sign: &dyn Fn(&Step) -> (&'static str, Style),
    word: impl Fn(&Step) -> &'static str,
) -> Option<String> {
    let mut seen: Vec<&str> = Vec::new();
    let mut entries = Vec::new();
    for step in &plan.steps {
        let word = word(step);
        if !seen.contains(&word) {
            let (sign, style) = sign(step);
            entries.push(format!("{} {}", paint(style, sign), paint(DIM, word)));
            seen.push(word);
        }
    }
    (!entries.is_empty()).then(|| format!("\n{}", entries.join("   ")))
}

/// The symbol for the state of a step.
fn state_sign(status: StepStatus) -> (&'static str, Style) {
    match status {
        StepStatus::Completed => ("✓", GOOD),
        StepStatus::Failed => ("✗", ERROR),
        StepStatus::Waiting => ("?", CARE),
        StepStatus::Running | StepStatus::Verifying => ("▸", HINT),
        StepStatus::Skipped | StepStatus::Blocked => ("–", DIM),
        StepStatus::Pending | StepStatus::Ready => ("·", DIM),
    }
}
