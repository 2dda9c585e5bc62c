//! The one-time code: shown where the server was started, typed in the browser.

use std::io;
use std::time::{Duration, Instant};

use super::secret::{SecretHash, random_bytes};

/// How long a code may be typed.
const LIFE: Duration = Duration::from_mins(10);
/// Wrong codes until another one is needed.
const TRIES: u8 = 5;
/// Letters and digits that nobody mistakes for each other. 32 of them: each is 5 random bits.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The code that opens a session, as long as there is one.
#[derive(Debug, Default)]
pub(crate) struct OneTimeCode {
    current: Option<LiveCode>,
}

#[derive(Debug)]
struct LiveCode {
    hash: SecretHash,
    until: Instant,
    tries: u8,
}

impl OneTimeCode {
    /// Makes a code if none can be used, and returns it: it is not remembered as text.
    pub(crate) fn renew(&mut self, now: Instant) -> io::Result<Option<String>> {
        if self.current.as_ref().is_some_and(|code| code.is_live(now)) {
            return Ok(None);
        }
        let letters = random_bytes::<8>()?.map(|byte| LETTERS[usize::from(byte % 32)]);
        let text = String::from_utf8_lossy(&letters).into_owned();
        self.current = Some(LiveCode {
            hash: SecretHash::of(&text),
            until: now + LIFE,
            tries: TRIES,
        });
        Ok(Some(text))
    }

    /// Uses up the code, if this is it, and a try, if not.
    pub(crate) fn redeem(&mut self, typed: &str, now: Instant) -> bool {
        let Some(code) = self.current.as_mut().filter(|code| code.is_live(now)) else {
            return false;
        };
        let plain = typed.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = plain.map(|letter| letter.to_ascii_uppercase()).collect();
        let fits = code.hash.is(&SecretHash::of(&plain));
        code.tries -= 1;
        if fits {
            self.current = None;
        }
        fits
    }
}

impl LiveCode {
    fn is_live(&self, now: Instant) -> bool {
        self.tries > 0 && now < self.until
    }
}

/// The code as people read it.
pub(crate) fn in_groups(code: &str) -> String {
    let (first, second) = code.split_at(code.len() / 2);
    format!("{first}-{second}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_code(now: Instant) -> (OneTimeCode, String) {
        let mut code = OneTimeCode::default();
        let text = code.renew(now).unwrap().unwrap();
        (code, text)
    }

    #[test]
    fn a_code_opens_once_however_it_is_typed() {
        let now = Instant::now();
        let (mut code, text) = new_code(now);
        assert_eq!(code.renew(now).unwrap(), None);
        assert!(code.redeem(&format!(" {} ", in_groups(&text).to_lowercase()), now));
        assert!(!code.redeem(&text, now));
    }

    #[test]
    fn a_code_is_given_up_after_five_wrong_ones() {
        let now = Instant::now();
        let (mut code, text) = new_code(now);
        for _ in 0..TRIES {
            assert!(!code.redeem("AAAA-AAAA", now));
        }
        assert!(!code.redeem(&text, now));
        assert!(code.renew(now).unwrap().is_some_and(|new| new != text));
    }

    #[test]
    fn a_code_ends_with_its_time() {
        let now = Instant::now();
        let (mut code, text) = new_code(now);
        assert!(!code.redeem(&text, now + LIFE));
        assert!(!OneTimeCode::default().redeem("", now));
    }
}
