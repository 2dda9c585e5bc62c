//! Access tokens, and refresh tokens that are valid once.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::http::Request;

/// The login that clients start with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// Only requests with this token get an answer; others get 401.
    pub tokens: Tokens,
    /// What a client is told about the lifetime of an access token. The stub itself never lets one expire.
    pub expires_in: u32,
}

impl Login {
    /// A login with these tokens, whose access tokens last an hour.
    pub fn new(access: impl Into<String>, refresh: impl Into<String>) -> Self {
        Self {
            tokens: Tokens {
                access: access.into(),
                refresh: refresh.into(),
            },
            expires_in: 3600,
        }
    }
}

/// The two tokens of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// Sent with every request, as `authorization: Bearer …`, `x-api-key` or `x-goog-api-key`.
    pub access: String,
    /// Buys the next two tokens from `POST /oauth/token`, once.
    pub refresh: String,
}

/// Checks and rotates the tokens of a login.
#[derive(Debug)]
pub(crate) struct LoginCheck {
    expires_in: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    tokens: Tokens,
    rotations: u32,
}

impl LoginCheck {
    pub(crate) fn new(login: Login) -> Self {
        Self {
            expires_in: login.expires_in,
            state: Mutex::new(State {
                tokens: login.tokens,
                rotations: 0,
            }),
        }
    }

    pub(crate) fn tokens(&self) -> Tokens {
        self.with_state(|state| state.tokens.clone())
    }

    pub(crate) fn rotations(&self) -> u32 {
        self.with_state(|state| state.rotations)
    }

    /// Makes the current access token worthless; the refresh token stays.
    pub(crate) fn expire_access_token(&self) {
        self.with_state(|state| state.tokens.access = format!("nobody-knows-{}", state.rotations));
    }

    pub(crate) fn accepts(&self, request: &Request) -> bool {
        let bearer = request
            .header("authorization")
            .and_then(|value| value.split_once(' '))
            .map(|(_, token)| token.trim());
        let tokens = [
            bearer,
            request.header("x-api-key"),
            request.header("x-goog-api-key"),
        ];
        self.with_state(|state| tokens.contains(&Some(state.tokens.access.as_str())))
    }

    /// New tokens for a refresh token that nobody used before; `None` for any other.
    pub(crate) fn refresh(&self, body: &[u8]) -> Option<Value> {
        let offered = refresh_token(body)?;
        self.with_state(|state| {
            if state.tokens.refresh != offered {
                return None;
            }
            state.rotations += 1;
            state.tokens = Tokens {
                access: format!("stub-access-{}", state.rotations),
                refresh: format!("stub-refresh-{}", state.rotations),
            };
            Some(json!({
                "access_token": state.tokens.access,
                "refresh_token": state.tokens.refresh,
                "token_type": "Bearer",
                "expires_in": self.expires_in,
            }))
        })
    }

    fn with_state<T>(&self, use_it: impl FnOnce(&mut State) -> T) -> T {
        use_it(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The refresh token of a request, which is JSON or a form.
fn refresh_token(body: &[u8]) -> Option<String> {
    if let Ok(body) = serde_json::from_slice::<Value>(body) {
        return Some(body["refresh_token"].as_str()?.to_owned());
    }
    // Our tokens need no escapes.
    let form = std::str::from_utf8(body).ok()?;
    form.split('&')
        .filter_map(|field| field.split_once('='))
        .find(|(name, _)| *name == "refresh_token")
        .map(|(_, value)| value.to_owned())
}
