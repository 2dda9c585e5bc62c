//! Forms of our own pages.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts as _, RawForm, Request};
use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::HttpError;
use crate::sessions::Session;
use crate::sessions::secret::SecretHash;

/// Bytes that whoever is not signed in may send: what a person wrote until their session ended is shown to them.
const OF_STRANGERS: usize = 1 << 20;
/// Bytes of a form to sign in.
const TO_SIGN_IN: usize = 16 << 10;

/// What a person sent with a form of a page that this server showed them: its field `csrf` is the session's.
#[derive(Debug)]
pub(crate) struct PersonForm<T> {
    pub(crate) session: Session,
    pub(crate) fields: T,
}

#[derive(Deserialize)]
struct Token {
    csrf: String,
}

/// What a form was sent with, for the page that says why it was refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentForm(Arc<Mutex<Option<Sent>>>);

/// The fields of a form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent {
    pub(crate) fields: Vec<(String, String)>,
    /// The session's token; none if nobody is signed in.
    pub(crate) csrf: Option<String>,
}

impl SentForm {
    fn store(&self, bytes: &[u8], session: Option<&Session>) {
        let sent = Sent {
            fields: fields_of(bytes),
            csrf: session.map(|session| session.csrf.clone()),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sent);
    }

    /// What was sent, once it has been read.
    pub(crate) fn take_sent(&self) -> Option<Sent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Every field of a form, whatever the form was to be.
fn fields_of(bytes: &[u8]) -> Vec<(String, String)> {
    let fields = serde_urlencoded::from_bytes(bytes);
    fields.expect("any bytes are pairs of texts, with replacements for what is no text")
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for PersonForm<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let (mut parts, body) = request.into_parts();
        let session = Session::from_request_parts(&mut parts, state).await;
        let kept = parts.extensions.get::<SentForm>().cloned();
        let mut request = Request::from_parts(parts, body);
        if session.is_err() {
            DefaultBodyLimit::max(OF_STRANGERS).apply(&mut request);
        }
        let bytes = bytes_of(request, state).await?;
        if let Some(kept) = kept {
            kept.store(&bytes, session.as_ref().ok());
        }
        let session = session?;
        let sent = serde_urlencoded::from_bytes::<Token>(&bytes);
        let sent = sent.map(|token| SecretHash::of(&token.csrf));
        if !sent.is_ok_and(|sent| sent.is(&SecretHash::of(&session.csrf))) {
            let message = "the form is not of this session";
            let hint = "load the page again and send the form from there";
            return Err(HttpError::new(
                StatusCode::FORBIDDEN,
                "other-session",
                message,
                &[hint],
            ));
        }
        let fields = fields(&bytes)?;
        Ok(Self { session, fields })
    }
}

/// The form to sign in, from whomever.
#[derive(Debug)]
pub(crate) struct SignInFields<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for SignInFields<T> {
    type Rejection = HttpError;

    async fn from_request(mut request: Request, state: &S) -> Result<Self, HttpError> {
        DefaultBodyLimit::max(TO_SIGN_IN).apply(&mut request);
        fields(&bytes_of(request, state).await?).map(Self)
    }
}

async fn bytes_of<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, HttpError> {
    let form = RawForm::from_request(request, state).await;
    let RawForm(bytes) = form.map_err(|rejection| HttpError {
        status: rejection.status(),
        ..HttpError::bad_request(&rejection.body_text())
    })?;
    Ok(bytes)
}

fn fields<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, HttpError> {
    let fields = serde_urlencoded::from_bytes(bytes);
    fields.map_err(|why| HttpError::bad_request(&format!("the form: {why}")))
}

#[cfg(test)]
mod tests {
    use super::fields_of;

    #[test]
    fn whatever_was_sent_is_kept() {
        let kept = |bytes: &[u8]| fields_of(bytes).len();
        assert_eq!(kept(b""), 0);
        assert_eq!(kept(b"comment=a+b&reason=%ff%zz"), 2);
        assert_eq!(kept(b"\xff\xfe=\x00&&==&%"), 3);
    }
}
