//! The graph as an SVG picture in one file, which follows the reader's light or dark mode.

use std::fmt::Write as _;

use signoff_plan::model::{Plan, Step, Work};
use unicode_width::UnicodeWidthStr;

use super::{RunProgress, brief_remark, remark, title};
use crate::graph::layout::StepGraph;
use crate::graph::layout::chains::{Chain, Item, fold};
use crate::graph::layout::layered::{Direction, EdgeSegment, Picture, Point, Size, arrange};
use crate::words::columns::truncate;
use crate::words::sanitize::sanitize;

const STYLE: &str = include_str!("graph.css");

/// How long a chain may be before its middle is folded away.
const LONGEST: usize = 24;

const WIDTH: f64 = 268.0;
/// Columns of text that fit into a box.
const COLUMNS: usize = 33;
const LINE: f64 = 17.0;
const PADDING: f64 = 9.0;
/// Around everything, and the title's height.
const MARGIN: f64 = 24.0;
const HEAD: f64 = 34.0;

/// The preferred maximum size of a picture.
const PAGE: Size = Size {
    width: 1500.0,
    height: 1100.0,
};

/// The maximum number of boxes: more would be unreadable, and slow to place.
pub const MOST_BOXES: usize = 2000;

/// Where a picture is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Canvas {
    /// In a file of its own, with its style and its heading.
    File { full: bool },
    /// In a page that has a style for it. Its steps lead to the places of the page that are about them.
    Page,
}

/// The picture, or the number of boxes if there are too many.
pub fn svg(
    plan: &Plan,
    graph: &StepGraph,
    canvas: Canvas,
    progress: Option<&RunProgress<'_>>,
) -> Result<String, usize> {
    let longest = match canvas {
        Canvas::File { full: true } => usize::MAX,
        Canvas::File { full: false } | Canvas::Page => LONGEST,
    };
    let chains = fold(graph, longest);
    if chains.len() > MOST_BOXES {
        return Err(chains.len());
    }
    let boxes: Vec<ChainBox> = chains
        .iter()
        .map(|chain| ChainBox::new(plan, chain, progress))
        .collect();
    let sizes: Vec<Size> = boxes
        .iter()
        .map(|one| Size {
            width: WIDTH,
            height: one.height,
        })
        .collect();
    let before: Vec<Vec<usize>> = chains.iter().map(|one| one.dependencies.clone()).collect();
    let picture = [Direction::Down, Direction::Right]
        .map(|direction| arrange(&sizes, &before, direction))
        .into_iter()
        .min_by(|one, other| excess_width(one).total_cmp(&excess_width(other)));
    let Some(picture) = picture else {
        return Err(chains.len());
    };
    let backward = backward(graph, &chains, &picture, &sizes);
    Ok(text(plan, canvas, &boxes, &picture, &backward))
}

/// By how much a picture is larger than a page.
fn excess_width(picture: &Picture) -> f64 {
    (picture.size.width / PAGE.width).max(picture.size.height / PAGE.height)
}

/// A chain as it is drawn.
struct ChainBox {
    rows: Vec<BoxRow>,
    height: f64,
}

/// A row of a box: a step, or folded steps.
struct BoxRow {
    /// Number of the step.
    number: String,
    lines: Vec<String>,
    remark: String,
    /// The step's id; nothing for folded steps.
    id: Option<String>,
    /// For the colour.
    class: String,
    /// Everything, for the tooltip.
    full: String,
    height: f64,
}

impl ChainBox {
    fn new(plan: &Plan, chain: &Chain, progress: Option<&RunProgress<'_>>) -> Self {
        let rows: Vec<BoxRow> = chain
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Step(step) => {
                    let step = plan.steps.get(*step)?;
                    Some(BoxRow::step(step, progress))
                }
                Item::Folded(count) => Some(BoxRow::folded_chain(*count)),
            })
            .collect();
        let height = rows.iter().map(|row| row.height).sum();
        Self { rows, height }
    }
}

impl BoxRow {
    fn step(step: &Step, progress: Option<&RunProgress<'_>>) -> Self {
        let number = step.number.to_string();
        let lines = wrap(&title(step), COLUMNS - number.len());
        let height = PADDING * 2.0 + LINE * (count(lines.len()) + 1.0) - 2.0;
        Self {
            remark: truncate(&brief_remark(step, progress), COLUMNS + 4),
            class: match progress {
                Some(progress) => format!("{} is-{}", step.work.kind(), progress.class(step)),
                None => step.work.kind().to_owned(),
            },
            full: format!(
                "{}: {} ({})",
                sanitize(&step.id),
                title(step),
                work_line(step, progress)
            ),
            id: Some(step.id.clone()),
            number,
            lines,
            height,
        }
    }

