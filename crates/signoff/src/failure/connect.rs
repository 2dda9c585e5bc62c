//! Failures of `connect`.

use signoff_runtime::error::ConnectError;

use super::Failure;
use crate::style::sanitize;

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::NoHome => Self::new(
                6,
                "no-home",
                "there is no home directory to find an agent's settings in",
            )
            .hint("set HOME"),
            ConnectError::Refused { path, why, paste } => {
                let path = sanitize(&path.display().to_string());
                let refused = Self::new(5, "uneditable", format!("{path} is not edited: {why}"));
                match paste {
                    Some(paste) => paste
                        .lines()
                        .fold(refused, |failure, line| failure.detail(line.to_owned()))
                        .hint("nothing was written; put the lines above into it yourself, or repair the file and try again"),
                    None => refused.hint("nothing was written; move the file away or repair it, then try again"),
                }
            }
        }
    }
}
