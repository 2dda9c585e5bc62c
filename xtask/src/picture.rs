//! The README's terminal picture: what `signoff demo` really prints, as SVG.

use std::fs;
use std::path::Path;
use std::process::Command;

use anstyle_svg::{Term, WIN10_CONSOLE};

/// Columns of the pictured terminal.
const COLUMNS: usize = 100;
/// Pixels per column in the font that anstyle-svg writes.
const COLUMN_PX: f64 = 8.4;
/// What stands above the output, as if typed.
const PROMPT: &str = "\x1b[2m$\x1b[0m \x1b[1mcargo run --release -- demo\x1b[0m";
/// The most telling part: from the first line with the one text, up to the first with the other.
const PART: [&str; 2] = ["3. Somebody weakens", "5. Agents side by side"];
/// What every pictured run is called: 2026-01-01, noon.
const RUN: &str = "20260101-120000-demo";
/// How long everything takes in the picture.
const TIME: &str = "0.1s";
/// The demo's folder, whose name ends in letters drawn at random.
const FOLDER: &str = "signoff-demo-";

/// The picture of this build's demo.
// The demo runs twice: what differs between two runs would also differ on the next machine, and
// `gen --check` would fail there without a reason that anybody could find.
pub(crate) fn render(signoff: &str) -> Result<String, String> {
    let [once, again] = [
        extract(&demo(signoff)?, PART)?,
        extract(&demo(signoff)?, PART)?,
    ];
    if let Some((a, b)) = once.lines().zip(again.lines()).find(|(a, b)| a != b) {
        return Err(format!(
            "`signoff demo` does not print the same thing twice:\n  {a}\n  {b}"
        ));
    }
    Ok(svg(&format!("{PROMPT}\n{once}")))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a width in pixels is small and positive"
)]
fn svg(ansi: &str) -> String {
    let width = (COLUMNS as f64 * COLUMN_PX).ceil() as usize;
    Term::new()
        .palette(WIN10_CONSOLE)
        .min_width_px(width)
        .render_svg(ansi)
}

/// Runs the demo in an environment in which nothing of this machine shows.
fn demo(signoff: &str) -> Result<String, String> {
    let home = std::env::temp_dir().join(format!("signoff-picture-{}", std::process::id()));
    fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let printed = run_in(signoff, &home);
    fs::remove_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    printed
}

fn run_in(signoff: &str, home: &Path) -> Result<String, String> {
    let output = Command::new(signoff)
        .args(["demo", "--color", "always"])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LANG", "C.UTF-8")
        .env("SIGNOFF_ACCOUNT", "ada")
        .env("TERM", "xterm-256color")
        .env("COLUMNS", COLUMNS.to_string())
        .env("HOME", home)
        .env("TMPDIR", home)
        .current_dir(home)
        .output()
        .map_err(|error| format!("{signoff}: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "`signoff demo` ended with {}\n{stderr}",
            output.status
        ));
    }
    let printed = String::from_utf8(output.stdout)
        .map_err(|_| "`signoff demo` printed what is not UTF-8 text".to_owned())?;
    Ok(with_stable_names(
        &printed.replace(&*home.to_string_lossy(), "/tmp"),
    ))
}

