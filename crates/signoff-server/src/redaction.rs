//! Keeps secrets out of what runs tell: journals and logs hold the keys of services that agents and contracts print, and
//! whatever `sandbox.redact` says. The text of a plan is shown as it is, because it is what is signed.

use std::borrow::Cow;

use serde_json::Value;
use signoff_page::Markup;
use signoff_runtime::project::Secrets;

/// A part of a page, with forms that carry this token.
pub(crate) fn hide_in_html(secrets: &Secrets, html: Markup, csrf: &str) -> Markup {
    let text = html.into_string();
    // A pattern may fit the token, without which no form works.
    let parts = text.split(csrf).map(|part| secrets.hide(part));
    signoff_page::PreEscaped(parts.collect::<Vec<_>>().join(csrf))
}

/// Every text of a value.
pub(crate) fn hide_in_json(secrets: &Secrets, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(hidden) = secrets.hide(text) {
                *text = hidden;
            }
        }
        Value::Array(items) => {
            for item in items {
                hide_in_json(secrets, item);
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                hide_in_json(secrets, member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_hidden_and_the_token_of_forms_is_not() {
        let secrets = Secrets::default();
        secrets.add(&["[0-9a-f]{16}".to_owned()]);
        let csrf = "0123456789abcdef";
        let page = format!("<i value=\"{csrf}\">fedcba9876543210</i>");
        let shown = hide_in_html(&secrets, signoff_page::PreEscaped(page), csrf).into_string();
        assert_eq!(shown, format!("<i value=\"{csrf}\">[redacted]</i>"));
        let mut value = json!({"a": ["fedcba9876543210", 5], "b": null});
        hide_in_json(&secrets, &mut value);
        assert_eq!(value, json!({"a": ["[redacted]", 5], "b": null}));
    }
}
