//! What a markdown file looks like.

use signoff_plan::dialect::Dialect;

use super::is_slip;

/// Fields that are seldom anything but those of a step.
const STRONG: [&str; 7] = [
    "contract",
    "on_fail",
    "depends_on",
    "subscriptions",
    "contract_timeout",
    "for_each",
    "protects",
];

/// Fields of a step that prose has too.
const WEAK: [&str; 8] = [
    "target", "task", "id", "produces", "tool", "args", "ask", "timeout",
];

/// Fields of the frontmatter of a proposal.
const OF_PROPOSAL: [&str; 8] = [
    "id",
    "title",
    "status",
    "version",
    "created_at",
    "updated_at",
    "planner_model",
    "executor_model",
];

/// So many lines may stand before the first heading where the frontmatter is not marked.
const LEADING: usize = 40;

pub(super) fn guess_dialect(text: &str) -> Option<Dialect> {
    let leading = leading(text);
    let body = Body::of(text);
    if is_workunit(&leading, &body) {
        Some(Dialect::Workunit)
    } else if is_proposal(&leading, &body) {
        Some(Dialect::Proposal)
    } else {
        None
    }
}

fn is_workunit(leading: &[(&str, &str)], body: &Body) -> bool {
    let of = |wanted: &'static str| leading.iter().filter(move |(key, _)| is_slip(key, wanted));
    let said = of("type").any(|(_, value)| value.eq_ignore_ascii_case("plan"));
    let slipped = of("type").any(|(_, value)| is_slip(value, "plan"));
    let kept = of("status").count() + of("owner").count() > 0;
    let fields = body.strong + body.weak;
    said || (slipped && (body.steps || fields > 0))
        || (body.strong > 0 && (fields > 1 || body.steps || kept))
}

fn is_proposal(leading: &[(&str, &str)], body: &Body) -> bool {
    let has_scope = leading
        .iter()
        .any(|(key, _)| is_slip(key, "tools_required"));
    let has_id = leading
        .iter()
        .any(|(key, value)| *key == "id" && value.starts_with("PLAN-"));
    let known = leading
        .iter()
        .filter(|(key, _)| OF_PROPOSAL.contains(key))
        .count();
    ((has_scope || has_id) && (body.steps || known >= 3)) || (known >= 4 && body.listed_steps)
}

/// The keys and values at the top: of the frontmatter, or of what is one but for its marks.
pub(super) fn leading(text: &str) -> Vec<(&str, &str)> {
    let mut lines = text.lines().map(str::trim_end).peekable();
    let marked = lines.next_if(|line| *line == "---").is_some();
    lines
        .take_while(|line| {
            let ends = if marked {
                *line == "---"
            } else {
                line.starts_with('#') || is_fence(line)
            };
            !ends
        })
        .take(LEADING)
        .filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            let value = value.split(" #").next().unwrap_or_default();
            let value = value.trim().trim_matches(['"', '\'']);
            (!key.is_empty() && key.chars().all(plain)).then_some((key, value))
        })
        .collect()
}

/// What stands under the headings, outside of fences: what a text shows as an example is not its own.
#[derive(Default)]
struct Body {
    /// A section `Steps`.
    steps: bool,
    /// With a numbered list in it.
    listed_steps: bool,
    /// Fields under numbered headings.
    strong: usize,
    weak: usize,
}

impl Body {
    fn of(text: &str) -> Self {
        let mut body = Self::default();
        let (mut fence, mut in_steps, mut in_step) = (None, false, false);
        let mut seen: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim_end) {
            if let Some(open) = fence {
                // A longer fence holds shorter ones.
                let run = line.trim_start();
                if run.starts_with(open) && run.trim_start_matches(['`', '~']).is_empty() {
                    fence = None;
                }
                continue;
            }
            if is_fence(line) {
                let run = line.trim_start();
                let rest = run.trim_start_matches(['`', '~']);
                // A text about plans; its fences may not be nested as they should.
                if matches!(rest.trim(), "markdown" | "md") {
                    break;
                }
                fence = run.strip_suffix(rest);
            } else if let Some(heading) = heading(line) {
                in_step = is_numbered(heading);
                if !in_step {
                    in_steps = heading.eq_ignore_ascii_case("steps");
                }
                body.steps |= in_steps;
            } else if in_steps && is_numbered(line) {
                body.listed_steps = true;
            } else if let Some(name) = label(line).filter(|_| in_step) {
                let lower = |known: &&&str| name.eq_ignore_ascii_case(known);
                let strong = STRONG.iter().find(lower).copied();
                let field = strong.or_else(|| WEAK.iter().find(|known| **known == name).copied());
                if let Some(field) = field.filter(|field| !seen.contains(field)) {
                    seen.push(field);
                    body.strong += usize::from(strong.is_some());
                    body.weak += usize::from(strong.is_none());
                }
            }
        }
        body
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let marks = line.len() - text.len();
    ((1..=6).contains(&marks) && text.starts_with([' ', '\t'])).then(|| text.trim())
}

/// `3. Title` or `3) Title`
fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(['.', ')'])
}

/// The name in `**name:** value` or `**name**: value`.
fn label(line: &str) -> Option<&str> {
    let (name, after) = line.strip_prefix("**")?.split_once("**")?;
    match name.strip_suffix(':') {
        Some(name) => Some(name),
        None => after.starts_with(':').then_some(name),
    }
}