/// The text with one name for every run and for the folder, one time for everything quick, and the sandbox that
/// most machines have.
fn with_stable_names(printed: &str) -> String {
    let mut text = String::new();
    let levels = ["none", "landlock", "bubblewrap"];
    let printed = levels.into_iter().fold(printed.to_owned(), |text, level| {
        text.replace(&format!("sandbox: {level}"), "sandbox: namespaces")
    });
    let mut rest = printed.as_str();
    while let Some(next) = rest.chars().next() {
        if rest.get(..RUN.len()).is_some_and(is_run_id) {
            text.push_str(RUN);
            rest = &rest[RUN.len()..];
        } else if let Some(named) = rest.strip_prefix(FOLDER) {
            text.push_str(FOLDER);
            text.push('1');
            rest = named.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        } else if rest.get(..TIME.len()).is_some_and(is_time) {
            text.push_str(TIME);
            rest = &rest[TIME.len()..];
        } else {
            text.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    text
}

/// A few seconds or less, such as `0.3s`.
fn is_time(word: &str) -> bool {
    match word.as_bytes() {
        [second, b'.', tenth, b's'] => second.is_ascii_digit() && tenth.is_ascii_digit(),
        _ => false,
    }
}

/// Date, time and four letters or digits, such as `20261115-093012-k3f9`.
fn is_run_id(word: &str) -> bool {
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    match word.split('-').collect::<Vec<_>>()[..] {
        [date, time, tail] => {
            digits(date, 8)
                && digits(time, 6)
                && tail.len() == 4
                && tail.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        _ => false,
    }
}

fn extract(printed: &str, [from, until]: [&str; 2]) -> Result<String, String> {
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let at = |text: &str| {
        let found = lines.iter().position(|line| line.contains(text));
        found.ok_or_else(|| format!("`signoff demo` printed no line with `{text}`"))
    };
    let (first, last) = (at(from)?, at(until)?);
    let shown = lines
        .get(first..last)
        .ok_or_else(|| format!("`signoff demo` printed `{until}` before `{from}`"))?;
    let shown: Vec<String> = shown.iter().map(|line| cut_to_width(line)).collect();
    Ok(format!("…\n{}\n…", shown.join("\n").trim_end()))
}

/// The line as far as the terminal is wide. Escape sequences take no room, and those after the cut
/// stay, for they end a colour.
fn cut_to_width(line: &str) -> String {
    let mut in_escape = false;
    let marked: Vec<(char, bool)> = line
        .chars()
        .map(|c| {
            let visible = !in_escape && c != '\x1b';
            in_escape = !visible && !c.is_ascii_alphabetic();
            (c, visible)
        })
        .collect();
    if marked.iter().filter(|(_, visible)| *visible).count() <= COLUMNS {
        return line.to_owned();
    }
    let mut column = 0;
    let mut text = String::new();
    for (c, visible) in marked {
        column += usize::from(visible);
        match column {
            COLUMNS if visible => text.push('…'),
            _ if !visible || column < COLUMNS => text.push(c),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_part_between_two_lines() {
        let printed = "one\ntwo  \nthree\n\nfour\n";
        assert_eq!(
            extract(printed, ["tw", "four"]).unwrap(),
            "…\ntwo\nthree\n…"
        );
        assert!(extract(printed, ["one", "five"]).is_err());
        assert!(extract(printed, ["four", "one"]).is_err());
    }

    #[test]
    fn names_that_change_are_made_the_same() {
        assert_eq!(
            with_stable_names(
                "\x1b[1m20261115-093012-k3f9\x1b[0m ‘20261115-093013-0000’ 2026-11-15"
            ),
            format!("\x1b[1m{RUN}\x1b[0m ‘{RUN}’ 2026-11-15")
        );
        assert_eq!(with_stable_names("  0.0s · 3.7s 12s"), "  0.1s · 0.1s 12s");
        assert_eq!(
            with_stable_names("sandbox: none, up"),
            "sandbox: namespaces, up"
        );
        assert_eq!(
            with_stable_names("/tmp/signoff-demo-nXkkLg/project"),
            "/tmp/signoff-demo-1/project"
        );
    }

    #[test]
    fn a_long_line_is_cut_where_the_terminal_ends() {
        let coloured = |text: &str| format!("\x1b[2m{text}\x1b[0m");
        let most = "x".repeat(COLUMNS - 1);
        let fits = coloured(&format!("{most}y"));
        assert_eq!(cut_to_width(&fits), fits);
        let long = coloured(&format!("{most}yz"));
        assert_eq!(cut_to_width(&long), coloured(&format!("{most}…")));
    }

    #[test]
    fn colours_become_classes_and_markup_is_escaped() {
        let picture = svg("\x1b[32m<ok>\x1b[0m");
        assert!(picture.starts_with("<svg width=\"860px\""), "{picture}");
        assert!(picture.contains("fg-green"), "{picture}");
        assert!(picture.contains("&lt;ok&gt;"), "{picture}");
    }
}
