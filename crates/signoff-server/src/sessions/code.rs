//! The one-time code: shown where the server was started, typed in the browser.

use std::io;
use std::time::{Duration, Instant};

use super::secret::{SecretHash, random_bytes};

/// How long a code may be typed.
const LIFE: Duration = Duration::from_mins(10);
/// Whoever asks after this time is shown another one; both count then.
const FRESH: Duration = Duration::from_mins(5);
/// How long the answer to the first wrong code takes; to each further one twice as long.
const FIRST_DELAY: Duration = Duration::from_millis(500);
/// How often that doubles.
const DOUBLINGS: u32 = 4;
/// Letters and digits that nobody mistakes for each other. 32 of them: each is 5 random bits.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// The codes that open a session: the newest that was shown, and the one before it. A wrong one uses up neither, or any program
/// of the machine could keep the person out; it takes time, and there are more of them than anybody could try.
#[derive(Debug, Default)]
pub(crate) struct OneTimeCode {
    newest: Option<LiveCode>,
    before: Option<LiveCode>,
    wrong: u32,
}

#[derive(Debug)]
struct LiveCode {
    hash: SecretHash,
    made: Instant,
}

impl OneTimeCode {
    /// Makes a code unless the newest is fresh, and returns it: it is not remembered as text.
    pub(crate) fn renew(&mut self, now: Instant) -> io::Result<Option<String>> {
        let newest = self.newest.as_ref();
        if newest.is_some_and(|code| now.duration_since(code.made) < FRESH) {
            return Ok(None);
        }
        let letters = random_bytes::<8>()?.map(|byte| LETTERS[usize::from(byte % 32)]);
        let text = String::from_utf8_lossy(&letters).into_owned();
        self.before = self.newest.replace(LiveCode {
            hash: SecretHash::of(&text),
            made: now,
        });
        Ok(Some(text))
    }

    /// Uses up the codes, if this is one of them; else says how long the answer has to take.
    pub(crate) fn redeem(&mut self, typed: &str, now: Instant) -> Result<(), Duration> {
        let plain = typed.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = plain.map(|letter| letter.to_ascii_uppercase()).collect();
        let hash = SecretHash::of(&plain);
        let live = |code: &&LiveCode| now.duration_since(code.made) < LIFE;
        let codes = self.newest.iter().chain(&self.before).filter(live);
        // Each is compared, so that the time does not tell which one it was.
        let fits = codes.fold(false, |fits, code| code.hash.is(&hash) | fits);
        if fits {
            *self = Self::default();
            return Ok(());
        }
        let delay = FIRST_DELAY * 2u32.pow(self.wrong.min(DOUBLINGS));
        self.wrong = self.wrong.saturating_add(1);
        Err(delay)
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
        let typed = format!(" {} ", in_groups(&text).to_lowercase());
        assert_eq!(code.redeem(&typed, now), Ok(()));
        assert!(code.redeem(&text, now).is_err());
    }

    #[test]
    fn wrong_codes_take_longer_and_longer_and_use_up_none() {
        let now = Instant::now();
        let (mut code, text) = new_code(now);
        let delays: Vec<Duration> = (0..7)
            .map(|_| code.redeem("AAAA-AAAA", now).unwrap_err())
            .collect();
        assert_eq!(delays[..3], [FIRST_DELAY, FIRST_DELAY * 2, FIRST_DELAY * 4]);
        assert_eq!(delays[6], FIRST_DELAY * 16, "it does not grow for ever");
        assert_eq!(code.renew(now).unwrap(), None);
        assert_eq!(code.redeem(&text, now), Ok(()));
    }

    #[test]
    fn the_newest_two_codes_count_until_their_time_is_over() {
        let now = Instant::now();
        let (mut code, first) = new_code(now);
        let second = code.renew(now + FRESH).unwrap().unwrap();
        assert_eq!(code.redeem(&first, now + FRESH), Ok(()));
        let (mut code, first) = new_code(now);
        code.renew(now + FRESH).unwrap().unwrap();
        assert!(code.redeem(&first, now + LIFE).is_err());
        assert!(code.redeem(&second, now + FRESH).is_err());
        assert!(OneTimeCode::default().redeem("", now).is_err());
    }
}
