//! Where steps work and how their work lands, beside a person who is at work too.

mod beside_a_person;
pub(crate) mod failing_git;
pub(crate) mod held_files;
mod held_up_git;
mod interleavings;
mod landing;
mod limits;
mod odd_trees;
mod person_interleavings;
mod repair;
mod unasked_files;
mod undo;