    fn folded_chain(count: usize) -> Self {
        Self {
            number: String::new(),
            lines: Vec::new(),
            remark: format!("⋮  {count} more, one after the other"),
            id: None,
            class: "folded".to_owned(),
            full: format!("{count} steps, one after the other"),
            height: PADDING * 2.0 + LINE - 2.0,
        }
    }
}

/// The work of a step in a line.
fn work_line(step: &Step, progress: Option<&RunProgress<'_>>) -> String {
    let text = match &step.work {
        Work::Agent { task, .. } => task,
        Work::Ask { question, .. } => question,
        Work::Tool { .. } | Work::Check => return remark(step, progress),
    };
    truncate(&sanitize(text.lines().next().unwrap_or_default()), 120)
}

/// At most two lines.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    if text.width() <= columns {
        return vec![text.to_owned()];
    }
    let mut first = String::new();
    let mut rest = text;
    for word in text.split_inclusive(' ') {
        if first.width() + word.trim_end().width() > columns {
            break;
        }
        first.push_str(word);
        rest = &text[first.len()..];
    }
    if first.is_empty() {
        return vec![truncate(text, columns)];
    }
    vec![first.trim_end().to_owned(), truncate(rest, columns)]
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// Dependencies that close a cycle: from box to box, against the direction.
fn backward(
    graph: &StepGraph,
    chains: &[Chain],
    picture: &Picture,
    sizes: &[Size],
) -> Vec<(Point, Point)> {
    let middle = |step: usize| {
        let chain = chains
            .iter()
            .position(|chain| chain.items.contains(&Item::Step(step)))?;
        let (corner, size) = (picture.boxes.get(chain)?, sizes.get(chain)?);
        Some(Point {
            x: corner.x + size.width,
            y: corner.y + size.height / 2.0,
        })
    };
    graph
        .backward
        .iter()
        .filter_map(|(step, before)| Some((middle(*before)?, middle(*step)?)))
        .collect()
}

fn text(
    plan: &Plan,
    canvas: Canvas,
    boxes: &[ChainBox],
    picture: &Picture,
    backward: &[(Point, Point)],
) -> String {
    let loops = if backward.is_empty() { 0.0 } else { 60.0 };
    let mut svg = match canvas {
        Canvas::File { .. } => file_head(plan, picture, loops),
        Canvas::Page => page_head(picture, loops),
    };
    for segment in &picture.segments {
        line(&mut svg, segment, picture.direction);
    }
    for (drawn, corner) in boxes.iter().zip(&picture.boxes) {
        one_box(&mut svg, canvas, drawn, *corner);
    }
    for (from, to) in backward {
        let out = from.x.max(to.x) + 50.0;
        let _ = writeln!(
            svg,
            "<path class=\"cycle\" d=\"M{:.1} {:.1}C{out:.1} {:.1} {out:.1} {:.1} {:.1} {:.1}\"/>",
            from.x, from.y, from.y, to.y, to.x, to.y
        );
        let (x, y) = (to.x, to.y);
        let _ = writeln!(
            svg,
            "<polygon class=\"cycle-head\" points=\"{x:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
            x + 8.0,
            y - 4.5,
            x + 8.0,
            y + 4.5
        );
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn file_head(plan: &Plan, picture: &Picture, loops: f64) -> String {
    let heading = sanitize(plan.display_title());
    let needed = count(heading.width()) * 9.5;
    let width = picture.size.width.max(needed) + MARGIN * 2.0 + loops;
    let height = picture.size.height + MARGIN * 2.0 + HEAD;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">{}</title>\n<style>\n{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n<text class=\"heading\" x=\"{MARGIN}\" y=\"{:.0}\">{}</text>\n<g transform=\"translate({MARGIN} {:.0})\">\n",
        escape(&heading),
        MARGIN + 12.0,
        escape(&heading),
        MARGIN + HEAD,
    )
}

fn page_head(picture: &Picture, loops: f64) -> String {
    let edge = MARGIN / 2.0;
    let width = picture.size.width + edge * 2.0 + loops;
    let height = picture.size.height + edge * 2.0;
    format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"group\" aria-label=\"Graph of the steps\">\n<g transform=\"translate({edge} {edge})\">\n"
    )
}

