//! What a server is made of.

use std::net::SocketAddr;
use std::path::PathBuf;

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
    /// The version of the program.
    pub version: String,
    /// Where to listen.
    pub address: SocketAddr,
    /// Why nobody can sign in: an agent started the server.
    pub refusal: Option<WordedError>,
    /// Tells the person who started the server something: the code, for instance.
    pub tell: fn(&str),
}
