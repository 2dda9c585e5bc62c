//! What the screens look like, and what keys do: frames against stored ones. With `SIGNOFF_WRITE_FRAMES=1` they are
//! written anew, to be read before they are kept.

use std::path::PathBuf;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use signoff_tui::review::{Review, ReviewData, ReviewEffect};
use signoff_tui::watch::{Settling, Watch, WatchData, WatchEffect};
use signoff_tui::{Key, Notice, Style};

const STYLE: Style = Style { colour: true };

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn sample<T: for<'de> serde::Deserialize<'de>>(name: &str) -> T {
    let text = std::fs::read_to_string(samples().join("samples").join(name)).expect("a sample");
    serde_json::from_str(&text).expect("the sample is of this version")
}

fn review() -> Review {
    Review::new(ReviewData {
        plan: sample("plan.json"),
        file: "plan.md".to_owned(),
        problems: Vec::new(),
        graph: ["○ parser", "└─ ○ corpus", "   └─ ○ publish"]
            .map(str::to_owned)
            .to_vec(),
        difference: Some(vec![
            "- step publish: Publish it.".to_owned(),
            "+ step publish: Publish it, quietly.".to_owned(),
        ]),
        signature: Vec::new(),
    })
}

fn watch() -> Watch {
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    Watch::new(WatchData {
        run: sample("run.json"),
        graph: lines("✓ parser\n└─ ? corpus\n   └─ ○ publish"),
        transcript: lines("I tried\u{1b}[2J\n✓ Bash make"),
        contract: lines("before the work:\n  exit code 1\nafter the work:\n  exit code 1"),
    })
}

/// The frame as text, without the space at the end of lines.
fn text(width: u16, height: u16, draw: impl Fn(&mut Buffer)) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(&mut buffer);
    let row = |y: u16| {
        let cells = (0..width).map(|x| buffer[(x, y)].symbol().to_owned());
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    (0..height).map(row).collect()
}

