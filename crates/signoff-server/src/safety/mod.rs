//! Which requests are answered at all, and what every answer says to the browser.

mod characters;
mod headers;
mod limits;
mod origin;

pub(crate) use self::characters::show_hidden_characters;
pub(crate) use self::headers::add_headers;
pub(crate) use self::limits::{body_limit, time_limit};
pub(crate) use self::origin::refuse_strangers;
