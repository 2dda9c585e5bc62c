//! A plan in JSON within an answer.

use std::ops::Range;

use signoff_plan::dialect::Dialect;

use super::{PlanText, ReplyProblem};

/// The plan, in a fence or bare: the only object that has the members of one.
pub(super) fn find(text: &str, dialect: Dialect) -> Result<PlanText, ReplyProblem> {
    let mut found: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(start) = next_object(text, at) {
        let Some(end) = value_end(text, start) else {
            let rest = text.get(start..).unwrap_or_default();
            if rest.contains("\"steps\"") || rest.contains("\"plan\"") {
                return Err(ReplyProblem::Cut);
            }
            break;
        };
        let object = text.get(start..end).unwrap_or_default();
        match plans_in(object) {
            0 => {}
            1 => found.push(object),
            _ => return Err(ReplyProblem::SeveralPlans),
        }
        at = end;
    }
    match found.as_slice() {
        [] => Err(ReplyProblem::NoPlan(dialect)),
        [object] => Ok(unwrap_plan(object, dialect)),
        _ => Err(ReplyProblem::SeveralPlans),
    }
}

/// The next object that begins a line, or the first of all if none does.
fn next_object(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let mut at = from;
    for (index, line) in rest.split_inclusive('\n').enumerate() {
        let indent = line.len() - line.trim_start().len();
        // What follows an object on its line does not begin one.
        let is_whole = index > 0 || from == 0;
        if is_whole && line.get(indent..).is_some_and(|line| line.starts_with('{')) {
            return Some(at + indent);
        }
        at += line.len();
    }
    text.find('{').filter(|_| from == 0)
}

/// How many plans an object is or holds.
fn plans_in(object: &str) -> usize {
    let members = members(object);
    let plans = members.iter().filter(|(key, value)| {
        let value = object.get(value.clone()).unwrap_or_default();
        match key.as_str() {
            "steps" => value.starts_with('['),
            "plan" => value.starts_with('{'),
            _ => false,
        }
    });
    plans.count()
}

/// `{"plan": …, "reasoning": …}` as its plan; everything else as it is.
fn unwrap_plan(object: &str, dialect: Dialect) -> PlanText {
    let members = members(object);
    let member = |name: &str| {
        let (_, value) = members.iter().find(|(key, _)| key == name)?;
        object.get(value.clone())
    };
    let plan = member("plan").filter(|_| dialect == Dialect::Record && member("steps").is_none());
    let reasoning = member("reasoning").and_then(|text| serde_json::from_str(text).ok());
    PlanText {
        text: format!("{}\n", plan.unwrap_or(object)),
        reasoning: reasoning.filter(|_| plan.is_some()),
        has_end: true,
    }
}

/// The members of an object, each key with the place of its value.
fn members(object: &str) -> Vec<(String, Range<usize>)> {
    let mut members = Vec::new();
    let mut at = 1;
    while let Some(key) = skip_to(object, at, '"') {
        let Some(key_end) = string_end(object, key) else {
            break;
        };
        let Some(colon) = skip_to(object, key_end, ':') else {
            break;
        };
        let start = skip_blank(object, colon + 1);
        let Some(end) = value_end(object, start) else {
            break;
        };
        let name = serde_json::from_str(object.get(key..key_end).unwrap_or_default());
        members.extend(name.ok().map(|name: String| (name, start..end)));
        at = match skip_to(object, end, ',') {
            Some(comma) => comma + 1,
            None => break,
        };
    }
    members
}

/// The end of the value that begins here; `None` if it has none.
fn value_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(text, at)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return Some(at + usize::from(depth == 1)),
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The end of the text in quotes that begins here.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Past blanks and comments.
fn skip_blank(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') => at = line_end(bytes, at),
            _ => return at,
        }
    }
}

/// The place of this character, if nothing but blanks and comments is before it.
fn skip_to(text: &str, from: usize, wanted: char) -> Option<usize> {
    let at = skip_blank(text, from);
    let found = text.get(at..)?.starts_with(wanted);
    found.then_some(at)
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let line = rest.iter().position(|byte| *byte == b'\n');
    line.map_or(bytes.len(), |length| from + length)
}
