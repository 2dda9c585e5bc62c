//! Runs that several machines share: real processes, a real Postgres, and a bare git repository between them.

mod chaos;
mod conformance;
mod control;
mod deaths;
mod done;
mod fleet;
mod limits;
mod operations;
mod page;
mod surfaces;
mod together;
mod trust;
mod versions;
