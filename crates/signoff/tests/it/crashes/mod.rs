//! Killed at every named point and at random times, with full disks and many processes at once.

mod kill;
mod kill_trees;
mod power;
mod replan;
mod store_chaos;
mod whole_plan;
