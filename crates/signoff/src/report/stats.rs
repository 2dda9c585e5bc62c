//! Statistics about plans, for people.

use signoff_api::stats::Stats;

use crate::style::{DIM, TITLE, paint, sanitize};

/// The statistics, one line each.
pub(crate) fn stats_lines(stats: &Stats) -> Vec<String> {
    let mut lines = vec![paint(TITLE, plans(stats)).to_string()];
    let mut line = |name: &str, value: String| {
        lines.push(format!("{} {value}", paint(DIM, format!("{name:<14}"))));
    };
    line("submitted", stats.proposals.to_string());
    line("approved", approved(stats));
    line("rejected", rejected(stats));
    if let Some(seconds) = stats.median_approval_s {
        line("decided after", format!("{} (median)", duration(seconds)));
    }
    let runs = &stats.runs;
    line(
        "runs",
        format!("{} completed, {} failed", runs.completed, runs.failed),
    );
    for one in &stats.most_rejected {
        let title = sanitize(&one.title);
        let times = if one.rejections == 1 { "once" } else { "times" };
        let often = match one.rejections {
            1 => times.to_owned(),
            many => format!("{many} {times}"),
        };
        line(
            "most rejected",
            format!("{} {often}: {title}", sanitize(&one.id)),
        );
    }
    for gap in &stats.tool_gaps {
        let plans = if gap.plans == 1 {
            "plan asks"
        } else {
            "plans ask"
        };
        let text = format!("{}: {} {plans} for it", sanitize(&gap.tool), gap.plans);
        line("missing tool", text);
    }
    lines
}

fn plans(stats: &Stats) -> String {
    let states: Vec<String> = stats
        .states
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    let word = if stats.plans == 1 { "plan" } else { "plans" };
    match states.as_slice() {
        [] => format!("0 {word}"),
        _ => format!("{} {word}: {}", stats.plans, states.join(", ")),
    }
}

fn approved(stats: &Stats) -> String {
    match stats.approval_rate {
        Some(rate) => format!("{} ({:.0}% of decisions)", stats.approvals, rate * 100.0),
        None => stats.approvals.to_string(),
    }
}

fn rejected(stats: &Stats) -> String {
    match stats.rejections_per_plan {
        Some(each) => format!("{} ({each:.2} for each plan)", stats.rejections),
        None => stats.rejections.to_string(),
    }
}

/// The two largest units: `2d 3h`, `5m 10s`.
fn duration(seconds: u64) -> String {
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let shown: Vec<String> = parts
        .iter()
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    match shown.as_slice() {
        [] => "0s".to_owned(),
        _ => shown.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units_at_most() {
        for (seconds, expected) in [
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3_661, "1h 1m"),
            (86_400 * 2 + 3 * 3600 + 59, "2d 3h"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
    }
}
