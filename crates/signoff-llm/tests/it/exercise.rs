//! What holds of every answer of a model. The fuzzer `reply` runs this too.

use serde_json::Value;
use signoff_llm::{read_object, read_reply};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::source::Source;

/// Reads bytes as an answer to every question. Nothing may panic or hang, and the laws must hold.
pub(crate) fn reply(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for dialect in [Dialect::Workunit, Dialect::Toolplan, Dialect::Record] {
        plan(&text, dialect);
    }
    match read_object(&text) {
        Ok(object) => {
            // All of it was in the answer, once.
            let again = Value::Object(object.clone()).to_string();
            assert_eq!(read_object(&again), Ok(object), "{text:?}");
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
}

fn plan(text: &str, dialect: Dialect) {
    let found = match read_reply(text, dialect) {
        Ok(found) => found,
        Err(problem) => {
            assert!(!problem.to_string().is_empty());
            return;
        }
    };
    // Nothing is invented: each line of the plan is one of the answer.
    for line in found.text.lines() {
        assert!(text.contains(line), "{line:?} of {text:?}");
    }
    let source = Source::new("draft", found.text.clone().into_bytes());
    let checked = check(&parse_as(&source, dialect), &PermissiveWorkspace);
    if checked.errors() == 0 && !checked.plan.steps.is_empty() {
        // What can be signed is one plan, and whole.
        let answer = match dialect {
            // A part of a record is one only where the answer says so.
            Dialect::Record => format!("{{\"plan\": {}}}", found.text),
            _ => found.text.clone(),
        };
        let again = read_reply(&answer, dialect).map(|plan| plan.text);
        assert_eq!(again.as_deref(), Ok(found.text.as_str()), "{text:?}");
    }
}
