//! Layers of what a process sees at the checkout's path, with real repositories and real overlays.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod layer;
mod mask;
mod overlay;
mod pool;
mod rules;
mod self_ignored;
mod speed;
mod taken;
