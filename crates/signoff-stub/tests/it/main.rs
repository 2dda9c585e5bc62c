//! The stub as a client sees it: through a socket, in every wire format.

mod client;
mod connections;
mod failures;
mod login;
mod turns;
mod wires;
