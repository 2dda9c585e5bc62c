//! Git as the harness uses it, by real repositories.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod basics;
mod generated;
mod landing;
mod lost;
mod obstacles;
mod odd;
mod speed;
mod world;
