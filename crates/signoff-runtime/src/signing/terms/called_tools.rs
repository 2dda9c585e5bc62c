//! Which tools a plan calls, with their descriptions: a signature covers those, too.

use serde_json::{Value, json};
use signoff_api::tool_record::ToolRecord;
use signoff_plan::digest::Digest;
use signoff_plan::model::{Plan, Work};
use signoff_plan::tools::{Tool, built_in};
use signoff_store::config::Config;
use signoff_store::terms::CalledTools;
use signoff_store::tool_record::find;

/// The tools that steps of this plan call. One that nobody can say anything about adds nothing, so that
/// recording it later changes the terms.
pub(crate) fn called_tools(plan: &Plan, config: &Config, record: &ToolRecord) -> CalledTools {
    let mut called = CalledTools::default();
    let names = plan.steps.iter().filter_map(|step| match &step.work {
        Work::Tool { tool, .. } => Some(tool),
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => None,
    });
    for name in names {
        if let Some(tool) = built_in(name) {
            called.tools.insert(name.clone(), tool_description(tool));
            continue;
        }
        let server = name.split_once('.').map(|(server, _)| server);
        if let Some((server, configured)) =
            server.and_then(|name| config.servers.get_key_value(name))
        {
            let configured = &configured.value;
            let timeout = configured.timeout.map(|timeout| timeout.as_secs_f64());
            let mut value = json!({
                "command": configured.command,
                "env": configured.env,
                "read_only": configured.read_only,
                "repeatable": configured.repeatable,
                "timeout_s": timeout,
            });
            // Not there where it is not set: such terms are what they always were.
            let confined = configured.confined.then_some(Value::Bool(true));
            let text = |text: &Option<String>| text.clone().map(Value::String);
            let others = [
                ("confined", confined),
                ("url", text(&configured.url)),
                ("token_env", text(&configured.token_env)),
            ];
            let others = others.into_iter();
            let others = others.filter_map(|(name, other)| Some((name.to_owned(), other?)));
            if let Some(value) = value.as_object_mut() {
                value.extend(others);
            }
            called.servers.insert(server.clone(), value);
        }
        if let Some(tool) = find(record, name) {
            let rules = json!({"input_schema": tool.input_schema, "read_only": tool.read_only});
            called.tools.insert(name.clone(), hash(&rules));
        }
    }
    called
}

/// What a version of ours makes of a built-in tool.
fn tool_description(tool: &Tool) -> String {
    let approval = tool.approval.signed_text();
    hash(&json!({"input_schema": tool.input_schema(), "approval": approval}))
}

fn hash(value: &Value) -> String {
    Digest::of_bytes(value.to_string().as_bytes()).hex()
}

#[cfg(test)]
mod tests {
    use signoff_store::config::{ServerSettings, Setting};

    use super::super::tests::given;
    use super::*;

    #[test]
    fn only_what_is_called_counts() {
        let steps = [
            "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n",
            "**tool:** toy.get\n",
            "**tool:** toy.put\n",
        ];
        let plan = given(&["a"], &steps).plan;
        let mut config = Config::default();
        for name in ["toy", "unused"] {
            let server = ServerSettings {
                command: vec!["toy".to_owned()],
                ..ServerSettings::default()
            };
            let server = Setting::built_in(server);
            config.servers.insert(name.to_owned(), server);
        }
        let record = |schema: &str| -> ToolRecord {
            let tool = |name: &str| json!({"name": name, "description": schema, "read_only": false, "input_schema": {"type": schema}});
            serde_json::from_value(json!({
                "schema": "signoff.tool_record/1",
                "servers": {"toy": {"command": ["toy"], "tools": [tool("get"), tool("other")]}},
            }))
            .unwrap()
        };
        let signed = called_tools(&plan, &config, &record("object"));
        let names: Vec<_> = signed.tools.keys().collect();
        assert_eq!(names, ["read_file", "toy.get"]);
        assert_eq!(signed.servers.keys().collect::<Vec<_>>(), ["toy"]);
        assert_ne!(called_tools(&plan, &config, &record("string")), signed);
        let mut elsewhere = config.clone();
        let toy = &mut elsewhere.servers.get_mut("toy").unwrap().value;
        toy.url = Some("https://a.example/mcp".to_owned());
        let there = called_tools(&plan, &elsewhere, &record("object"));
        assert_ne!(there, signed, "another server");
        let toy = &mut elsewhere.servers.get_mut("toy").unwrap().value;
        toy.url = Some("https://b.example/mcp".to_owned());
        assert_ne!(called_tools(&plan, &elsewhere, &record("object")), there);
        let without = given(&["a"], &["**contract:**\n```shell\nfalse\n```\n"]).plan;
        assert_eq!(
            called_tools(&without, &config, &record("object")),
            CalledTools::default()
        );
    }
}
