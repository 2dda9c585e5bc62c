//! The person's name for signatures and answers: that of their account. Variables and settings of git say whatever the
//! process that sets them wants, so that one account could sign as two people.

use std::path::Path;

use signoff_sandbox::{InteractiveCommand, Stdin};
use signoff_store::failpoint;

/// The name of the account that runs this process.
pub(crate) fn user_name() -> String {
    let number = rustix::process::getuid().as_raw();
    failpoint::account()
        .or_else(|| account(&std::fs::read_to_string("/etc/passwd").ok()?, number))
        .or_else(|| account(&listed_elsewhere(number)?, number))
        .unwrap_or_else(|| format!("uid {number}"))
}

/// The line of an account that a directory of the network has.
fn listed_elsewhere(number: u32) -> Option<String> {
    let asked = InteractiveCommand {
        argv: ["/usr/bin/getent", "passwd", &number.to_string()]
            .map(Into::into)
            .to_vec(),
        cwd: Path::new("/"),
        env: Vec::new(),
        stdin: Stdin::Bytes(Vec::new()),
    };
    String::from_utf8(asked.run().ok()?.stdout).ok()
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
    use super::account;

    #[test]
    fn the_system_knows_the_account() {
        let accounts = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\n";
        assert_eq!(account(accounts, 1000).as_deref(), Some("ada"));
        assert_eq!(account(accounts, 0).as_deref(), Some("root"));
        assert_eq!(account(accounts, 5), None);
    }
}
