//! The sandbox, by real processes: one binary, so that it is linked once.

mod attacks;
mod processes;
