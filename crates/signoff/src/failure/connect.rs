//! Failures of `connect`.

use signoff_runtime::error::ConnectError;

use super::Failure;

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        advice(&error).with_error_text(&error)
    }
}

fn advice(error: &ConnectError) -> Failure {
    match error {
        ConnectError::NoHome => Failure::of(6, "no-home").hint("set HOME"),
        ConnectError::Refused { paste, .. } => {
            let refused = Failure::of(5, "uneditable");
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
