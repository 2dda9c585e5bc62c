//! Checks a value against the part of JSON Schema that tools use: `type`, `required`, `properties`,
//! `additionalProperties`, `enum`, `const`, `items`, `minimum` and `maximum`. What else a schema says is
//! not checked here.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::json::{LocatedPart, LocatedValue};
use crate::source::{Span, Spanned};
use crate::suggest::nearest;

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaMismatch {
    pub(crate) span: Span,
    /// A clause about the argument.
    pub(crate) message: String,
    /// What was most likely meant, as text that replaces what stands there.
    pub(crate) suggestion: Option<String>,
}

/// Everything in a value that does not fit a schema. Text that holds a reference fits anything:
/// its value is not known yet.
pub(crate) fn schema_mismatches(value: &LocatedValue<'_>, schema: &Value) -> Vec<SchemaMismatch> {
    let mut found = Vec::new();
    let mut checker = Checker {
        found: &mut found,
        resolved: false,
    };
    checker.value("", value, schema);
    found
}

/// Everything in resolved arguments that does not fit a schema, as clauses about them. No text is a
/// reference any more, whatever it looks like.
pub fn schema_problems(args: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut checker = Checker {
        found: &mut found,
        resolved: true,
    };
    checker.value("", &LocatedValue::new(args, Span::default(), &[]), schema);
    let clause = |misfit: SchemaMismatch| match misfit.suggestion {
        Some(meant) => format!("{}; did you mean `{meant}`?", misfit.message),
        None => misfit.message,
    };
    found.into_iter().map(clause).collect()
}

/// Whether text refers to something that is known only later.
pub(crate) fn is_reference(text: &str) -> bool {
    // Most texts have neither, and the search for two characters takes longer to begin than that.
    if !text.bytes().any(|byte| matches!(byte, b'$' | b'{')) {
        return false;
    }
    let names_step = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    text.strip_prefix('$').is_some_and(names_step) || text.contains("${") || text.contains("{{")
}

struct Checker<'f> {
    found: &'f mut Vec<SchemaMismatch>,
    /// Nothing is left to be known later.
    resolved: bool,
}

