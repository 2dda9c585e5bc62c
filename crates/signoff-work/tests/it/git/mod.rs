//! Git as the harness uses it, by real repositories.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod basics;
mod generated;
mod import;
mod landing;
mod lost;
mod obstacles;
mod odd;
mod private;
mod speed;
mod step_landing;
mod together;
mod traps;
pub(crate) mod world;
