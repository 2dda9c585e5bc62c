//! Statistics about plans, for people.

use signoff_api::stats::Stats;
use signoff_api::usage::AgentUsage;
use signoff_engine::tokens_text;

use crate::style::{DIM, TITLE, paint, sanitize};

/// The statistics, one line each.
pub(crate) fn stats_lines(stats: &Stats) -> Vec<String> {
    let mut lines = vec![paint(TITLE, plans(stats)).to_string()];
    let mut line = |name: &str, value: String| {
        lines.push(format!("{} {value}", paint(DIM, format!("{name:<14}"))));
    };
    line("submitted", stats.proposals.to_string());
    line("approved", approved_text(stats));
    line("rejected", rejected_text(stats));
    if let Some(seconds) = stats.median_approval_s {
        line("decided after", format!("{} (median)", duration(seconds)));
    }
    let runs = &stats.runs;
    line(
        "runs",
        format!("{} completed, {} failed", runs.completed, runs.failed),
    );
    if let Some(usage) = &stats.usage {
        line("used", usage_text(&usage.total));
        for (role, used) in &usage.by_agent {
            line(
                "by agent",
                format!("{}: {}", sanitize(role), usage_text(used)),
            );
        }
        for (model, used) in &usage.by_model {
            line(
                "by model",
                format!("{}: {}", sanitize(model), usage_text(used)),
            );
        }
    }
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

/// `14k tokens · $0.09`
fn usage_text(used: &AgentUsage) -> String {
    let tokens = tokens_text(used.tokens);
    let cost = match used.usd {
        Some(usd) if used.usd_is_partial => format!(" · ≥ ${usd:.2}"),
        Some(usd) => format!(" · ${usd:.2}"),
        None if used.usd_is_partial => " · cost unknown".to_owned(),
        None => String::new(),
    };
    format!("{tokens} tokens{cost}")
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

fn approved_text(stats: &Stats) -> String {
    match stats.approval_rate {
        Some(rate) => format!("{} ({:.0}% of decisions)", stats.approvals, rate * 100.0),
        None => stats.approvals.to_string(),
    }
}

fn rejected_text(stats: &Stats) -> String {
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

    #[test]
    fn an_unknown_cost_is_said_to_be_unknown() {
        let used = |usd, usd_is_partial| {
            usage_text(&AgentUsage {
                tokens: 14_200,
                input_tokens: 14_000,
                output_tokens: 200,
                cache_write_tokens: 0,
                cached_tokens: 5,
                usd,
                usd_is_partial,
            })
        };
        assert_eq!(used(Some(0.094), false), "14k tokens · $0.09");
        assert_eq!(used(Some(0.12), true), "14k tokens · ≥ $0.12");
        assert_eq!(used(None, true), "14k tokens · cost unknown");
    }
}
