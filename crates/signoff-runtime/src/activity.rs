//! A numbered list of changes to all plans of a project and to everything that waits on people.
//!
//! Changes are found by comparing the present state with the one that was reported last, which a file stores. So a
//! reader who was away gets the present state, and a number means the same after a restart. Nothing else reads the
//! file: it can be deleted.

mod times;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use signoff_api::activity::{ActivityEvent, SCHEMA};
use signoff_api::notification::NotificationKind;
use signoff_engine::Actor;

use crate::clock::{Clock, millis, timestamp};
use crate::error::Error;
use crate::inbox::waiting_questions;
use crate::notifications::{NotifiedEvent, Notifier};
use crate::plans::{ActorContext, ListOptions, list};
use crate::project::Project;

/// Changes that the file keeps when it is opened, besides the last of each plan and item.
const KEPT: usize = 5000;

/// Bytes at the end of the file in which its last change is looked for.
const TAIL: u64 = 16 << 10;

/// The changes of a project so far; it finds new ones. Only one process at a time has it.
#[derive(Debug)]
pub struct ActivityLog {
    file: File,
    last: u64,
    /// The state that was reported last, by plan or item.
    told: BTreeMap<Subject, ActivityEvent>,
    /// What was read since the list was opened.
    looked: BTreeMap<Subject, (String, String, Option<u64>)>,
}

/// What a change is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Plan(String),
    Item(String),
}

/// Where the changes are kept.
fn path(project: &Project) -> PathBuf {
    project.store.runs_dir().join("activity.jsonl")
}

/// The changes after this number that the file has.
pub fn activity_after(project: &Project, seq: u64) -> Vec<ActivityEvent> {
    let events = File::open(path(project)).map(|file| read(BufReader::new(file)));
    let events = events.unwrap_or_default().into_iter();
    events.filter(|event| event.seq > seq).collect()
}

/// The number of the last change that the file has, without reading all of it.
pub fn last_activity(project: &Project) -> u64 {
    let tail = File::open(path(project)).and_then(read_tail);
    match tail.unwrap_or_default().last() {
        Some(event) => event.seq,
        // Nothing has happened, or the last change is longer than what was looked at.
        None => (activity_after(project, 0).last()).map_or(0, |event| event.seq),
    }
}

/// The whole lines at the end of a file.
fn read_tail(file: File) -> std::io::Result<Vec<ActivityEvent>> {
    let start = file.metadata()?.len().saturating_sub(TAIL);
    let mut lines = BufReader::new(file);
    if lines.seek(SeekFrom::Start(start))? > 0 {
        lines.read_until(b'\n', &mut Vec::new())?;
    }
    Ok(read(lines))
}

/// Every whole line that is a change.
fn read(lines: impl BufRead) -> Vec<ActivityEvent> {
    let lines = lines.lines().map_while(Result::ok);
    lines
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect()
}

impl ActivityLog {
    /// Opens the list; `None` if another process has it.
    pub fn open(project: &Project) -> Result<Option<Self>, Error> {
        project.store.create_missing()?;
        let path = path(project);
        let unreadable = |why: std::io::Error| Error::Unreadable {
            path: path.clone(),
            why,
        };
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(&path);
        let file = file.map_err(unreadable)?;
        if file.try_lock().is_err() {
            return Ok(None);
        }
        let events = read(BufReader::new(file.try_clone().map_err(unreadable)?));
        let told = events
            .iter()
            .map(|event| (subject_of(event), event.clone()));
        let mut log = Self {
            last: events.last().map_or(0, |event| event.seq),
            told: told.collect(),
            looked: BTreeMap::new(),
            file,
        };
        if events.len() > 2 * KEPT {
            log.shorten(&events).map_err(unreadable)?;
        }
        Ok(Some(log))
    }

    /// Keeps the newest changes and the last one of everything else.
    fn shorten(&mut self, events: &[ActivityEvent]) -> std::io::Result<()> {
        let newest = events.len() - KEPT;
        let is_kept = |(at, event): &(usize, &ActivityEvent)| {
            *at >= newest || self.told.get(&subject_of(event)) == Some(*event)
        };
        let kept = events.iter().enumerate().filter(is_kept);
        let kept: Vec<ActivityEvent> = kept.map(|(_, event)| event.clone()).collect();
        self.file.set_len(0)?;
        write(&mut self.file, &kept)
    }

    /// The number of the last change.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Finds what has changed since, and records that it was reported.
    pub fn find_new(
        &mut self,
        project: &Project,
        clock: &dyn Clock,
    ) -> Result<Vec<ActivityEvent>, Error> {
        let now = current_activities(project, clock)?;
        let at = timestamp(clock.now());
        let gone = self.told.iter().filter(|(key, event)| {
            !now.contains_key(key)
                && !matches!(event.kind.as_str(), "plan_deleted" | "inbox_closed")
        });
        let mut new: Vec<ActivityEvent> = Vec::new();
        for (key, event) in gone {
            let (kind, at) = match key {
                Subject::Plan(_) => ("plan_deleted", Some(at.clone())),
                Subject::Item(item) => ("inbox_closed", times::answered_at(project, item)),
            };
            new.push(ActivityEvent {
                kind: kind.to_owned(),
                at: at.unwrap_or_else(|| timestamp(clock.now())),
                ..event.clone()
            });
        }
        // A question that is asked again under the same name is another question.
        self.looked.retain(|key, _| now.contains_key(key));
        for (key, seen) in now {
            let told = self.told.get(&key);
            if self.looked.get(&key) == Some(&seen.changed) {
                continue;
            }
            new.extend(changes(project, &key, told, &seen, &at));
            self.looked.insert(key, seen.changed);
        }
        // Changes are in the order of their times; those of one time are in the order in which they were found.
        new.sort_by(|one, other| one.at.cmp(&other.at));
        for event in &mut new {
            self.last += 1;
            event.seq = self.last;
            self.told.insert(subject_of(event), event.clone());
        }
        // It was sent even if it cannot be recorded.
        write(&mut self.file, &new).ok();
        Ok(new)
    }
}

