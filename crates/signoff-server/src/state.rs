//! What all requests share.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use signoff_runtime::Error;
use signoff_runtime::project::{CachedProject, Project};
use signoff_runtime::runs::read_ahead;
use tokio::sync::Semaphore;

use crate::options::ServerOptions;
use crate::sessions::code::{OneTimeCode, in_groups};
use crate::sessions::store::SessionStore;
use crate::sessions::{Session, SignInProof, cookie, people};
use crate::streams::Hub;

/// Calls of the runtime at once: each may read many files.
const CALLS: usize = 16;

/// What all requests share. Copies are the same.
#[derive(Debug, Clone)]
pub(crate) struct AppState(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: ServerOptions,
    /// Where the server really listens: the port may have been any.
    pub(crate) address: SocketAddr,
    pub(crate) calls: Semaphore,
    pub(crate) hub: Hub,
    project: CachedProject,
    code: Mutex<OneTimeCode>,
    sessions: Mutex<SessionStore>,
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl AppState {
    pub(crate) fn new(options: ServerOptions, address: SocketAddr) -> Self {
        Self(Arc::new(Shared {
            options,
            address,
            calls: Semaphore::new(CALLS),
            hub: Hub::new(),
            project: CachedProject::default(),
            code: Mutex::default(),
            sessions: Mutex::default(),
        }))
    }
}

impl Shared {
    /// Where people find the page, with a slash at the end.
    pub(crate) fn page_address(&self) -> String {
        match &self.options.url {
            Some(url) if url.is_secure => format!("https://{}/", url.host),
            Some(url) => format!("http://{}/", url.host),
            None => format!("http://{}/", self.address),
        }
    }

    /// Shows a code where the server was started, unless one that was shown can still be used.
    pub(crate) fn show_code(&self) -> io::Result<()> {
        if self.has_people() {
            return Ok(());
        }
        let new = lock(&self.code).renew(Instant::now())?;
        if let Some(code) = new {
            let (address, code) = (self.address, in_groups(&code));
            (self.options.tell)(&format!(
                "sign in at http://{address}/sign-in with the code {code}"
            ));
        }
        Ok(())
    }

    /// Opens a session for whoever typed the code; returns its secret name. To learn that it was wrong takes time.
    pub(crate) async fn open_by_code(&self, typed: &str) -> io::Result<Option<String>> {
        let now = Instant::now();
        let redeemed = lock(&self.code).redeem(typed, now);
        if let Err(delay) = redeemed {
            tokio::time::sleep(delay).await;
            return Ok(None);
        }
        let person = &self.options.process.person;
        let opened = lock(&self.sessions).open(person, SignInProof::Code, now);
        opened.map(Some)
    }

    /// Opens a session for whoever has the token of a person; returns its secret name.
    pub(crate) fn open_by_token(&self, token: &str) -> io::Result<Option<String>> {
        let Some(person) = self.person_of(token) else {
            return Ok(None);
        };
        let (now, proof) = (Instant::now(), SignInProof::Token);
        let opened = lock(&self.sessions).open(&person, proof, now);
        opened.map(Some)
    }

    /// Do people sign in by name? Otherwise the code is for the one who started the server.
    pub(crate) fn has_people(&self) -> bool {
        let is_for_others = !self.address.ip().is_loopback() || self.options.url.is_some();
        is_for_others || !self.current_people().is_empty()
    }

    fn person_of(&self, token: &str) -> Option<String> {
        if self.options.refusal.is_some() {
            return None;
        }
        people::person_of(&self.current_people(), token).map(str::to_owned)
    }

    /// As they are now: whoever is struck out is out.
    fn current_people(&self) -> BTreeMap<String, String> {
        let project = self.project.open(&self.options.process);
        project.map_or_else(
            |_| BTreeMap::new(),
            |project| project.config.serve.people.value.clone(),
        )
    }

    /// The project with its settings as they are now, for this person.
    pub(crate) fn project_for(&self, person: &str) -> Result<Project, Error> {
        let mut project = Project::clone(&*self.project.open(&self.options.process)?);
        person.clone_into(&mut project.process.person);
        Ok(project)
    }

    /// Reads what people ask for first: the newest runs, whose journals may be long. What cannot be read is reported to
    /// whoever asks for it.
    pub(crate) fn read_ahead(&self) {
        if let Ok(project) = self.project.open(&self.options.process) {
            read_ahead(&project).ok();
        }
    }

    /// The session of the token that a program sends with each request.
    fn session_of_token(&self, headers: &HeaderMap) -> Option<Session> {
        let sent = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (kind, token) = sent.split_once(' ')?;
        let token = token.trim();
        let person = kind
            .eq_ignore_ascii_case("bearer")
            .then(|| self.person_of(token))??;
        Some(Session {
            person,
            proof: SignInProof::Token,
            csrf: token.to_owned(),
        })
    }

    /// The session that these headers name.
    pub(crate) fn session_of(&self, headers: &HeaderMap) -> Option<Session> {
        let session = self.session_of_token(headers);
        session.or_else(|| self.session_of_cookie(headers))
    }

    fn session_of_cookie(&self, headers: &HeaderMap) -> Option<Session> {
        let name = self.cookie_name();
        let id = cookie::session_id(headers, &name)?;
        let session = lock(&self.sessions).find(id, Instant::now())?;
        let is_known = match session.proof {
            SignInProof::Code => true,
            SignInProof::Token => self.current_people().contains_key(&session.person),
        };
        is_known.then_some(session)
    }

    pub(crate) fn close_session(&self, headers: &HeaderMap) {
        if let Some(id) = cookie::session_id(headers, &self.cookie_name()) {
            lock(&self.sessions).close(id);
        }
    }

    /// Do browsers reach it through TLS?
    pub(crate) fn is_secure(&self) -> bool {
        self.options.url.as_ref().is_some_and(|url| url.is_secure)
    }

    pub(crate) fn cookie_name(&self) -> String {
        cookie::name(self.address.port())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it is held; what it holds stays true even so.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
