//! Plans over HTTP: the API, the page's frame, and who may use them.
//!
//! A surface: it reads requests, calls the runtime as the command line does, and words the answer. Reading and acting
//! need the session of a person. Whoever starts the server inside an agent gets a server that opens no session.
//!
//! Start reading at [`serve`], then `routes`. Each module uses only those above it in this list:
//!
//! - `options`, `error`, `address`: what a server is made of; failures as responses; what an address says
//! - `sessions`: secrets, codes and cookies, and the `Session` that a request has
//! - `streams`: events as they come
//! - `state`, `calls`, `forms`: what requests share; calls of the runtime beside the threads that answer; forms of pages
//! - `safety`: which requests are answered at all, and with which headers
//! - `sign_in`, `api`, `pages`, `mcp`: what can be asked for
//! - `routes`, `connections`, `listen`: every address; how requests arrive; the socket

#![warn(missing_docs)]

mod address;
mod api;
mod calls;
mod connections;
mod error;
mod forms;
mod listen;
mod mcp;
mod options;
mod pages;
mod redaction;
mod routes;
mod safety;
mod sessions;
mod sign_in;
mod state;
mod streams;

pub use self::api::openapi;
pub use self::error::WordedError;
pub use self::listen::{ListeningServer, serve};
pub use self::options::{ErrorWording, PublicUrl, ServerOptions};
pub use self::sessions::people::{NewPerson, new_person};
