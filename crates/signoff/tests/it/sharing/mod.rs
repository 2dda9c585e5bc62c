//! Runs that several machines share: real processes, a real Postgres, and a bare git repository between them.

mod chaos;
mod conformance;
mod control;
mod deaths;
mod fleet;
mod limits;
mod page;
mod surfaces;
mod together;
mod trust;
mod versions;
