//! A plan's graph: what every way of drawing it says about a step.

pub(crate) mod layout;
pub(crate) mod standing;
pub(crate) mod svg;
pub(crate) mod terminal;
pub(crate) mod text;

use signoff_plan::model::{Step, Work};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) use self::standing::Standing;
use crate::style::harmless;

/// `3. Title`
fn heading(step: &Step) -> String {
    format!("{}. {}", step.number, title(step))
}

/// The title, or what stands in for it where there is none.
fn title(step: &Step) -> String {
    let title = harmless(step.title.trim());
    if title.is_empty() {
        step.id.clone()
    } else {
        title
    }
}

/// Who does it, and what is special about it, in a few words; of a run, how far it is.
fn remark(step: &Step, standing: Option<&Standing<'_>>) -> String {
    let mut words = vec![match &step.work {
        Work::Agent { role, .. } => role.clone().unwrap_or_else(|| "default".to_owned()),
        Work::Tool { tool, .. } => tool.clone(),
        Work::Ask { .. } => "a person answers".to_owned(),
        Work::Check => "check".to_owned(),
    }];
    if step.approval {
        words.push("needs approval".to_owned());
    }
    if step.when.is_some() {
        words.push("conditional".to_owned());
    }
    if step.for_each.is_some() {
        words.push("for each".to_owned());
    }
    if matches!(step.work, Work::Agent { .. }) && step.contract.is_none() {
        words.push("no contract".to_owned());
    }
    if let Some(standing) = standing {
        words.extend(standing.words(step));
    }
    harmless(&words.join(" · "))
}

/// Text of at most so many columns.
fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = columns.saturating_sub(1);
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if width > left {
            break;
        }
        left -= width;
        short.push(c);
    }
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "ab…");
        assert_eq!(shortened("日本語", 5), "日本…");
        assert_eq!(shortened("a b", 2), "a…");
    }
}
