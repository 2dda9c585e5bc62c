//! A plan in markdown within an answer.

use signoff_plan::dialect::Dialect;

use super::{PlanText, ReplyProblem};

/// Lines within which frontmatter has to end.
const HEADER_LINES: usize = 200;

/// A line that opens or closes a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
    /// It names a language, so that it can only open one.
    is_named: bool,
}

/// Where a plan stands in the lines of an answer.
struct Extent {
    /// Its first line.
    start: usize,
    /// The line behind its last.
    end: usize,
}

/// The plan, in a fence or bare.
pub(super) fn find(text: &str, dialect: Dialect) -> Result<PlanText, ReplyProblem> {
    let lines: Vec<&str> = text.lines().collect();
    let start = first_start(&lines, 0)
        .or_else(|| headless_start(&lines))
        .ok_or(ReplyProblem::NoPlan(dialect))?;
    let around = start.checked_sub(1).and_then(|before| fence(lines[before]));
    let plan = match around {
        Some(around) => in_fence(&lines, start, around)?,
        None => Extent {
            start,
            end: lines.len(),
        },
    };
    if has_second(&lines, &plan) {
        return Err(ReplyProblem::SeveralPlans);
    }
    if lines[plan.end..].iter().any(|line| is_part_of_plan(line)) {
        return Err(ReplyProblem::BehindFence);
    }
    let mut text = lines[plan.start..plan.end].join("\n");
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(PlanText {
        text,
        reasoning: None,
        has_end: around.is_some(),
    })
}

/// The first line at or behind this one that begins the frontmatter of a plan.
fn first_start(lines: &[&str], from: usize) -> Option<usize> {
    (from..lines.len()).find(|at| is_start(lines, *at))
}

fn is_start(lines: &[&str], at: usize) -> bool {
    if lines[at].trim_end() != "---" {
        return false;
    }
    let header = lines[at + 1..].iter().take(HEADER_LINES);
    let mut header = header.take_while(|line| line.trim_end() != "---");
    header.any(|line| {
        let value = line.strip_prefix("type:").map(str::trim);
        value.is_some_and(|value| value.trim_matches(['"', '\'']) == "plan")
    })
}

/// Where a plan without its frontmatter begins: the checks tell what it lacks.
fn headless_start(lines: &[&str]) -> Option<usize> {
    let steps = lines
        .iter()
        .position(|line| line.trim_end() == "## Steps")?;
    let is_first = |line: &&str| line.starts_with("# ") || line.trim_end() == "---";
    Some(lines[..steps].iter().position(is_first).unwrap_or(steps))
}

/// The lines up to the end of the fence around them. A fence inside that is as long as the outer one has to name its
/// language: nothing else tells the two apart.
fn in_fence(lines: &[&str], start: usize, outer: Fence) -> Result<Extent, ReplyProblem> {
    let mut inner: Option<Fence> = None;
    for (at, line) in lines.iter().enumerate().skip(start) {
        let Some(found) = fence(line) else {
            continue;
        };
        let closes =
            |open: Fence| found.mark == open.mark && found.length >= open.length && !found.is_named;
        match inner {
            Some(open) if open.length < outer.length && closes(outer) => {
                return Ok(Extent { start, end: at });
            }
            Some(open) if closes(open) => inner = None,
            Some(_) => {}
            None if closes(outer) => return Ok(Extent { start, end: at }),
            None => inner = Some(found),
        }
    }
    Err(ReplyProblem::Cut)
}

/// Does another plan begin behind the beginning of this one? Plans in fences inside of it are text.
fn has_second(lines: &[&str], plan: &Extent) -> bool {
    let mut inner: Option<Fence> = None;
    let mut at = plan.start + 1;
    while at < plan.end {
        match (fence(lines[at]), inner) {
            (Some(found), Some(open))
                if found.mark == open.mark && found.length >= open.length && !found.is_named =>
            {
                inner = None;
            }
            (Some(found), None) => inner = Some(found),
            (None, None) if is_start(lines, at) => return true,
            _ => {}
        }
        at += 1;
    }
    first_start(lines, plan.end).is_some()
}

fn fence(line: &str) -> Option<Fence> {
    let text = line.trim_start();
    if line.len() - text.len() > 3 {
        return None;
    }
    let mark = text.chars().next().filter(|mark| "`~".contains(*mark))?;
    let rest = text.trim_start_matches(mark);
    let length = text.len() - rest.len();
    let is_fence = length >= 3 && !rest.contains('`');
    is_fence.then_some(Fence {
        mark,
        length,
        is_named: !rest.trim().is_empty(),
    })
}

/// Is it a line that only a plan has?
fn is_part_of_plan(line: &str) -> bool {
    let numbered = line.strip_prefix("### ");
    numbered.is_some_and(|title| title.starts_with(|first: char| first.is_ascii_digit()))
        || ["**task:**", "**contract:**", "**on_fail:**", "**target:**"]
            .iter()
            .any(|label| line.starts_with(label))
}
