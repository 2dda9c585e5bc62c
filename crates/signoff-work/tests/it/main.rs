//! What agents, contracts and tools do, by real processes in real repositories: one binary, so that it is linked once.

mod agents;
mod confine;
mod git;
mod layers;
mod read_only;
mod tools;
mod tree;
