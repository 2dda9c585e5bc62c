//! Diagnostics as SARIF 2.1.0, for code scanning.

use serde_json::{Value, json};
use signoff_plan::diagnostic::{Code, Diagnostic, Fix, Severity};
use signoff_plan::source::{Source, Span};

use crate::check_pages::page;

/// One run of the tool over all files.
pub(crate) fn sarif(found: &[(&Diagnostic, &Source)]) -> Value {
    let rules: Vec<Value> = Code::ALL.iter().map(|code| rule(*code)).collect();
    let results: Vec<Value> = found
        .iter()
        .map(|(diagnostic, source)| result(diagnostic, source))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "signoff",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            // Ours count characters; SARIF would assume UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    let page = page(code);
    json!({
        "id": code.as_str(),
        "shortDescription": {"text": page.what},
        "help": {"text": page.text, "markdown": page.text},
    })
}

fn result(diagnostic: &Diagnostic, source: &Source) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let text = match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut value = json!({
        "ruleId": diagnostic.code.as_str(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == diagnostic.code),
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": physical_location(diagnostic.span, source)}],
    });
    if !diagnostic.related.is_empty() {
        let related = diagnostic.related.iter();
        value["relatedLocations"] = related
            .map(|(span, note)| {
                json!({"physicalLocation": physical_location(*span, source), "message": {"text": note}})
            })
            .collect();
    }
    if let Some(fix) = &diagnostic.fix {
        value["fixes"] = json!([change(fix, diagnostic.help.as_deref(), source)]);
    }
    value
}

fn change(fix: &Fix, help: Option<&str>, source: &Source) -> Value {
    json!({
        "description": {"text": help.unwrap_or("this would solve it")},
        "artifactChanges": [{
            "artifactLocation": artifact(fix.span, source),
            "replacements": [{
                "deletedRegion": region(fix.span, source),
                "insertedContent": {"text": fix.text},
            }],
        }],
    })
}

fn physical_location(span: Span, source: &Source) -> Value {
    json!({"artifactLocation": artifact(span, source), "region": region(span, source)})
}

fn artifact(span: Span, source: &Source) -> Value {
    json!({"uri": uri(&source.name_at(span.start))})
}

fn region(span: Span, source: &Source) -> Value {
    let (line, column) = source.line_column(span.start);
    let (end_line, end_column) = source.line_column(span.end);
    json!({
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    })
}

/// A path as a relative URI, or as a `file:` one where it is absolute.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.trim_start_matches("./").bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if plain {
            uri.push(char::from(byte));
        } else {
            uri.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
    uri
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16)
        .unwrap_or('0')
        .to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("plans/a b#1.md"), "plans/a%20b%231.md");
        assert_eq!(uri("./ü:x.md"), "%C3%BC%3Ax.md");
        assert_eq!(uri("/tmp/a.md"), "file:///tmp/a.md");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }

    #[test]
    fn every_code_is_a_rule_with_its_page() {
        let log = sarif(&[]);
        let rules = log["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .expect("rules");
        assert_eq!(rules.len(), Code::ALL.len());
        for rule in rules {
            assert!(rule["shortDescription"]["text"].is_string(), "{rule}");
        }
    }
}
