//! Arguments that are what another step gives: where its tool says what that is, it is known before the run whether it fits.

use serde_json::Value;

use crate::check::context::Context;
use crate::json::{LocatedPart, LocatedValue};
use crate::model::Work;
use crate::reference::{PathPart, Reference, TokenKind, scan};
use crate::suggest::nearest;
use crate::tools::built_in;
use crate::tools::schema::{SchemaMismatch, type_description};

/// What of these arguments cannot fit, because of what the steps that they refer to give.
pub(super) fn mismatches(
    context: &Context<'_>,
    args: &LocatedValue<'_>,
    schema: Option<&Value>,
) -> Vec<SchemaMismatch> {
    let wanted = |name: &str| schema?.get("properties")?.get(name);
    let mut found = Vec::new();
    for LocatedPart { key, value } in &args.parts {
        let (Some(key), Some(text)) = (key, value.value.as_str()) else {
            continue;
        };
        let misfits = scan(text)
            .into_iter()
            .filter_map(|token| match &token.kind {
                TokenKind::Whole(reference) => {
                    mismatch(context, reference, key.value, wanted(key.value))
                }
                TokenKind::Inside(reference) => missing_member(context, reference),
                TokenKind::Dollar | TokenKind::Name(_) | TokenKind::Bad(_) => None,
            });
        found.extend(misfits.map(|message| SchemaMismatch {
            span: value.span,
            message,
            suggestion: None,
        }));
    }
    found
}

/// Why a reference in the middle of a text leads to nothing; whatever is there can be part of a text.
fn missing_member(context: &Context<'_>, reference: &Reference<'_>) -> Option<String> {
    let result = result_schema(context, reference.id)?;
    let missing = member(&result, &reference.path).err()?;
    Some(format!("`${{{reference}}}` is nothing: {missing}"))
}

fn mismatch(
    context: &Context<'_>,
    reference: &Reference<'_>,
    argument: &str,
    wanted: Option<&Value>,
) -> Option<String> {
    let result = result_schema(context, reference.id)?;
    let given = match member(&result, &reference.path) {
        Ok(given) => given?,
        Err(missing) => return Some(format!("`${reference}` is nothing: {missing}")),
    };
    let (wanted, is) = (types(wanted?), types(given));
    if wanted.is_empty() || is.is_empty() || wanted.iter().any(|one| is_assignable(one, &is)) {
        return None;
    }
    let names = |types: &[&str]| {
        let names: Vec<_> = types.iter().map(|name| type_description(name)).collect();
        names.join(" or ")
    };
    let message = format!(
        "`{argument}` must be {}, and `${reference}` is {}",
        names(&wanted),
        names(&is)
    );
    let members = given.get("properties").and_then(Value::as_object);
    let better = members.into_iter().flatten().find(|(name, schema)| {
        let is = types(schema);
        *name != "path" && wanted.iter().any(|one| is_assignable(one, &is))
    });
    Some(match better {
        Some((name, _)) => format!("{message}; `${reference}.{name}` would fit"),
        None => message,
    })
}

/// What a step gives, if it calls a tool once and that is known.
fn result_schema(context: &Context<'_>, id: &str) -> Option<Value> {
    let step = context.plan.steps.get(context.position(id)?)?;
    let Work::Tool { tool, .. } = &step.work else {
        return None;
    };
    if step.for_each.is_some() {
        return None;
    }
    match built_in(tool) {
        Some(tool) => Some(tool.output_schema()),
        None => context.workspace.tool_output_schema(tool),
    }
}

/// The schema of what lies at the end of a path, if it is known; or why nothing does.
fn member<'s>(mut schema: &'s Value, path: &[PathPart<'_>]) -> Result<Option<&'s Value>, String> {
    for part in path {
        let (within, written) = match part {
            PathPart::Name(name) => ("object", format!(".{name}")),
            PathPart::Index(index) => ("array", format!("[{index}]")),
        };
        if let [one] = types(schema)[..]
            && one != within
        {
            let what = type_description(one);
            return Err(format!("{what} has no parts such as `{written}`"));
        }
        let next = match part {
            PathPart::Name(name) => {
                let known = schema.get("properties").and_then(Value::as_object);
                let found = known.and_then(|known| known.get(*name));
                if found.is_none()
                    && let Some(known) = known
                    && schema.get("additionalProperties") == Some(&Value::Bool(false))
                {
                    let names = known.keys().map(String::as_str);
                    let all: Vec<_> = known.keys().map(|name| format!("`{name}`")).collect();
                    return Err(match nearest(name, names) {
                        Some(meant) => {
                            format!("there is no `{name}` in it; did you mean `{meant}`?")
                        }
                        None => format!("there is no `{name}` in it, only {}", all.join(", ")),
                    });
                }
                found
            }
            PathPart::Index(_) => schema.get("items"),
        };
        match next {
            Some(next) => schema = next,
            None => return Ok(None),
        }
    }
    Ok(Some(schema))
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Can a value of one of these types be this? Every whole number is a number, and a number may be a whole one.
fn is_assignable(wanted: &str, is: &[&str]) -> bool {
    let number = |name: &str| matches!(name, "number" | "integer");
    is.iter()
        .any(|is| *is == wanted || (number(is) && number(wanted)))
}
