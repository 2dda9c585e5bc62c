//! Why a child could not become the command.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

/// What the child was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartStage {
    Prepare = 1,
    EnterDirectory = 2,
    Execute = 3,
    Confine = 4,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChildFailure {
    pub(crate) stage: StartStage,
    pub(crate) errno: i32,
}

impl ChildFailure {
    /// Takes the reason from `errno`. Allocates nothing.
    pub(crate) fn at(stage: StartStage) -> Self {
        Self {
            stage,
            errno: errno(),
        }
    }

    pub(crate) fn to_bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.errno.to_le_bytes();
        [self.stage as u8, a, b, c, d]
    }

    fn from_bytes([stage, errno @ ..]: [u8; 5]) -> Self {
        let stage = match stage {
            2 => StartStage::EnterDirectory,
            3 => StartStage::Execute,
            4 => StartStage::Confine,
            _ => StartStage::Prepare,
        };
        Self {
            stage,
            errno: i32::from_le_bytes(errno),
        }
    }

    /// Waits until the child has become the command, which closes the pipe, or reports why not.
    pub(crate) fn read(status: OwnedFd) -> io::Result<Option<Self>> {
        let mut message = [0; 5];
        match File::from(status).read_exact(&mut message) {
            Ok(()) => Ok(Some(Self::from_bytes(message))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns the `errno` of the calling thread. Allocates nothing.
pub(crate) fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_pipe() {
        for stage in [
            StartStage::Prepare,
            StartStage::EnterDirectory,
            StartStage::Execute,
            StartStage::Confine,
        ] {
            let failure = ChildFailure {
                stage,
                errno: 0x0102_0304,
            };
            assert_eq!(ChildFailure::from_bytes(failure.to_bytes()), failure);
        }
    }
}
