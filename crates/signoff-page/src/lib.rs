//! Shows: what a person sees in the browser, as HTML made of values, with the style and the scripts that belong to it.
//!
//! Reads no file, knows no clock and holds no rule: who serves a page hands it everything. Start reading at [`frame`], the
//! page around every screen, or at [`graph`], the drawing that the command line shares.

pub mod address;
pub mod assets;
pub mod frame;
pub mod graph;
pub mod hidden_characters;
pub mod inbox;
pub mod moment;
pub mod output;
pub mod plans;
pub mod problem;
pub mod report;
pub mod review;
pub mod run;
pub mod sign_in;
pub mod state;
pub mod timeline;
pub mod words;

pub use maud::{Markup, PreEscaped};
