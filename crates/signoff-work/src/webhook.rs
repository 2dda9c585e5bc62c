//! One delivery to a webhook: a signed body, sent once.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::http::stream::{Post, StreamError, StreamLimits, post};

/// When the body was signed, in seconds since 1970: a receiver refuses what is too old.
pub const TIMESTAMP: &str = "signoff-timestamp";
/// `sha256=` and the HMAC of the timestamp, a dot and the body.
pub const SIGNATURE: &str = "signoff-signature";

/// Bytes that SHA-256 takes at once.
const BLOCK: usize = 64;

/// What is sent where.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub url: String,
    pub body: String,
    /// Signs the body; without one it is not signed.
    pub secret: Option<String>,
    /// Seconds since 1970.
    pub timestamp: u64,
}

/// Why something was not delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    pub why: String,
    /// It may be delivered later.
    pub is_passing: bool,
}

/// Sends it once, and waits so long for the head of an answer. Returns its status.
pub fn deliver(
    delivery: &Delivery,
    environment: Vec<(OsString, OsString)>,
    time: Duration,
) -> Result<u16, Undelivered> {
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        (TIMESTAMP, delivery.timestamp.to_string()),
    ];
    if let Some(secret) = &delivery.secret {
        let signature = signature(secret, delivery.timestamp, &delivery.body);
        headers.push((SIGNATURE, signature));
    }
    let request = Post {
        url: delivery.url.clone(),
        headers,
        body: delivery.body.clone(),
    };
    let limits = StreamLimits {
        idle: time,
        deadline: Instant::now() + time,
    };
    match post(request, environment, limits, Box::new(|| false)) {
        Ok((head, _)) if (200..300).contains(&head.status) => Ok(head.status),
        Ok((head, _)) => Err(Undelivered {
            why: format!("it was answered with status {}", head.status),
            is_passing: head.status == 429 || head.status >= 500,
        }),
        Err(StreamError::Refused(why)) => Err(Undelivered {
            why,
            is_passing: false,
        }),
        Err(StreamError::Unreachable(why)) => Err(Undelivered {
            why,
            is_passing: true,
        }),
        Err(StreamError::Idle | StreamError::TimedOut | StreamError::Stopped) => Err(Undelivered {
            why: format!("no answer came within {} s", time.as_secs()),
            is_passing: true,
        }),
    }
}

/// The value of the header [`SIGNATURE`].
pub fn signature(secret: &str, timestamp: u64, body: &str) -> String {
    let signed = format!("{timestamp}.{body}");
    format!(
        "sha256={}",
        hex(&hmac_sha256(secret.as_bytes(), signed.as_bytes()))
    )
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a text takes all");
    }
    text
}

/// RFC 2104 with SHA-256.
fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let padded = |byte: u8| block.map(|key| key ^ byte);
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(padded(0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test cases 1, 2 and 6 of RFC 4231.
    #[test]
    fn it_is_the_hmac_of_the_standard() {
        for (key, message, expected) in [
            (
                vec![0x0b; 20],
                "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac_sha256(&key, message.as_bytes())), expected);
        }
    }

    #[test]
    fn other_machines_are_spoken_to_with_tls_only() {
        let delivery = Delivery {
            url: "http://hooks.example.com/x".to_owned(),
            body: "{}".to_owned(),
            secret: None,
            timestamp: 1,
        };
        let refused = deliver(&delivery, Vec::new(), Duration::from_secs(1)).unwrap_err();
        assert!(!refused.is_passing, "{refused:?}");
    }
}