impl Checker<'_> {
    fn mismatch(&mut self, span: Span, message: String, suggestion: Option<&str>) {
        self.found.push(SchemaMismatch {
            span,
            message,
            suggestion: suggestion.map(str::to_owned),
        });
    }

    fn value(&mut self, path: &str, value: &LocatedValue<'_>, schema: &Value) {
        if !self.resolved && value.value.as_str().is_some_and(is_reference) {
            return;
        }
        if *schema == Value::Bool(false) {
            self.mismatch(
                value.span,
                format!("{} must not be given", name(path)),
                None,
            );
            return;
        }
        let Value::Object(schema) = schema else {
            return;
        };
        if !self.has_type(path, value, schema) {
            return;
        }
        self.one_of(path, value, schema);
        self.bounds(path, value, schema);
        match value.value {
            Value::Object(_) => self.object(path, value, schema),
            Value::Array(_) => {
                if let Some(items) = schema.get("items") {
                    for (at, LocatedPart { value: item, .. }) in value.parts.iter().enumerate() {
                        self.value(&format!("{path}[{at}]"), item, items);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn has_type(
        &mut self,
        path: &str,
        value: &LocatedValue<'_>,
        schema: &Map<String, Value>,
    ) -> bool {
        let allowed: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        if allowed.is_empty() || allowed.iter().any(|name| is_a(value.value, name)) {
            return true;
        }
        let wanted: Vec<_> = allowed.iter().map(|name| type_description(name)).collect();
        let message = format!(
            "{} must be {}, not {}",
            name(path),
            wanted.join(" or "),
            type_description(kind(value.value))
        );
        self.mismatch(value.span, message, None);
        false
    }

    fn one_of(&mut self, path: &str, value: &LocatedValue<'_>, schema: &Map<String, Value>) {
        let allowed: Vec<&Value> = match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(several)), _) => several.iter().collect(),
            (_, Some(only)) => vec![only],
            _ => return,
        };
        if allowed.contains(&value.value) {
            return;
        }
        let shown = |value: &Value| match value.as_str() {
            Some(text) => format!("`{text}`"),
            None => format!("`{value}`"),
        };
        let names: Vec<_> = allowed.iter().map(|value| shown(value)).collect();
        let message = format!(
            "{} must be one of {}, not {}",
            name(path),
            names.join(", "),
            shown(value.value)
        );
        let words = allowed.iter().filter_map(|value| value.as_str());
        let suggestion = value.value.as_str().and_then(|text| {
            let same = words.clone().find(|word| word.eq_ignore_ascii_case(text));
            same.or_else(|| nearest(text, words))
        });
        self.mismatch(value.span, message, suggestion);
    }

    fn bounds(&mut self, path: &str, value: &LocatedValue<'_>, schema: &Map<String, Value>) {
        let Some(number) = value.value.as_f64() else {
            return;
        };
        let bound = |word: &str| schema.get(word).and_then(Value::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.mismatch(
                value.span,
                format!("{} must be at least {least}", name(path)),
                None,
            );
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.mismatch(
                value.span,
                format!("{} must be at most {most}", name(path)),
                None,
            );
        }
    }

    fn object(&mut self, path: &str, value: &LocatedValue<'_>, schema: &Map<String, Value>) {
        let none = Map::new();
        let properties = match schema.get("properties") {
            Some(Value::Object(properties)) => properties,
            _ => &none,
        };
        let keys = value.parts.iter().filter_map(|part| part.key.as_ref());
        let given: BTreeSet<&str> = keys.map(|key| key.value).collect();
        let names = properties.keys().map(String::as_str);
        let free: Vec<&str> = names.filter(|name| !given.contains(name)).collect();
        // What is only misspelt is not missing as well.
        let mut meant = BTreeSet::new();
        for LocatedPart { key, value: part } in &value.parts {
            let Some(Spanned { value: key, span }) = *key else {
                continue;
            };
            let inner = member_path(path, key);
            match (properties.get(key), schema.get("additionalProperties")) {
                (Some(schema), _) => self.value(&inner, part, schema),
                (None, Some(Value::Bool(false))) => {
                    let suggestion = nearest(key, free.iter().copied());
                    meant.extend(suggestion);
                    self.mismatch(span, format!("{} is not taken", name(&inner)), suggestion);
                }
                (None, Some(schema)) => self.value(&inner, part, schema),
                (None, None) => {}
            }
        }
        if let Some(Value::Array(required)) = schema.get("required") {
            for missing in required.iter().filter_map(Value::as_str) {
                if !given.contains(missing) && !meant.contains(&missing) {
                    let message = format!("{} is missing", name(&member_path(path, missing)));
                    self.mismatch(value.span, message, None);
                }
            }
        }
    }
}

fn member_path(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn name(path: &str) -> String {
    match path {
        "" => "`args`".to_owned(),
        path => format!("`{path}`"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_a(value: &Value, wanted: &str) -> bool {
    match wanted {
        // 2.0 is an integer, as JSON Schema has it.
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        other => kind(value) == other,
    }
}

pub(crate) fn type_description(kind: &str) -> &str {
    match kind {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "`true` or `false`",
        "array" => "a list",
        "object" => "an object",
        "null" => "nothing",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: Value, schema: &Value, expected: &[&str]) {
        let located = LocatedValue::new(&value, Span::default(), &[]);
        let found: Vec<_> = schema_mismatches(&located, schema)
            .into_iter()
            .map(|misfit| match misfit.suggestion {
                Some(suggestion) => format!("{} ({suggestion}?)", misfit.message),
                None => misfit.message,
            })
            .collect();
        assert_eq!(found, expected, "{value}");
    }

    #[test]
    fn every_part_is_checked() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "mode": {"enum": ["fast", "slow"]},
                "lines": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}},
                "note": {"type": ["string", "null"]},
                "more": {"type": "object", "additionalProperties": {"type": "boolean"}, "required": ["x"]},
                "never": false,
            },
            "required": ["path", "lines"],
            "additionalProperties": false,
        });
        check(
            json!({"path": "a", "lines": [1, 2.0], "note": null}),
            &schema,
            &[],
        );
        check(
            json!({"pth": 1, "mode": "Fast", "lines": [0, 10, 1.5, "x"], "note": 1, "more": {"a": 1}, "never": 0}),
            &schema,
            &[
                "`pth` is not taken (path?)",
                "`mode` must be one of `fast`, `slow`, not `Fast` (fast?)",
                "`lines[0]` must be at least 1",
                "`lines[1]` must be at most 9",
                "`lines[2]` must be a whole number, not a number",
                "`lines[3]` must be a whole number, not text",
                "`note` must be text or nothing, not a number",
                "`more.a` must be `true` or `false`, not a number",
                "`more.x` is missing",
                "`never` must not be given",
            ],
        );
        check(
            json!([]),
            &schema,
            &["`args` must be an object, not a list"],
        );
        check(json!({"anything": [1]}), &json!({}), &[]);
        check(json!({"anything": [1]}), &json!(true), &[]);
        check(
            json!("x"),
            &json!({"const": 5}),
            &["`args` must be one of `5`, not `x`"],
        );
    }

    #[test]
    fn references_fit_anything() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        for text in [
            "$step_1",
            "$a.b[0]",
            "x ${a.b} y",
            "{{ item }}",
            "{{ params.n }}",
        ] {
            check(json!({ "n": text }), &schema, &[]);
        }
        let resolved = schema_problems(&json!({"n": "$step_1", "m": 1}), &schema);
        assert_eq!(resolved, ["`n` must be a whole number, not text"]);
        for text in ["$100", "$$a", "$", "x $a", "5"] {
            check(
                json!({ "n": text }),
                &schema,
                &["`n` must be a whole number, not text"],
            );
        }
    }
}
