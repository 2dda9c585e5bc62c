//! What a server is made of.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use signoff_runtime::Error;
use signoff_runtime::project::ProcessContext;

use crate::error::WordedError;

/// Words an error of the runtime as the command line does; the text is the plan that the request named.
pub type ErrorWording = fn(Error, Option<&str>) -> WordedError;

/// What a server is made of.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// What the process was started with.
    pub process: ProcessContext,
    /// This program, which carries out runs.
    pub program: PathBuf,
    /// The words for failures.
    pub wording: ErrorWording,
    /// The same words for agents.
    pub agent_wording: signoff_mcp::ErrorWording,
    /// What agents need to be answered at `/mcp`; without one nobody is.
    pub agent_token: Option<String>,
    /// The version of the program.
    pub version: String,
    /// Where to listen.
    pub address: SocketAddr,
    /// What people type to reach it, where a server in front passes their requests on.
    pub url: Option<PublicUrl>,
    /// Why nobody can sign in: an agent started the server.
    pub refusal: Option<WordedError>,
    /// Connections at once.
    pub connections: usize,
    /// Tells the person who started the server something: the code, for instance.
    pub tell: fn(&str),
}

/// The address of a server in front of this one: a scheme and a host, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    pub(crate) is_secure: bool,
    pub(crate) host: String,
}

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.strip_suffix('/').unwrap_or(text);
        let (scheme, host) = text.split_once("://").unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        let is_secure = scheme.eq_ignore_ascii_case("https");
        if host.is_empty()
            || !host.bytes().all(is_plain)
            || !(is_secure || scheme.eq_ignore_ascii_case("http"))
        {
            return Err("a URL has a scheme and a host: `https://signoff.example`");
        }
        Ok(Self {
            is_secure,
            host: host.to_ascii_lowercase(),
        })
    }
}
