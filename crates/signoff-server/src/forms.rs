//! Forms of our own pages.

use axum::extract::{FromRequest, FromRequestParts as _, RawForm, Request};
use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::HttpError;
use crate::sessions::Session;
use crate::sessions::secret::SecretHash;

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

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for PersonForm<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpError> {
        let (mut parts, body) = request.into_parts();
        let session = Session::from_request_parts(&mut parts, state).await?;
        let request = Request::from_parts(parts, body);
        let form = RawForm::from_request(request, state).await;
        let RawForm(bytes) = form.map_err(|rejection| HttpError {
            status: rejection.status(),
            ..HttpError::bad_request(&rejection.body_text())
        })?;
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
        let fields = serde_urlencoded::from_bytes(&bytes);
        let fields = fields.map_err(|why| HttpError::bad_request(&format!("the form: {why}")))?;
        Ok(Self { session, fields })
    }
}
