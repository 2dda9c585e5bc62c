//! The engine from outside: a signed plan, inputs, and what comes of them. [`world`] plays the outside;
//! [`laws`], [`parallel`] and [`worktree_laws`] hold for any plan, any order and any crash.

mod acceptance;
mod beside_a_person;
mod budget;
mod contract_inputs;
mod control;
mod cut_off;
mod gates;
mod laws;
mod loops;
mod merge;
mod one_meaning;
mod parallel;
mod permissions;
mod planted;
mod proved;
mod replan;
mod rerun;
mod run;
mod spending;
mod tests_run;
mod tools;
mod unsupported;
mod warm;
mod work_locations;
mod worktree_laws;
mod world;
