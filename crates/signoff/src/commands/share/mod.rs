//! Commands about runs that several machines share.

#[cfg(feature = "distributed")]
mod health;
#[cfg(feature = "distributed")]
mod machine;
#[cfg(feature = "distributed")]
mod start;
#[cfg(not(feature = "distributed"))]
mod unavailable;

#[cfg(feature = "distributed")]
pub(crate) use self::health::{all_runs, doctor};
#[cfg(feature = "distributed")]
pub(crate) use self::machine::{orchestrator, worker};
#[cfg(feature = "distributed")]
pub(crate) use self::start::{follow, move_run, start};
#[cfg(not(feature = "distributed"))]
pub(crate) use self::unavailable::{
    all_runs, doctor, follow, move_run, orchestrator, start, worker,
};
