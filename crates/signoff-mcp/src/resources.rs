//! Plans, runs and reports as resources.

mod report;

use std::fmt::Write as _;

use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use signoff_api::report::Report;
use signoff_api::run::Run;
use signoff_runtime::plans::{ListOptions, PlanView};
use signoff_runtime::runs::listed_run::ListedRun;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::{Clock as _, SystemClock};

use crate::context::{Context, by_agent};
use crate::errors::{ToolError, value_of};

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
const TEXT: &str = "text/plain";
/// Resources on one page of the list.
const PAGE: usize = 200;

/// What can be read by name.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, about: &str, kind: &str| {
        ResourceTemplate::new(uri, name)
            .with_description(about)
            .with_mime_type(kind)
    };
    ListResourceTemplatesResult::with_all_items(vec![
        template(
            "signoff://plans/{id}",
            "plan",
            "A plan with its state (signoff.plan/1)",
            JSON,
        ),
        template(
            "signoff://plans/{id}/text",
            "plan-text",
            "The text of a plan",
            TEXT,
        ),
        template(
            "signoff://runs/{id}",
            "run",
            "A run with its steps (signoff.run/1)",
            JSON,
        ),
        template(
            "signoff://runs/{id}/report",
            "run-report",
            "What a run did and how we know: as text, and as JSON",
            MARKDOWN,
        ),
        template(
            "signoff://runs/{id}/report.json",
            "run-report-json",
            "The same as JSON only (signoff.report/1)",
            JSON,
        ),
    ])
}

/// The plans, newest first, then the runs, newest first.
pub(crate) fn list(
    context: &Context,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ToolError> {
    let from = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            ToolError::new("bad-arguments", "the cursor is none of this server's", &[])
        })?,
    };
    let project = context.project()?;
    let clock = SystemClock::new();
    let acting = by_agent(&project, &clock);
    let plans = signoff_runtime::plans::look(acting, &ListOptions::default());
    let plans = plans.map_err(|error| context.fail(error))?.plans;
    let plans = plans.into_iter().map(|plan| {
        let about = format!("{}: {}", plan.state, plan.title);
        resource("plans", &plan.key, &about)
    });
    let runs = ListedRun::load_all(&project).map_err(|error| context.fail(error))?;
    let runs = runs.into_iter().rev().filter_map(|(id, run)| {
        let run = run.ok()?.to_api();
        let title = run.title.unwrap_or_default();
        Some(resource("runs", &id, &format!("{}: {title}", run.status)))
    });
    let all: Vec<Resource> = plans.chain(runs).collect();
    let more = all.len() > from + PAGE;
    let page = all.into_iter().skip(from).take(PAGE).collect();
    let mut listed = ListResourcesResult::with_all_items(page);
    listed.next_cursor = more.then(|| (from + PAGE).to_string());
    Ok(listed)
}

fn resource(kind: &str, id: &str, about: &str) -> Resource {
    Resource::new(format!("signoff://{kind}/{}", encode(id)), id)
        .with_description(about)
        .with_mime_type(JSON)
}

/// What this address leads to.
pub(crate) fn read(context: &Context, uri: &str) -> Result<ReadResourceResult, ToolError> {
    let unknown = || {
        let message = format!("`{uri}` leads to nothing here");
        ToolError::new(
            "no-resource",
            &message,
            &["`signoff://plans/{id}` is a plan, `signoff://runs/{id}` a run"],
        )
    };
    let rest = uri.strip_prefix("signoff://").ok_or_else(unknown)?;
    let parts: Vec<&str> = rest.split('/').collect();
    let id = |text: &str| decode(text).ok_or_else(unknown);
    let contents = match parts[..] {
        ["plans", plan_id] => vec![(JSON, uri.to_owned(), plan(context, &id(plan_id)?)?)],
        ["plans", plan_id, "text"] => {
            vec![(TEXT, uri.to_owned(), plan_text(context, &id(plan_id)?)?)]
        }
        ["runs", run_id] => {
            let run = run(context, &id(run_id)?)?;
            vec![(JSON, uri.to_owned(), value_of(&run).to_string())]
        }
        ["runs", run_id, "report"] => {
            let report = report(context, &id(run_id)?)?;
            vec![
                (MARKDOWN, uri.to_owned(), report::markdown(&report)),
                (JSON, format!("{uri}.json"), value_of(&report).to_string()),
            ]
        }
        ["runs", run_id, "report.json"] => {
            let report = report(context, &id(run_id)?)?;
            vec![(JSON, uri.to_owned(), value_of(&report).to_string())]
        }
        _ => return Err(unknown()),
    };
    let contents = contents.into_iter().map(|(kind, uri, text)| {
        ResourceContents::text(context.secrets().hide(&text), uri).with_mime_type(kind)
    });
    Ok(ReadResourceResult::new(contents.collect()))
}

fn plan(context: &Context, id: &str) -> Result<String, ToolError> {
    let project = context.project()?;
    let plan = context.read_plan(&project, id)?;
    let view = PlanView::of(&project, &plan).map_err(context.fail_about(id))?;
    Ok(value_of(&view.to_api(&plan)).to_string())
}

fn plan_text(context: &Context, id: &str) -> Result<String, ToolError> {
    let project = context.project()?;
    let plan = context.read_plan(&project, id)?;
    Ok(plan.source.text().to_owned())
}

fn run(context: &Context, id: &str) -> Result<Run, ToolError> {
    let project = context.project()?;
    let view = RunView::find(&project, Some(id)).map_err(|error| context.fail(error))?;
    Ok(view.to_api())
}

/// What `signoff report` says of a run.
fn report(context: &Context, id: &str) -> Result<Report, ToolError> {
    let project = context.project()?;
    let view = RunView::find(&project, Some(id)).map_err(|error| context.fail(error))?;
    let report = view.report(&project, SystemClock::new().now());
    report.map_err(|error| context.fail(error))
}

/// An id as one part of an address.
fn encode(id: &str) -> String {
    let mut text = String::new();
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            other => {
                let _ = write!(text, "%{other:02X}");
            }
        }
    }
    text
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_part_of_an_address_and_comes_back() {
        for (id, encoded) in [
            ("PLAN-a1b2c3d4", "PLAN-a1b2c3d4"),
            ("docs/plan.md", "docs%2Fplan.md"),
            ("ü %", "%C3%BC%20%25"),
        ] {
            assert_eq!(encode(id), encoded);
            assert_eq!(decode(encoded).as_deref(), Some(id));
        }
        for bad in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
