use std::fs;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::json;

use super::*;

const AT: &str = "2026-11-15T09:30:12.345Z";

fn event(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A run's journal with three records, synced, of which nothing but its beginning is recorded.
fn sample() -> (tempfile::TempDir, PathBuf, Vec<Record>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let mut journal = Journal::create(&path).unwrap();
    let started = event(json!({"type": "run_started", "plan": "plan.md"}));
    let mut records = journal.append(AT, &[started]).unwrap();
    let text = "line\n\"quoted\" \u{0} é \u{2028}";
    let two = [
        event(json!({"step": "a", "type": "step_started", "cost": 0.1, "big": u64::MAX})),
        event(json!({"type": "work_finished", "output": {"text": text, "n": [null, -1, 2.5]}})),
    ];
    records.extend(journal.append(AT, &two).unwrap());
    journal.sync().unwrap();
    assert_eq!(journal.head(), (3, records[2].hash.clone()));
    (dir, path, records)
}

#[test]
fn what_is_appended_is_read_back() {
    let (_dir, path, records) = sample();
    assert_eq!(load(&path).unwrap(), records);
    let (mut journal, read) = Journal::open(&path).unwrap();
    assert_eq!(read, records);
    assert_eq!(journal.torn_line(), None);
    let more = journal
        .append(AT, &[event(json!({"type": "run_finished"}))])
        .unwrap();
    assert_eq!(more[0].seq, 4);
    drop(journal);
    assert_eq!(Journal::open(&path).unwrap().1.len(), 4);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_line_is_spelled_as_the_format_says() {
    let (_dir, path, records) = sample();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let first = format!(
        r#"{{"v":1,"seq":1,"at":"{AT}","type":"run_started","plan":"plan.md","prev":"{}""#,
        "0".repeat(64)
    );
    let hash = crate::files::hash::sha256_hex(first.as_bytes());
    assert_eq!(lines[0], format!(r#"{first},"hash":"{hash}"}}"#));
    let second = format!(r#"{{"v":1,"seq":2,"at":"{AT}","type":"step_started","step":"a","#);
    assert!(lines[1].starts_with(&second), "{}", lines[1]);
    assert!(lines[1].contains(&format!(r#","prev":"{hash}","hash":""#)));
    assert_eq!(records[1].body.keys().next().unwrap(), "type");
}

#[test]
fn the_stored_sample_of_version_1_is_still_read() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/journal-v1.jsonl");
    let (_dir, written, records) = sample();
    // To make a sample of a new version, copy `written`; never change the one of an old version.
    assert_eq!(fs::read(&stored).unwrap(), fs::read(&written).unwrap());
    fs::copy(&stored, &written).unwrap();
    assert_eq!(load(&written).unwrap(), records);
}

#[test]
fn an_event_that_could_not_be_read_back_is_refused() {
    let (_dir, path, records) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    let mut deep = json!(1);
    for _ in 0..DEEP {
        deep = json!([deep]);
    }
    for (at, value) in [
        (AT, json!({"no": "type"})),
        (AT, json!({"type": 1})),
        (AT, json!({"type": "x", "hash": ""})),
        (AT, json!({"type": "x", "seq": 1})),
        (AT, json!({"type": "x", "deep": deep})),
        ("yesterday", json!({"type": "x"})),
        ("\",\"x\":\"", json!({"type": "x"})),
    ] {
        let result = journal.append(at, &[event(json!({"type": "good"})), event(value)]);
        assert!(matches!(result, Err(JournalError::BadEvent { .. })));
    }
    assert_eq!(load(&path).unwrap(), records);
    assert_eq!(journal.append(AT, &[]).unwrap(), []);
}

const DEEP: usize = 100;

#[test]
fn the_deepest_event_is_read_back() {
    let (_dir, path, _) = sample();
    let mut deep = json!(1);
    for _ in 0..DEEP - 1 {
        deep = json!([deep]);
    }
    let (mut journal, _) = Journal::open(&path).unwrap();
    journal
        .append(AT, &[event(json!({"type": "x", "deep": deep}))])
        .unwrap();
    assert_eq!(load(&path).unwrap().len(), 4);
}

#[test]
fn one_writer_and_any_number_of_readers() {
    let (_dir, path, records) = sample();
    let (_journal, _) = Journal::open(&path).unwrap();
    assert!(matches!(
        Journal::open(&path),
        Err(JournalError::Busy { .. })
    ));
    assert_eq!(load(&path).unwrap(), records);
    assert!(matches!(Journal::create(&path), Err(JournalError::File(_))));
}

#[test]
fn a_reader_ignores_the_line_being_written() {
    let (_dir, path, records) = sample();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"{\"v\":1,\"seq\":4");
    fs::write(&path, &bytes).unwrap();
    assert_eq!(load(&path).unwrap(), records);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_file_that_somebody_else_touches_is_not_written_to() {
    type Touch = fn(&std::path::Path);
    let touches: [(&str, Touch); 4] = [
        ("removed", |path| fs::remove_file(path).unwrap()),
        ("cut", |path| fs::write(path, "").unwrap()),
        ("replaced", |path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).unwrap();
            fs::rename(copy, path).unwrap();
        }),
        ("appended to", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.extend(b"x\n");
            fs::write(path, bytes).unwrap();
        }),
    ];
    for (what, touch) in touches {
        let (_dir, path, _) = sample();
        let (mut journal, _) = Journal::open(&path).unwrap();
        touch(&path);
        let refused = journal.append(AT, &[event(json!({"type": "later"}))]);
        assert!(
            matches!(refused, Err(JournalError::Touched { .. })),
            "{what}: {refused:?}"
        );
    }
}

#[test]
fn a_shorter_journal_than_recorded_is_refused_and_left_alone() {
    let (_dir, path, records) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    journal.sync().unwrap();
    journal.write_head().unwrap();
    journal
        .append(AT, &[event(json!({"type": "later"}))])
        .unwrap();
    drop(journal);
    assert_eq!(
        Journal::open(&path).unwrap().1.len(),
        4,
        "a longer one is normal"
    );
    let bytes = fs::read(&path).unwrap();
    let ends: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    for cut in [0, 10, ends[0] + 1, ends[1] + 1, ends[2]] {
        fs::write(&path, &bytes[..cut]).unwrap();
        let refused = |result| matches!(result, Err(JournalError::Shorter { recorded: 3, .. }));
        assert!(refused(load(&path).map(drop)));
        assert!(refused(Journal::open(&path).map(drop)));
        assert_eq!(fs::read(&path).unwrap(), bytes[..cut]);
    }
    fs::write(&path, &bytes[..=ends[2]]).unwrap();
    assert_eq!(load(&path).unwrap(), records);
}

/// How many records a journal had when its end was last recorded.
fn recorded(path: &Path) -> u64 {
    Head::read(path).unwrap().seq
}

#[test]
fn a_journal_that_lost_its_end_and_the_record_of_it_is_refused() {
    let (_dir, path, records) = sample();
    let bytes = fs::read(&path).unwrap();
    let head = fs::read(head_path(&path)).unwrap();
    fs::remove_file(head_path(&path)).unwrap();
    let ends: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    for cut in [0, 10, ends[0] + 1, ends[1] + 1, bytes.len()] {
        fs::write(&path, &bytes[..cut]).unwrap();
        let refused = |result| matches!(result, Err(JournalError::NoHead { .. }));
        assert!(refused(load(&path).map(drop)), "{cut}");
        assert!(refused(Journal::open(&path).map(drop)), "{cut}");
        let read = Follower::new(&path).read_whole(|_| Ok::<_, JournalError>(()));
        assert!(refused(read), "{cut}");
    }
    fs::write(head_path(&path), head).unwrap();
    assert_eq!(load(&path).unwrap(), records);
    // What is not there was not lost: whoever deletes a journal deletes both.
    fs::remove_file(head_path(&path)).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(matches!(load(&path), Err(JournalError::File(_))));
    Journal::create(&path).unwrap();
    assert_eq!((load(&path).unwrap(), recorded(&path)), (vec![], 0));
}

#[test]
fn another_journal_than_recorded_is_refused() {
    let (_dir, path, records) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    journal.sync().unwrap();
    journal.write_head().unwrap();
    drop(journal);
    fs::remove_file(&path).unwrap();
    let refused = Journal::create(&path).map(drop);
    assert!(
        matches!(refused, Err(JournalError::Shorter { recorded: 3, .. })),
        "{refused:?}"
    );
    let bodies: Vec<_> = records.iter().map(|record| record.body.clone()).collect();
    let elsewhere = tempfile::tempdir().unwrap();
    let forged = elsewhere.path().join("journal.jsonl");
    let mut journal = Journal::create(&forged).unwrap();
    journal.append("2026-11-15T09:30:12.346Z", &bodies).unwrap();
    drop(journal);
    fs::copy(forged, &path).unwrap();
    assert!(matches!(
        load(&path),
        Err(JournalError::Corrupt { line: 3, .. })
    ));
    fs::write(path.with_file_name("head.json"), "{}").unwrap();
    assert!(matches!(load(&path), Err(JournalError::BadHead { .. })));
}

#[test]
fn only_what_was_synced_is_recorded() {
    let (_dir, path, records) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    journal.write_head().unwrap();
    assert_eq!(recorded(&path), 0);
    journal.sync().unwrap();
    journal
        .append(AT, &[event(json!({"type": "unsynced"}))])
        .unwrap();
    journal.write_head().unwrap();
    let head = fs::read_to_string(path.with_file_name("head.json")).unwrap();
    let expected = format!("{{\"v\":1,\"seq\":3,\"hash\":\"{}\"}}\n", records[2].hash);
    assert_eq!(head, expected);
}

#[test]
fn plan_logs_in_one_directory_have_heads_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        let mut journal = Journal::create(&dir.path().join(name)).unwrap();
        journal.append(AT, &[event(json!({"type": name}))]).unwrap();
        journal.sync().unwrap();
        journal.write_head().unwrap();
    }
    for name in ["a.jsonl", "b.jsonl"] {
        assert_eq!(load(&dir.path().join(name)).unwrap()[0].body["type"], name);
    }
}

#[test]
fn after_a_failed_write_nothing_more_is_appended() {
    let (_dir, path, _) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    // A handle that cannot write stands in for a full disk.
    journal.file = File::open(&path).unwrap();
    let good = [event(json!({"type": "x"}))];
    assert!(matches!(
        journal.append(AT, &good),
        Err(JournalError::File(_))
    ));
    assert!(matches!(
        journal.append(AT, &good),
        Err(JournalError::Unknown { .. })
    ));
    assert!(matches!(journal.sync(), Err(JournalError::Unknown { .. })));
}

#[test]
fn after_a_failed_sync_nothing_more_is_appended() {
    let (_dir, path, _) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    let good = [event(json!({"type": "x"}))];
    journal.append(AT, &good).unwrap();
    // /dev/null takes writes and refuses to be synced.
    journal.file = OpenOptions::new().append(true).open("/dev/null").unwrap();
    assert!(matches!(journal.sync(), Err(JournalError::File(_))));
    assert!(matches!(
        journal.append(AT, &good),
        Err(JournalError::Unknown { .. })
    ));
    assert!(matches!(journal.sync(), Err(JournalError::Unknown { .. })));
    journal.write_head().unwrap();
    assert_eq!(recorded(&path), 0);
}

#[test]
fn a_sync_that_nobody_waits_for_is_shared_and_counts() {
    let (_dir, path, _) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    for _ in 0..100 {
        journal.append(AT, &[event(json!({"type": "x"}))]).unwrap();
        journal.begin_sync().unwrap();
    }
    journal.sync().unwrap();
    journal.write_head().unwrap();
    let head = fs::read_to_string(path.with_file_name("head.json")).unwrap();
    assert!(head.starts_with("{\"v\":1,\"seq\":103,"), "{head}");
    journal.append(AT, &[event(json!({"type": "x"}))]).unwrap();
    journal.write_head().unwrap();
    drop(journal);
    let again = fs::read_to_string(path.with_file_name("head.json")).unwrap();
    assert_eq!(again, head, "what is not synced is not recorded");
    assert_eq!(Journal::open(&path).unwrap().1.len(), 104);
}

#[test]
fn after_a_failed_sync_that_nobody_waited_for_nothing_more_is_appended() {
    let (_dir, path, _) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    let good = [event(json!({"type": "x"}))];
    journal.append(AT, &good).unwrap();
    journal.file = OpenOptions::new().append(true).open("/dev/null").unwrap();
    journal.begin_sync().unwrap();
    let syncer = journal.syncer.as_ref().unwrap();
    assert!(syncer.wait(&journal.head).is_err());
    assert!(matches!(
        journal.append(AT, &good),
        Err(JournalError::File(_))
    ));
    assert!(matches!(journal.sync(), Err(JournalError::Unknown { .. })));
    journal.write_head().unwrap();
    assert_eq!(recorded(&path), 0);
}

#[test]
fn a_clock_that_goes_backwards_changes_no_order() {
    let (_dir, path, records) = sample();
    let (mut journal, _) = Journal::open(&path).unwrap();
    let earlier = "1970-01-01T00:00:00.000Z";
    let more = journal.append(earlier, &[event(json!({"type": "x"}))]);
    let all: Vec<_> = records.into_iter().chain(more.unwrap()).collect();
    drop(journal);
    assert_eq!(load(&path).unwrap(), all);
    assert_eq!(Journal::open(&path).unwrap().1, all);
}

#[test]
fn cut_anywhere_it_recovers_what_was_complete() {
    let (_dir, path, records) = sample();
    let bytes = fs::read(&path).unwrap();
    for cut in 0..=bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let whole = bytes[..cut].split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(load(&path).unwrap(), records[..whole]);
        let (mut journal, recovered) = Journal::open(&path).unwrap();
        assert_eq!(recovered, records[..whole]);
        let end = bytes[..cut]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        assert_eq!(
            journal.torn_line().map(|torn| torn.bytes),
            Some(cut - end).filter(|n| *n > 0)
        );
        if let Some(torn) = journal.torn_line() {
            let aside = fs::read(&torn.path).unwrap();
            assert!(aside.ends_with(&[&bytes[end..cut], b"\n"].concat()));
        }
        let next = journal
            .append(AT, &[event(json!({"type": "next"}))])
            .unwrap();
        drop(journal);
        assert_eq!(load(&path).unwrap().last(), next.last());
    }
}

fn read_all(bytes: &[u8]) -> Result<Vec<Record>, JournalError> {
    let path = Path::new("journal.jsonl");
    let mut records = Vec::new();
    read::for_each_line(path, bytes, &Head::default(), |line| {
        records.push(Record::of(path, line)?);
        Ok::<_, JournalError>(())
    })?;
    Ok(records)
}

/// A damaged journal is refused with the right line, or gives a true prefix; never anything else.
fn never_wrong(damaged: &[u8], line: u64, records: &[Record]) {
    match read_all(damaged) {
        Ok(read) => assert!(read.len() < records.len() && records.starts_with(&read)),
        Err(JournalError::Corrupt { line: expected, .. }) => assert_eq!(expected, line),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn one_wrong_bit_anywhere_is_noticed() {
    let (_dir, path, records) = sample();
    let bytes = fs::read(&path).unwrap();
    let mut line = 1;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            never_wrong(&damaged, line, &records);
        }
        line += u64::from(bytes[at] == b'\n');
    }
}

/// A line with a right hash, whatever else is wrong with it.
fn sealed(fields: &str) -> String {
    let hash = crate::files::hash::sha256_hex(fields.as_bytes());
    format!("{fields},\"hash\":\"{hash}\"}}\n")
}

#[test]
fn a_right_hash_does_not_excuse_the_rest() {
    let (_dir, path, _) = sample();
    let line = |v: &str, seq: &str, body: &str, prev: &str| {
        let text = sealed(&format!(
            r#"{{"v":{v},"seq":{seq},"at":"{AT}"{body},"prev":"{prev}""#
        ));
        fs::write(&path, text).unwrap();
        load(&path)
            .map(|records| records.len())
            .map_err(|error| error.to_string())
    };
    let (zeros, kind) = ("0".repeat(64), r#","type":"x""#);
    assert_eq!(line("1", "1", kind, &zeros), Ok(1));
    for (result, reason) in [
        (
            line("2", "1", kind, &zeros),
            "its version 2 is not known here",
        ),
        (line("1", "2", kind, &zeros), "it is number 2, not 1"),
        (
            line("1", "1", kind, &"1".repeat(64)),
            "it does not follow the line before it",
        ),
        (
            line("1", "1", "", &zeros),
            "it is not a record: it has no `type`",
        ),
        (
            line("1", "1", r#","type":"x","type":"y""#, &zeros),
            "it is not a record: a field occurs twice",
        ),
        (
            line("1", "one", kind, &zeros),
            "it is not a record: expected value",
        ),
    ] {
        let message = result.unwrap_err();
        let expected = format!(
            "journal `{}` is damaged at line 1: {reason}",
            path.display()
        );
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn lines_that_are_missing_doubled_or_moved_are_noticed() {
    let (_dir, path, records) = sample();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    for (order, expected) in [
        (vec![1, 2], 1),
        (vec![0, 2], 2),
        (vec![0, 0, 1, 2], 2),
        (vec![1, 0, 2], 1),
        (vec![0, 1, 2, 2], 4),
    ] {
        let moved: String = order.iter().map(|at| lines[*at]).collect();
        fs::write(&path, moved).unwrap();
        let result = load(&path);
        assert!(
            matches!(result, Err(JournalError::Corrupt { line, .. }) if line == expected),
            "{order:?}: {result:?}"
        );
    }
    fs::write(&path, format!("{text}\n")).unwrap();
    assert!(matches!(
        load(&path),
        Err(JournalError::Corrupt { line: 4, .. })
    ));
    assert_eq!(records.len(), 3);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_events_come_back_exactly(values in prop::collection::vec(any_json(), 1..5)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let events: Vec<_> = values.iter().map(|value| event(json!({"type": "x", "value": value}))).collect();
        let mut journal = Journal::create(&path).unwrap();
        let written = journal.append(AT, &events).unwrap();
        let read = load(&path).unwrap();
        prop_assert_eq!(&read, &written);
        let texts = |records: &[Record]| records.iter().map(|record| json!(record.body).to_string()).collect::<Vec<_>>();
        prop_assert_eq!(texts(&read), texts(&written));
    }

    #[test]
    fn any_damage_is_noticed(at in any::<prop::sample::Index>(), put in prop::collection::vec(any::<u8>(), 0..40), skip in 0usize..40) {
        let (_dir, path, records) = sample();
        let bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        let end = (at + skip).min(bytes.len());
        let damaged = [&bytes[..at], &put, &bytes[end..]].concat();
        prop_assume!(!damaged.starts_with(&bytes));
        fs::write(&path, &damaged).unwrap();
        match load(&path) {
            Ok(read) => prop_assert!(read.len() < records.len() && records.starts_with(&read)),
            Err(error) => prop_assert!(matches!(error, JournalError::Corrupt { .. }), "{}", error),
        }
    }
}
