//! The events of a run.

use std::sync::Weak;

use serde_json::{Value, json};
use signoff_api::event::StreamedEvent;
use signoff_engine::{Event, RecordedEvent, Run};
use signoff_runtime::Error;
use signoff_runtime::project::{Project, Secrets};
use signoff_runtime::runs::follow::{Follow, TICK};
use signoff_runtime::runs::view::{plan_created, stream_event};
use tokio::sync::mpsc;

use super::body::event_bytes;
use super::feed::{Entry, Feed};
use crate::redaction::hide_in_json;

/// Reads the journal as long as anybody follows the feed.
pub(super) fn read(project: &Project, run: &str, feed: &Weak<Feed>) -> Result<(), Error> {
    let mut follow = Follow::of(project, run)?;
    let secrets = project.secrets();
    loop {
        let Some(feed) = feed.upgrade() else {
            return Ok(());
        };
        let mut new = Vec::new();
        follow.read_new(|run, recorded| add((project, &secrets), run, recorded, &mut new))?;
        feed.push(new);
        drop(feed);
        std::thread::sleep(TICK);
    }
}

/// Reads the journal once more for one who is behind.
pub(super) fn read_again(
    project: &Project,
    run: &str,
    (seen, until): (Option<u64>, u64),
    send: &mpsc::Sender<Entry>,
) -> Result<(), Error> {
    let mut follow = Follow::of(project, run)?;
    let secrets = project.secrets();
    let mut new = Vec::new();
    follow.read_new(|run, recorded| {
        let is_wanted = recorded.seq <= until && seen.is_none_or(|seen| recorded.seq > seen);
        if !is_wanted || send.is_closed() {
            return;
        }
        add((project, &secrets), run, recorded, &mut new);
        for entry in new.drain(..) {
            send.blocking_send(entry).ok();
        }
    })?;
    Ok(())
}

fn add(
    (project, secrets): (&Project, &Secrets),
    run: &Run,
    recorded: &RecordedEvent,
    new: &mut Vec<Entry>,
) {
    if let Event::RunStarted { .. } = recorded.event {
        let shell = &project.config.contract.shell.value;
        let created = plan_created(run, recorded, shell);
        let mut value = json!(created);
        hide_in_json(secrets, &mut value);
        new.push(Entry {
            seq: created.seq,
            event: event_bytes(created.seq, "plan_created", &value),
            progress: None,
        });
    }
    let shape = stream_event(run, recorded);
    let mut value = json!(shape);
    hide_in_json(secrets, &mut value);
    let name = value["type"].as_str().unwrap_or("event");
    new.push(Entry {
        seq: shape.seq,
        event: event_bytes(shape.seq, name, &value),
        progress: progress(&shape).map(|mut value| {
            hide_in_json(secrets, &mut value);
            event_bytes(shape.seq, "progress", &value)
        }),
    });
}

/// The toolplan specification's `ProgressEvent`.
fn progress(event: &StreamedEvent) -> Option<Value> {
    let step = event.of_step.as_ref()?;
    let mut value = json!({
        "taskId": step.task_id,
        "stepId": step.step_id,
        "status": event.status,
        "progress": event.progress,
    });
    // Words of ours: a step that is judged, or that asks a person, is running in those of the specification.
    if matches!(value["status"].as_str(), Some("verifying" | "waiting")) {
        value["status"] = json!("running");
    }
    if let Some(result) = &step.result {
        value["result"] = json!(result);
    }
    if !step.logs.is_empty() {
        value["logs"] = json!(step.logs);
    }
    Some(value)
}
