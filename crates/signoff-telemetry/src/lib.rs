//! Tells a collector of OpenTelemetry what happens in runs: a trace for each run, and metrics.
//!
//! Everything is made of the events of the journal (`spans`, `metrics`), so that it is the same wherever a run is driven,
//! and goes on in the same trace when another process takes it over. It leaves as OTLP over HTTP, in JSON (`otlp`), from a
//! thread that nothing waits for but the end of a run, and that not for long (`export`).

mod export;
mod follower;
mod metrics;
mod otlp;
mod settings;
mod spans;

pub use self::export::Exporter;
