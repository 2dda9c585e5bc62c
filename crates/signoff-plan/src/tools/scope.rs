//! Which tools a list of names allows.

/// How a scope allows a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// It is named in full, which is also the agreement to call it.
    Named,
    /// Its server or a pattern covers it; a call may still need agreement.
    Covered,
}

/// Whether a scope allows a tool: by its name, by that of its server, or by `name_*`.
pub fn allows(scope: &[String], tool: &str) -> Option<Grant> {
    if scope.iter().any(|name| name == tool) {
        return Some(Grant::Named);
    }
    let covered = scope.iter().any(|name| covers(name, tool));
    covered.then_some(Grant::Covered)
}

fn covers(name: &str, tool: &str) -> bool {
    if let Some(prefix) = name.strip_suffix('*') {
        return tool.starts_with(prefix);
    }
    let server = tool.split_once('.').map(|(server, _)| server);
    server == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scope: &[&str], tool: &str, expected: Option<Grant>) {
        let scope: Vec<_> = scope.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(allows(&scope, tool), expected, "{scope:?} {tool}");
    }

    #[test]
    fn names_servers_and_patterns_allow() {
        check(&["read_file"], "read_file", Some(Grant::Named));
        check(
            &["github.*", "github.create_issue"],
            "github.create_issue",
            Some(Grant::Named),
        );
        check(&["github"], "github.create_issue", Some(Grant::Covered));
        check(&["read_*"], "read_file", Some(Grant::Covered));
        check(&["*"], "read_file", Some(Grant::Covered));
        check(&["read"], "read_file", None);
        check(&["git"], "github.create_issue", None);
        check(&[], "read_file", None);
    }
}
