//! What the page and the terminal say in the same words.

mod caches;
pub mod columns;
pub mod count;
pub mod evidence;
pub mod halted;
pub mod paragraphs;
pub mod sanitize;
pub mod short_text;
pub mod time;