#[track_caller]
fn check(name: &str, frame: &str) {
    assert!(
        !frame.contains('\u{1b}'),
        "no escape sequence reaches the terminal"
    );
    let path = samples().join("frames").join(format!("{name}.txt"));
    if std::env::var_os("SIGNOFF_WRITE_FRAMES").is_some() {
        std::fs::write(&path, frame).expect("the frame is written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(frame, stored, "{}", path.display());
}

fn check_review(name: &str, model: &Review) {
    for (width, height) in [(80, 24), (120, 40)] {
        let frame = text(width, height, |buffer| model.draw(buffer, STYLE));
        check(&format!("review-{name}-{width}x{height}"), &frame);
    }
}

fn check_watch(name: &str, model: &Watch) {
    for (width, height) in [(80, 24), (120, 40)] {
        let frame = text(width, height, |buffer| model.draw(buffer, STYLE));
        check(&format!("watch-{name}-{width}x{height}"), &frame);
    }
}

fn press(model: &mut Review, keys: &str) -> Option<ReviewEffect> {
    let mut effect = None;
    for key in keys.chars() {
        effect = model.press(if key == '\n' {
            Key::Enter
        } else {
            Key::Char(key)
        });
    }
    effect
}

#[test]
fn the_review_shows_steps_and_what_belongs_to_them() {
    check_review("step", &review());
    let mut model = review();
    assert_eq!(press(&mut model, "jj"), None);
    check_review("commented-step", &model);
    press(&mut model, "6");
    check_review("difference", &model);
    press(&mut model, "?");
    check_review("keys", &model);
}

#[test]
fn keys_ask_for_effects() {
    let mut model = review();
    assert_eq!(press(&mut model, "a"), Some(ReviewEffect::Sign));
    assert_eq!(press(&mut model, "e"), Some(ReviewEffect::EditText));
    assert_eq!(press(&mut model, "S"), Some(ReviewEffect::Start));
    assert_eq!(
        press(&mut model, "x"),
        Some(ReviewEffect::Skip("parser".to_owned()))
    );
    assert_eq!(press(&mut model, "K"), None, "the first step stays first");
    let down = ReviewEffect::Move {
        step: "parser".to_owned(),
        other: "corpus".to_owned(),
        before: false,
    };
    assert_eq!(press(&mut model, "J"), Some(down));
    assert_eq!(
        press(&mut model, "rwrong\n"),
        Some(ReviewEffect::Reject("wrong".to_owned()))
    );
    let said = ReviewEffect::Comment {
        step: Some("parser".to_owned()),
        text: "why?".to_owned(),
    };
    assert_eq!(press(&mut model, "cwhy?\n"), Some(said));
    // Letters that are typed are not commands.
    assert_eq!(press(&mut model, "cq"), None);
    check_review("typing", &model);
    assert_eq!(model.press(Key::Escape), None);
    assert_eq!(press(&mut model, "q"), Some(ReviewEffect::Leave));
}

#[test]
fn a_refusal_stands_on_the_bottom_line() {
    let mut model = review();
    let why = "step `b` waits for `a`, and would stand before it";
    model.notice = Some(Notice::Failed(why.to_owned()));
    let frame = text(80, 24, |buffer| model.draw(buffer, STYLE));
    assert_eq!(frame.lines().nth(22), Some(why));
}

#[test]
fn the_watch_follows_what_waits() {
    let model = watch();
    assert_eq!(model.step().map(|step| step.id.as_str()), Some("corpus"));
    check_watch("step", &model);
    let mut model = watch();
    assert_eq!(model.press(Key::Char('i')), None);
    check_watch("inbox", &model);
    model.press(Key::Char('2'));
    check_watch("transcript", &model);
}

#[test]
fn answers_and_ends_are_typed() {
    let mut model = watch();
    let mut effect = None;
    for key in "aretry look at line 3".chars() {
        effect = model.press(Key::Char(key));
    }
    assert_eq!(effect, None);
    let item = model.selected_item().expect("an item").id.clone();
    let answer = WatchEffect::Answer {
        item,
        text: "retry look at line 3".to_owned(),
    };
    assert_eq!(model.press(Key::Enter), Some(answer));
    for key in "Ayes".chars() {
        model.press(Key::Char(key));
    }
    assert_eq!(model.press(Key::Enter), None, "only `abort` aborts");
    assert_eq!(
        model.press(Key::Char('t')),
        Some(WatchEffect::Retry("corpus".to_owned()))
    );
    assert_eq!(model.press(Key::Ctrl('c')), Some(WatchEffect::Leave));
}

/// A run that has ended, with a file that the person changed too.
fn ended() -> Watch {
    let mut model = watch();
    let run = &mut model.data.run;
    run.outcome = Some(signoff_api::event::Outcome::Completed);
    "completed".clone_into(&mut run.status);
    run.inbox.clear();
    run.held = vec!["src/parser.rs: you changed it meanwhile".to_owned()];
    model
}

fn press_watch(model: &mut Watch, keys: &str) -> Option<WatchEffect> {
    let mut effect = None;
    for key in keys.chars() {
        effect = model.press(if key == '\n' {
            Key::Enter
        } else {
            Key::Char(key)
        });
    }
    effect
}

#[test]
fn a_run_that_has_ended_is_landed_and_undone() {
    let mut model = ended();
    assert_eq!(press_watch(&mut model, "L"), None, "what becomes of it?");
    check_watch("held", &model);
    let settled = |how| Some(WatchEffect::Land(how));
    let file = "src/parser.rs".to_owned();
    assert_eq!(
        press_watch(&mut model, "take src/parser.rs\n"),
        settled(Settling::Take(file))
    );
    assert_eq!(
        press_watch(&mut model, "Lkeep\n"),
        settled(Settling::Keep(String::new()))
    );
    assert_eq!(press_watch(&mut model, "L\n"), settled(Settling::Later));
    assert_eq!(press_watch(&mut model, "Lyes\n"), None);
    assert!(matches!(&model.notice, Some(Notice::Failed(why)) if why.contains("`yes`")));
    model.data.run.held.clear();
    assert_eq!(press_watch(&mut model, "L"), settled(Settling::Later));
    assert_eq!(press_watch(&mut model, "Uyes\n"), None, "only `undo`");
    assert_eq!(press_watch(&mut model, "Uundo\n"), Some(WatchEffect::Undo));
    model.data.run.undone = true;
    model.press(Key::Char('?'));
    check_watch("keys", &model);
}

#[test]
fn a_long_message_is_shown_whole() {
    let mut model = ended();
    let why = "run 20261118-092523-6wmm does not land: the checkout stays as it is; `src/parser.rs` changed since the run began → `git merge signoff/20261118-092523-6wmm`";
    model.notice = Some(Notice::Failed(why.to_owned()));
    check_watch("refused", &model);
}

#[test]
fn nothing_panics_however_small_the_terminal_is() {
    for width in [1, 10, 59, 60, 61] {
        for height in [1, 2, 11, 12] {
            text(width, height, |buffer| review().draw(buffer, STYLE));
            text(width, height, |buffer| watch().draw(buffer, STYLE));
        }
    }
}
