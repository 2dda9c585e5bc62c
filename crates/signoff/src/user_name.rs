//! The person's name for signatures and answers. It proves nothing, but it must not come from a repository, which
//! agents can write.

use std::path::PathBuf;

/// The name of the user: from the session, else from git, else from the system.
pub(crate) fn user_name(get: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> String {
    let said = ["USER", "LOGNAME"].into_iter().find_map(&get);
    said.or_else(|| in_git(&get, home))
        .or_else(in_system)
        .unwrap_or_else(|| "unknown".to_owned())
}

/// `user.name` in the person's own configuration.
fn in_git(get: &impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<String> {
    let places = match get("GIT_CONFIG_GLOBAL") {
        Some(only) => vec![PathBuf::from(only)],
        None => {
            let config = get("XDG_CONFIG_HOME").map(PathBuf::from);
            let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
            let own = home.map(|home| home.join(".gitconfig"));
            let shared = config.map(|config| config.join("git/config"));
            shared.into_iter().chain(own).collect()
        }
    };
    let texts = places.iter().rev().map(std::fs::read_to_string);
    texts.flatten().find_map(|text| name_in_config(&text))
}

/// The last `name` in a section `[user]`.
fn name_in_config(config: &str) -> Option<String> {
    let (mut is_user, mut found) = (false, None);
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_user = section.trim_end().eq_ignore_ascii_case("user]");
        } else if let Some((key, value)) = line.split_once('=')
            && is_user
            && key.trim().eq_ignore_ascii_case("name")
        {
            found = Some(unquoted(value)).filter(|name| !name.is_empty());
        }
    }
    found
}

/// A value without its quotes, and without a comment behind it.
fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let (mut is_quoted, mut letters) = (false, value.trim().chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\\' => text.extend(letters.next()),
            '#' | ';' if !is_quoted => break,
            letter if letter.is_control() => {}
            letter => text.push(letter),
        }
    }
    text.trim().to_owned()
}

/// The name of the account.
fn in_system() -> Option<String> {
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    account(&accounts, rustix::process::getuid().as_raw())
}

/// The name with this number in lines of `name:password:number:…`.
fn account(accounts: &str, number: u32) -> Option<String> {
    let number = number.to_string();
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1) == Some(&number)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{account, name_in_config};

    #[test]
    fn git_is_asked_for_the_persons_name() {
        for (config, expected) in [
            ("[user]\n\tname = Ada Lovelace\n", Some("Ada Lovelace")),
            ("[User]\nNAME=\"Ada # L\" ; me\n", Some("Ada # L")),
            ("[user]\nname = A\n[core]\nname = B\n", Some("A")),
            ("[user]\nname = A\n[user]\nname = B # later\n", Some("B")),
            ("[user \"x\"]\nname = A\n", None),
            ("[user]\nemail = a@b\n", None),
            ("[user]\nname =\n", None),
        ] {
            assert_eq!(name_in_config(config).as_deref(), expected, "{config}");
        }
    }

    #[test]
    fn the_system_knows_the_account() {
        let accounts = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\n";
        assert_eq!(account(accounts, 1000).as_deref(), Some("ada"));
        assert_eq!(account(accounts, 0).as_deref(), Some("root"));
        assert_eq!(account(accounts, 5), None);
    }
}