/// The present state of something.
struct CurrentActivity {
    event: ActivityEvent,
    /// When it last changed, and to what: it is read again only if this differs.
    changed: (String, String, Option<u64>),
}

/// The change of a plan or an item since it was reported.
fn changes(
    project: &Project,
    key: &Subject,
    told: Option<&ActivityEvent>,
    seen: &CurrentActivity,
    now: &str,
) -> Vec<ActivityEvent> {
    let plan = match key {
        Subject::Plan(plan) => plan,
        Subject::Item(_) if told.is_some_and(|told| told.kind == seen.event.kind) => {
            return Vec::new();
        }
        Subject::Item(item) => {
            let at = times::opened_at(project, item).unwrap_or_else(|| now.to_owned());
            let event = seen.event.clone();
            return vec![ActivityEvent { at, ..event }];
        }
    };
    let since = told.map(|told| times::states_since(project, plan, &told.at));
    let logged = since.into_iter().flatten().map(|state| ActivityEvent {
        kind: format!("plan_{}", state.state.name()),
        at: state.at,
        version: state.version.or(seen.event.version),
        ..seen.event.clone()
    });
    let mut events: Vec<ActivityEvent> = logged.collect();
    let last = events.last().or(told);
    let is_told = last
        .is_some_and(|last| (&last.kind, last.version) == (&seen.event.kind, seen.event.version));
    if !is_told {
        // Changes that no log has, such as an edit or a stalled run, get the present time.
        let is_logged = last.is_none_or(|last| seen.event.at > last.at);
        let at = if is_logged { &seen.event.at } else { now };
        events.push(ActivityEvent {
            at: at.to_owned(),
            ..seen.event.clone()
        });
    }
    events
}

/// The present state of everything.
fn current_activities(
    project: &Project,
    clock: &dyn Clock,
) -> Result<BTreeMap<Subject, CurrentActivity>, Error> {
    let context = ActorContext {
        project,
        actor: Actor::Harness,
        clock,
    };
    let plans = list(context, &ListOptions::default())?.plans.into_iter();
    let plans = plans.map(|plan| ActivityEvent {
        plan: Some(plan.key),
        title: Some(plan.title),
        version: plan.version,
        // A state of a plan is never older than the last entry about it.
        at: plan.updated_at,
        ..empty(format!("plan_{}", plan.state.name()))
    });
    let items = waiting_questions(project)?.into_iter();
    let items = items.map(|item| ActivityEvent {
        item: Some(item.id),
        question: Some(item.question),
        ..empty("inbox_opened".to_owned())
    });
    let seen = |event: ActivityEvent| CurrentActivity {
        changed: (event.kind.clone(), event.at.clone(), event.version),
        event,
    };
    let all = plans.chain(items).map(seen);
    Ok(all.map(|seen| (subject_of(&seen.event), seen)).collect())
}

fn empty(kind: String) -> ActivityEvent {
    ActivityEvent {
        schema: SCHEMA.to_owned(),
        seq: 0,
        at: String::new(),
        kind,
        plan: None,
        title: None,
        version: None,
        item: None,
        question: None,
    }
}

fn subject_of(event: &ActivityEvent) -> Subject {
    match (&event.item, &event.plan) {
        (Some(item), _) => Subject::Item(item.clone()),
        (None, plan) => Subject::Plan(plan.clone().unwrap_or_default()),
    }
}

fn write(file: &mut File, events: &[ActivityEvent]) -> std::io::Result<()> {
    let mut text = Vec::new();
    for event in events {
        serde_json::to_writer(&mut text, event)?;
        text.push(b'\n');
    }
    file.write_all(&text)
}

/// Tells a webhook what no run's own process can: that a run has stalled, and that a plan waited too long.
pub fn tell_absent(project: &Project, notifier: &Notifier, events: &[ActivityEvent]) {
    for event in events {
        let Some(plan) = event.plan.as_deref() else {
            continue;
        };
        let kind = match event.kind.as_str() {
            "plan_stalled" => NotificationKind::Stalled,
            "plan_cancelled" if times::was_cancelled_as_stale(project, plan) => {
                NotificationKind::Expired
            }
            _ => continue,
        };
        notifier.notify(NotifiedEvent {
            kind,
            at: millis(&event.at),
            plan,
            title: event.title.as_deref().unwrap_or(plan),
            run: None,
            item: None,
            question: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_is_found_at_the_end_of_a_long_file() {
        let mut file = tempfile::tempfile().unwrap();
        let event = |seq| ActivityEvent {
            seq,
            title: Some("Ä".repeat(50)),
            ..empty("plan_draft".to_owned())
        };
        let events: Vec<ActivityEvent> = (1..=500).map(event).collect();
        write(&mut file, &events).unwrap();
        assert!(file.metadata().unwrap().len() > TAIL);
        let found = read_tail(file.try_clone().unwrap()).unwrap();
        assert_eq!(found.last().map(|event| event.seq), Some(500));
        assert!(found.len() < 500, "all of it was read");
        // A line that is still being written is none.
        file.write_all(b"{\"schema\": ").unwrap();
        let found = read_tail(file).unwrap();
        assert_eq!(found.last().map(|event| event.seq), Some(500));
    }
}
