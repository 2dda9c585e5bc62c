//! `explain`: what a problem means, why it matters, and what to write instead.

use signoff_api::checks::{Check, Checks};
use signoff_plan::diagnostic::{Code, Severity};
use signoff_plan::dialect::Dialect;

use crate::args::Explain;
use crate::check_pages::page;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{DIM, TITLE, paint};

pub(crate) fn explain(session: &mut Session, args: &Explain) -> Result<u8, Failure> {
    let wanted = args.code.as_deref().map(find).transpose()?;
    if session.is_json() {
        let codes = Code::ALL.iter().copied();
        let shapes = codes.filter(|code| wanted.is_none_or(|wanted| wanted == *code));
        let shape = Checks::new(shapes.map(to_api).collect());
        session.json(&shape);
        return Ok(0);
    }
    match wanted {
        Some(code) => print_page(session, code),
        None => list(session),
    }
    Ok(0)
}

fn find(typed: &str) -> Result<Code, Failure> {
    // Accepts `error[bad-id]`, as `verify` prints it, and `bad_id`.
    let name = typed
        .trim_start_matches("error")
        .trim_start_matches("warning")
        .trim_start_matches("note[")
        .trim_matches(['[', ']', ':'])
        .to_lowercase()
        .replace('_', "-");
    let found = Code::ALL.iter().find(|code| code.as_str() == name);
    found.copied().ok_or_else(|| {
        let failure = Failure::new(2, "no-such-code", format!("there is no check `{typed}`"));
        let near = Code::ALL
            .iter()
            .map(|code| (strsim::damerau_levenshtein(code.as_str(), &name), code))
            .min()
            .filter(|(distance, code)| *distance <= code.as_str().len() / 2);
        match near {
            Some((_, code)) => failure.hint(format!("did you mean `{code}`?")),
            None => failure.hint("`signoff explain` lists them all"),
        }
    })
}

fn to_api(code: Code) -> Check {
    let page = page(code);
    Check {
        code: code.as_str().to_owned(),
        severity: Dialect::ALL
            .iter()
            .map(|dialect| {
                let severity = code.severity(*dialect);
                (dialect.as_str().to_owned(), severity.as_str().to_owned())
            })
            .collect(),
        environmental: code.is_environmental(),
        what: page.what,
        why: page.why,
        example: page.example,
        instead: page.instead,
    }
}

fn print_page(session: &mut Session, code: Code) {
    session.out.answer(paint(TITLE, code));
    session.out.answer(paint(DIM, severity(code)));
    let page = page(code);
    session.out.answer("");
    let mut fenced = false;
    for line in page.text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            session.out.answer(format!("    {line}"));
        } else if let Some(heading) = line.strip_prefix("## ") {
            session.out.answer(paint(TITLE, heading));
        } else {
            session.out.answer(line);
        }
    }
}

/// How much it matters, and where.
fn severity(code: Code) -> String {
    let of = |wanted: Severity| {
        let all = Dialect::ALL.iter().copied();
        let names = all.filter(|dialect| code.severity(*dialect) == wanted);
        names.map(Dialect::as_str).collect::<Vec<_>>()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let mut text = match (errors.is_empty(), warnings.is_empty()) {
        (true, true) => "note".to_owned(),
        (false, true) => "error".to_owned(),
        (true, false) => "warning".to_owned(),
        (false, false) => format!(
            "error in {}; warning in {}",
            errors.join(", "),
            warnings.join(", ")
        ),
    };
    if code.is_environmental() && !warnings.is_empty() {
        text.push_str("; an error everywhere when the plan is signed or run");
    }
    text
}

fn list(session: &mut Session) {
    let width = Code::ALL.iter().map(|code| code.as_str().len()).max();
    let width = width.expect("there are codes");
    for code in Code::ALL {
        let what = page(*code).what;
        let first = what.lines().next().expect("every page says what");
        let name = format!("{:<width$}", code.as_str());
        session
            .out
            .answer(format!("{}  {first}", paint(TITLE, name)));
    }
    session
        .out
        .say("`signoff explain CODE` explains one, with an example");
}
