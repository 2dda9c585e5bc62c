//! The lines of the log of questions, as every version of this program wrote them, are read and written as they were.

use signoff_api::question::QuestionEvent;

const SAMPLES: &str = include_str!("../samples/question-v1.jsonl");

#[test]
fn every_line_is_read_and_written_as_it_was() {
    assert_eq!(SAMPLES.lines().count(), 3);
    for line in SAMPLES.lines() {
        let event: QuestionEvent = serde_json::from_str(line).expect(line);
        assert_eq!(serde_json::to_string(&event).expect(line), line);
    }
}
