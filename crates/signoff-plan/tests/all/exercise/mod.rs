//! Everything that can be done with some bytes, and the laws that must hold. The fuzzers run this, and
//! `tests/all/corpus.rs` runs it over what they found.

mod edits;
pub(crate) mod import;

use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, parse, parse_as};
use signoff_plan::digest::Digest;
use signoff_plan::edit::{Marks, StepMark, apply_marks};
use signoff_plan::format::format_as;
use signoff_plan::source::Source;
use signoff_plan::write::write;

/// Reads bytes as a plan of a dialect; nothing may panic or hang, and the laws must hold.
pub(crate) fn plan(bytes: &[u8], dialect: Dialect) {
    let source = source(bytes, dialect);
    let checked = check(&parse_as(&source, dialect), &PermissiveWorkspace);
    for problem in &checked.diagnostics {
        source.line_column(problem.span.start);
        assert!(!problem.message.is_empty());
    }
    // Whatever it is taken for, reading it is safe.
    let recognised = parse(&source);
    tidy(&source, &checked);
    if recognised.dialect == dialect {
        edits::touch_only_their_place(&source, &checked);
    }
    for other in Dialect::ALL {
        write_and_read(&checked, *other);
    }
    if checked.errors() == 0 {
        // A directory has no marks in its files.
        if dialect != Dialect::Thread {
            mark(&source, &checked);
        }
    }
}

/// A directory is spelled as files divided by form feeds: `name`, newline, content.
fn source(bytes: &[u8], dialect: Dialect) -> Source {
    if dialect != Dialect::Thread {
        return Source::new("plan", bytes.to_vec());
    }
    let files = bytes.split(|byte| *byte == 0x0c).map(|file| {
        let end = file
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(file.len());
        let name = String::from_utf8_lossy(&file[..end]).into_owned();
        let content = file.get(end + 1..).unwrap_or_default().to_vec();
        (name, content)
    });
    Source::directory("plan", files.collect())
}

/// Tidying changes no digest, and there is nothing to do a second time; a refusal is fine.
fn tidy(source: &Source, checked: &Checked) {
    let Ok(tidy) = format_as(source, checked.dialect) else {
        return;
    };
    let again = check(&parse_as(&tidy, checked.dialect), &PermissiveWorkspace);
    assert_eq!(Digest::of_plan(&again.plan), Digest::of_plan(&checked.plan));
    let twice = format_as(&tidy, checked.dialect);
    assert_eq!(twice.as_ref().map(Source::bytes), Ok(tidy.bytes()));
}

/// What is written without loss reads as the same plan; one with mistakes is only written.
fn write_and_read(checked: &Checked, dialect: Dialect) {
    let written = write(&checked.plan, dialect);
    // A title that is filled in is part of the digest.
    let mut losses = written.losses.iter();
    let lost = losses.any(|loss| loss.is_relevant() || loss.field == "title");
    if lost || checked.errors() > 0 {
        return;
    }
    let again = match dialect {
        Dialect::Thread => {
            let files = written
                .files
                .into_iter()
                .map(|(name, text)| (name, text.into_bytes()));
            Source::directory("plan", files.collect())
        }
        Dialect::Workunit | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => {
            let text = written
                .files
                .into_iter()
                .next()
                .map(|(_, text)| text)
                .unwrap_or_default();
            Source::new("plan", text.into_bytes())
        }
    };
    let read = check(&parse_as(&again, dialect), &PermissiveWorkspace);
    assert_eq!(
        Digest::of_plan(&read.plan),
        Digest::of_plan(&checked.plan),
        "\n{}\n{:#?}",
        again.text(),
        read.diagnostics
    );
}

/// Marks change no digest; a refusal is fine.
fn mark(source: &Source, checked: &Checked) {
    let steps = checked
        .plan
        .steps
        .iter()
        .map(|step| (step.id.clone(), StepMark::Done))
        .collect();
    if let Ok(bytes) = apply_marks(
        source,
        &Marks {
            status: None,
            steps,
        },
    ) {
        let marked = check(
            &parse_as(&Source::new("plan", bytes), checked.dialect),
            &PermissiveWorkspace,
        );
        assert_eq!(
            Digest::of_plan(&marked.plan),
            Digest::of_plan(&checked.plan)
        );
    }
}

/// Reads bytes as shell text.
pub(crate) fn shell(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let analysis = signoff_plan::shell::analyse(text);
        for error in &analysis.errors {
            assert!(error.span.end <= text.len());
        }
    }
}

/// Reads bytes as an expression, a template and a reference.
pub(crate) fn expression(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let _reads = signoff_plan::expression::read(text);
    let _places = signoff_plan::expression::placeholders(text);
    let _found = signoff_plan::reference::scan(text);
    let scope = signoff_plan::expression::Scope::default();
    let _condition = signoff_plan::expression::evaluate_condition(text, &scope);
    let _rendered = signoff_plan::expression::render(text, &scope);
}

/// Judges bytes as a command line: whatever stands beside a command that writes, it does not only read.
pub(crate) fn read_only(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let judged = signoff_plan::shell::read_only(text);
    if let Err(refusal) = &judged {
        assert!(!refusal.to_string().is_empty());
    }
    for longer in [
        format!("rm x; {text}"),
        format!("echo $(rm x); {text}"),
        format!("> f; {text}"),
        format!("rm x | {{ {text}\n}}"),
    ] {
        assert!(
            signoff_plan::shell::read_only(&longer).is_err(),
            "{longer:?}"
        );
    }
    // What stands behind a whole text is a command of its own.
    if judged.is_ok() {
        for longer in [
            format!("{text}\nrm x"),
            format!("{text}\necho `rm x`"),
            format!("( {text}\n) > f"),
        ] {
            assert!(
                signoff_plan::shell::read_only(&longer).is_err(),
                "{longer:?}"
            );
        }
    }
}
