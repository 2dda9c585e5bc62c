//! Plans over the Model Context Protocol: tools, resources and prompts for agents.
//!
//! A surface: it reads arguments, calls the runtime as the command line does, and words the answer. Whoever calls is an
//! agent. Only a person approves or rejects, and is asked through the client. The handler knows no transport.
//!
//! Start reading at [`Server`], then `tools`. Each module uses only those above it in this list:
//!
//! - `errors`, `answers`: what a tool tells, for a model and as a shape
//! - `arguments`, `schema`: what a tool takes
//! - `seal`, `last_list`, `context`, `background`: what every call needs
//! - `tools`, `person`, `tasks`, `resources`, `prompts`: what can be called, asked and read
//! - `server`, `stdio`: the handler, and lines on two streams

#![warn(missing_docs)]

mod answers;
mod arguments;
mod background;
mod context;
mod errors;
mod last_list;
mod person;
mod prompts;
mod resources;
mod schema;
mod seal;
mod server;
mod stdio;
mod table;
mod tasks;
mod tools;

pub use self::context::ServerOptions;
pub use self::errors::ErrorWording;
pub use self::server::Server;
pub use self::stdio::{LONGEST_MESSAGE, serve_stdio, serve_streams};
