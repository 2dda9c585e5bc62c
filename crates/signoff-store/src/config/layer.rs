//! One configuration file, applied over what the lower layers said.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use toml::de::DeTable;

use super::problem::position;
use super::read::{ReadSource, Reader};
use super::{Config, FileContent, Origin, Problem, SettingLocation, Source};
use crate::files::no_follow;

/// Largest file that is read.
const LARGEST: u64 = 1024 * 1024;

/// Applies the file, if there is one; adds what is wrong with it to `problems`.
pub(super) fn apply(
    config: &mut Config,
    (path, content): (&Path, &FileContent),
    origin: Origin,
    home: Option<&Path>,
    problems: &mut Vec<Problem>,
) {
    let Some(text) = layer_text((path, content), problems) else {
        return;
    };
    problems.extend(parse(config, path, (origin, home), text));
    if origin == Origin::Project {
        config.project = Some(Source {
            path: path.to_path_buf(),
            bytes: text.as_bytes().to_vec(),
        });
    }
}

/// The text of a file, if there is one and it is text.
pub(super) fn layer_text<'c>(
    (path, content): (&Path, &'c FileContent),
    problems: &mut Vec<Problem>,
) -> Option<&'c str> {
    let unreadable = |(line, column), message| Problem {
        location: SettingLocation::File {
            path: path.to_path_buf(),
            line,
            column,
        },
        message,
        suggestion: None,
    };
    let bytes = match content {
        Ok(bytes) => bytes.as_deref()?,
        Err(message) => {
            problems.push(unreadable((1, 1), message.clone()));
            return None;
        }
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let valid = error.valid_up_to();
            let text = String::from_utf8_lossy(bytes);
            let message = "the file is not UTF-8".to_owned();
            problems.push(unreadable(position(&text, valid), message));
            None
        }
    }
}

/// The bytes of a file, if there is one.
pub(super) fn read_limited(path: &Path, origin: Origin) -> FileContent {
    // Most files fit, and are read at once.
    let mut bytes = Vec::with_capacity(4096);
    let opened = match origin {
        // People link their own settings from elsewhere. What a project links to was never its own.
        Origin::User => File::open(path),
        _ => no_follow::open(path).map_err(|error| error.source),
    };
    let read = opened.and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > LARGEST => Err("the file is larger than 1 MiB".to_owned()),
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read the file: {error}")),
    }
}

fn parse(
    config: &mut Config,
    path: &Path,
    (origin, home): (Origin, Option<&Path>),
    text: &str,
) -> Vec<Problem> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader {
        from: ReadSource::File { path, text },
        origin,
        problems: Vec::new(),
    };
    for error in &errors {
        let offset = error.span().map_or(0, |span| span.start);
        reader.problem_at(offset, error.message().replace('\n', "; "), None);
    }
    let mut broken = std::mem::take(&mut reader.problems);
    // The first error of a line is the writer's; later ones are guesses of the parser.
    broken.sort_by_key(line_and_column);
    broken.dedup_by_key(|problem| line_and_column(problem).0);
    reader.document(table.get_ref(), config);
    reader.refuse_home_files(table.get_ref(), home);
    let mut problems = reader.problems;
    if errors
        .iter()
        .any(|error| error.message().contains("unclosed"))
    {
        // What follows was read as part of something else.
        problems.clear();
    }
    let line = |problem: &Problem| line_and_column(problem).0;
    problems.retain(|problem| broken.iter().all(|broken| line(broken) != line(problem)));
    problems.append(&mut broken);
    problems.sort_by_key(line_and_column);
    problems
}

fn line_and_column(problem: &Problem) -> (usize, usize) {
    match problem.location {
        SettingLocation::File { line, column, .. } => (line, column),
        SettingLocation::Variable(_) => (0, 0),
    }
}
