//! Diagnostics as workflow commands, which GitHub Actions turns into annotations.

use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::source::Source;

/// `::error file=…,line=…,col=…,title=code::message`
pub(crate) fn command(diagnostic: &Diagnostic, source: &Source) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let (line, column) = source.line_column(diagnostic.span.start);
    let (end_line, end_column) = source.line_column(diagnostic.span.end);
    // An end column is understood on the line of the start only.
    let end = if line == end_line {
        format!("endColumn={end_column},")
    } else {
        format!("endLine={end_line},")
    };
    let text = match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    format!(
        "::{level} file={},line={line},col={column},{end}title={}::{}",
        property(&source.name_at(diagnostic.span.start)),
        property(diagnostic.code.as_str()),
        data(&text)
    )
}

/// Text after the second `::`: line ends would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which ends at `,` or `:`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use signoff_plan::diagnostic::Code;
    use signoff_plan::dialect::Dialect;
    use signoff_plan::source::Span;

    use super::*;

    #[track_caller]
    fn check(name: &str, message: &str, expected: &str) {
        let source = Source::new(name, b"one\ntwo\n".to_vec());
        let problem = Diagnostic::new(Code::BadId, Dialect::Workunit, Span::new(4, 6), message);
        assert_eq!(command(&problem, &source), expected);
    }

    #[test]
    fn nothing_in_a_name_or_message_ends_the_command() {
        check(
            "a.md",
            "id `x` is bad",
            "::error file=a.md,line=2,col=1,endColumn=3,title=bad-id::id `x` is bad",
        );
        check(
            "50%,a:b\n.md",
            "100%: a, b",
            "::error file=50%25%2Ca%3Ab%0A.md,line=2,col=1,endColumn=3,title=bad-id::100%25: a, b",
        );
    }

    #[test]
    fn help_is_a_second_line() {
        let source = Source::new("a.md", b"one\ntwo\n".to_vec());
        let problem = Diagnostic::new(Code::NoSteps, Dialect::Record, Span::new(0, 6), "no steps")
            .help("add one");
        assert_eq!(
            command(&problem, &source),
            "::warning file=a.md,line=1,col=1,endLine=2,title=no-steps::no steps%0Aadd one"
        );
    }
}
