//! A git configuration for what is started: who the person is, and nothing that could run a program.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::settings::{read, without_login};

/// What is taken over of the person's, by section and key.
const TAKEN: [(&str, &str); 5] = [
    ("user", "name"),
    ("user", "email"),
    ("init", "defaultBranch"),
    ("http", "sslCAInfo"),
    ("http", "proxy"),
];

/// Its text. Files are read as git would, without those that they include; a later value counts.
pub(super) fn git_config(home: &Path, xdg: Option<PathBuf>) -> String {
    let xdg = xdg.unwrap_or_else(|| home.join(".config"));
    let files = [xdg.join("git/config"), home.join(".gitconfig")];
    let texts: Vec<String> = files.iter().filter_map(|file| read(file)).collect();
    // Files of the tree may belong to anybody; what git would run there is confined as everything is.
    let mut config = "[safe]\n\tdirectory = *\n\tbareRepository = explicit\n".to_owned();
    for (section, key) in TAKEN {
        let mut values = texts.iter().rev();
        if let Some(value) = values.find_map(|text| last_value(text, section, key)) {
            let value = without_login(&value).replace('\\', "\\\\");
            let value = value.replace('"', "\\\"");
            // Writing to a string does not fail.
            writeln!(config, "[{section}]\n\t{key} = \"{value}\"").ok();
        }
    }
    config
}

/// The last value of a key in a section without a name of its own.
fn last_value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut is_there = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        let mut line = line;
        if let Some(title) = line.strip_prefix('[') {
            let (title, rest) = title.split_once(']').unwrap_or((title, ""));
            is_there = title.trim().eq_ignore_ascii_case(section);
            line = rest.trim();
        }
        if let Some((name, value)) = line.split_once('=')
            && is_there
            && name.trim().eq_ignore_ascii_case(key)
        {
            found = Some(unquote(value.trim()));
        }
    }
    found.filter(|value| !value.is_empty())
}

/// A value without its quotes, escapes and comment.
fn unquote(written: &str) -> String {
    let mut value = String::new();
    let mut in_quotes = false;
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => in_quotes = !in_quotes,
            '#' | ';' if !in_quotes => break,
            '\\' => match characters.next() {
                Some(escaped @ ('"' | '\\')) => value.push(escaped),
                // Line breaks and tabs have no place in what is taken over.
                Some(_) | None => value.push(' '),
            },
            other => value.push(other),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_person_is_known_and_no_program_is() {
        let home = tempfile::tempdir().unwrap();
        let xdg = home.path().join(".config/git");
        fs::create_dir_all(&xdg).unwrap();
        fs::write(xdg.join("config"), "[user]\n\tname = Old\n\temail = a@x\n").unwrap();
        let text = "[core]\n\tpager = evil\n\tsshCommand = evil\n[credential]\n\thelper = evil\n[user] name = \"Ada \\\"L\\\"\" ; me\n[user \"other\"]\n\temail = no@x\n[http]\n\tproxy = http://u:p@proxy:1\n[include]\n\tpath = x\n";
        fs::write(home.path().join(".gitconfig"), text).unwrap();
        assert_eq!(
            git_config(home.path(), None),
            "[safe]\n\tdirectory = *\n\tbareRepository = explicit\n[user]\n\tname = \"Ada \\\"L\\\"\"\n[user]\n\temail = \"a@x\"\n[http]\n\tproxy = \"http://proxy:1\"\n"
        );
    }
}