fn line(svg: &mut String, segment: &EdgeSegment, direction: Direction) {
    let (from, to) = (segment.from, segment.to);
    if segment.passing {
        let _ = writeln!(
            svg,
            "<path class=\"line\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.x, from.y, to.x, to.y
        );
        return;
    }
    // The head of an arrow ends at the box, so its shaft ends before.
    let head = if segment.ends { 7.0 } else { 0.0 };
    let (bend, end) = match direction {
        Direction::Down => {
            let (end, half) = (to.y - head, f64::midpoint(from.y, to.y - head));
            let bend = format!("{:.1} {half:.1} {:.1} {half:.1}", from.x, to.x);
            (bend, (to.x, end))
        }
        Direction::Right => {
            let (end, half) = (to.x - head, f64::midpoint(from.x, to.x - head));
            let bend = format!("{half:.1} {:.1} {half:.1} {:.1}", from.y, to.y);
            (bend, (end, to.y))
        }
    };
    let _ = writeln!(
        svg,
        "<path class=\"line\" d=\"M{:.1} {:.1}C{bend} {:.1} {:.1}\"/>",
        from.x, from.y, end.0, end.1
    );
    if segment.ends {
        let (x, y) = (to.x, to.y);
        let points = match direction {
            Direction::Down => format!(
                "{x:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}",
                x - 4.5,
                y - 8.0,
                x + 4.5,
                y - 8.0
            ),
            Direction::Right => format!(
                "{x:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}",
                x - 8.0,
                y - 4.5,
                x - 8.0,
                y + 4.5
            ),
        };
        let _ = writeln!(svg, "<polygon class=\"head\" points=\"{points}\"/>");
    }
}

fn one_box(svg: &mut String, canvas: Canvas, drawn: &ChainBox, corner: Point) {
    let _ = writeln!(
        svg,
        "<g transform=\"translate({:.1} {:.1})\">\n<rect class=\"box\" width=\"{WIDTH}\" height=\"{:.1}\" rx=\"7\"/>",
        corner.x, corner.y, drawn.height
    );
    let mut top = 0.0;
    for (index, row) in drawn.rows.iter().enumerate() {
        let link = row.id.as_deref().filter(|_| canvas == Canvas::Page);
        if let Some(id) = link {
            let id = escape(id);
            let _ = write!(svg, "<a href=\"#step-{id}\" id=\"node-{id}\">");
        }
        let _ = write!(
            svg,
            "<g class=\"{}\"><title>{}</title>",
            row.class,
            escape(&row.full)
        );
        if index > 0 {
            let _ = write!(
                svg,
                "<path class=\"rule\" d=\"M14 {top:.1}H{:.1}\"/>",
                WIDTH - 8.0
            );
        }
        let _ = write!(
            svg,
            "<rect class=\"bar\" x=\"0\" y=\"{:.1}\" width=\"4\" height=\"{:.1}\" rx=\"2\"/>",
            top + 6.0,
            row.height - 12.0
        );
        let mut base = top + PADDING + 12.0;
        for (at, line) in row.lines.iter().enumerate() {
            if at == 0 {
                let _ = write!(
                    svg,
                    "<text class=\"number\" x=\"14\" y=\"{base:.1}\">{}</text>",
                    row.number
                );
            }
            let indent = 14.0 + 8.0 * count(row.number.len()) + 8.0;
            let _ = write!(
                svg,
                "<text class=\"title\" x=\"{indent:.1}\" y=\"{base:.1}\">{}</text>",
                escape(line)
            );
            base += LINE;
        }
        let close = if link.is_some() { "</a>" } else { "" };
        let _ = writeln!(
            svg,
            "<text class=\"remark\" x=\"14\" y=\"{base:.1}\">{}</text></g>{close}",
            escape(&row.remark)
        );
        top += row.height;
    }
    svg.push_str("</g>\n");
}

/// Text inside an element. XML has no way to write the other control characters at all.
fn escape(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('?'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            escape("<a href=\"x\">&\u{ffff}"),
            "&lt;a href=&quot;x&quot;&gt;&amp;?"
        );
    }

    #[test]
    fn titles_take_two_lines_at_most() {
        assert_eq!(wrap("one two", 10), ["one two"]);
        assert_eq!(wrap("one two three four", 10), ["one two", "three four"]);
        assert_eq!(
            wrap("one two three four five", 10),
            ["one two", "three fou…"]
        );
        assert_eq!(wrap("abcdefghijklmn", 5), ["abcd…"]);
    }
}
