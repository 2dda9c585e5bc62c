//! Values for placeholders: which are required, and whether each one stays inside its field.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::dialect::parse;
use signoff_plan::draft::Draft;
use signoff_plan::source::Source;

use super::draft_difference::{self, DraftDifference};
use super::{library, plan_name, template};
use crate::args::New;
use crate::failure::Failure;

/// Fills every placeholder; reports all missing, unknown and misplaced values at once.
pub(super) fn fill_template(label: &str, text: &str, args: &New) -> Result<String, Failure> {
    let name = args.name.as_deref().map(plan_name);
    let mut problems = Vec::new();
    if let Some(name) = name.filter(|name| name.is_empty() || name.contains(['/', '\0', '\n'])) {
        problems.push(format!("`{name}` is not a name; `-o` takes a path"));
    }
    let placeholders = template::placeholders(text);
    let mut values = BTreeMap::new();
    for (param, value) in parse_pairs(&args.set, &mut problems) {
        if placeholders.iter().any(|placeholder| placeholder == param) {
            values.insert(param.to_owned(), value.to_owned());
        } else {
            problems.push(unknown(label, param, &placeholders));
        }
    }
    for placeholder in required_params(text) {
        if args.set.iter().any(|pair| sets_param(pair, &placeholder)) {
            continue;
        }
        match name.and_then(|name| library::default(&placeholder, name)) {
            Some(value) => {
                values.insert(placeholder, value);
            }
            None => problems.push(format!(
                "`{placeholder}` is missing: `--set {placeholder}=…`"
            )),
        }
    }
    if !problems.is_empty() {
        let mut failure = Failure::new(2, "params", format!("cannot fill in {label}"));
        failure.details = problems;
        return Err(failure.hint("`signoff new --list` shows what each template needs"));
    }
    let misplaced = misplaced_values(text, &values);
    if misplaced.is_empty() {
        return Ok(template::fill_placeholders(text, &values));
    }
    let message = "a value would change the steps or fields of the plan";
    let mut failure = Failure::new(2, "params", message);
    failure.details = misplaced;
    Err(failure
        .hint("a value in a text may have several lines, but no heading, label or fence of a plan"))
}

/// The placeholders that need a value, in order of first use. Parameters that the plan itself declares are left for
/// the run.
pub(super) fn required_params(text: &str) -> Vec<String> {
    let mut placeholders = template::placeholders(text);
    let declared = declared_params(text);
    placeholders.retain(|placeholder| !declared.contains(placeholder));
    placeholders
}

/// The parameters that a plan itself declares.
pub(super) fn declared_params(text: &str) -> Vec<String> {
    // Inside a YAML flow mapping a placeholder would be read as more braces.
    let placeholders = template::placeholders(text);
    let params = read(text, &stand_ins(text, &placeholders))
        .params
        .into_iter();
    params.map(|(name, _)| name.value).collect()
}

/// Parses the values of `--set`; adds to `problems` what is malformed.
pub(super) fn parse_pairs<'a>(
    set: &'a [String],
    problems: &mut Vec<String>,
) -> Vec<(&'a str, &'a str)> {
    let mut seen = BTreeSet::new();
    let mut pairs = Vec::new();
    for pair in set {
        match pair.split_once('=') {
            None => problems.push(format!("`--set {pair}` has no `=`")),
            Some((name, _)) if !seen.insert(name) => {
                problems.push(format!("`{name}` is given twice"));
            }
            Some((name, value)) if value.trim().is_empty() => {
                problems.push(format!("`{name}` is empty: `--set {name}=…`"));
            }
            Some(pair) => pairs.push(pair),
        }
    }
    pairs
}

fn sets_param(pair: &str, placeholder: &str) -> bool {
    pair.split_once('=')
        .is_some_and(|(name, _)| name == placeholder)
}

fn unknown(label: &str, param: &str, placeholders: &[String]) -> String {
    let near = placeholders
        .iter()
        .map(|placeholder| (strsim::damerau_levenshtein(placeholder, param), placeholder))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, near)) => format!("{label} has no `{param}`; did you mean `{near}`?"),
        None if placeholders.is_empty() => {
            format!("{label} has no `{param}`; it has no parameters")
        }
        None => format!(
            "{label} has no `{param}`; it has {}",
            placeholders.join(", ")
        ),
    }
}

/// Finds values that change more than their own field. Parses the text once with neutral words and once with the value:
/// only the fields that contain the word may differ, and only by it.
pub(super) fn misplaced_values(text: &str, values: &BTreeMap<String, String>) -> Vec<String> {
    let placeholders: Vec<String> = values.keys().cloned().collect();
    let words = stand_ins(text, &placeholders);
    let harmless = read(text, &words);
    let problem = |name: &str, difference: DraftDifference| format!("`{name}`: {difference}");
    let mut found = Vec::new();
    for (name, value) in values {
        let mut one = words.clone();
        let word = one.insert(name.clone(), value.clone());
        let word = word.expect("each value has a stand-in");
        let put = BTreeMap::from([(word, value.clone())]);
        let difference = draft_difference::difference(&harmless, &put, &read(text, &one));
        found.extend(difference.map(|difference| problem(name, difference)));
    }
    if found.is_empty() {
        let put = words.iter().filter_map(|(name, word)| {
            let value = values.get(name)?;
            Some((word.clone(), value.clone()))
        });
        let all = draft_difference::difference(&harmless, &put.collect(), &read(text, values));
        found.extend(all.map(|difference| problem(&placeholders.join("`, `"), difference)));
    }
    found
}

/// For each placeholder a word that does not occur in the text.
fn stand_ins(text: &str, placeholders: &[String]) -> BTreeMap<String, String> {
    let letters = |rest: &str| rest.bytes().take_while(|byte| *byte == b'x').count();
    let longest = text.split("value").skip(1).map(letters).max();
    let stem = format!(
        "value{}",
        "x".repeat(longest.map_or(0, |letters| letters + 1))
    );
    let placeholders = placeholders.iter().enumerate();
    // The last letter keeps the first word from being a prefix of the tenth.
    placeholders
        .map(|(at, placeholder)| (placeholder.clone(), format!("{stem}{at}z")))
        .collect()
}

fn read(text: &str, values: &BTreeMap<String, String>) -> Draft {
    let text = template::fill_placeholders(text, values);
    parse(&Source::new("<template>", text.into_bytes()))
}
