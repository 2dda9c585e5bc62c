//! Which requests are answered at all, and what every answer says to the browser.

mod headers;
mod origin;

pub(crate) use self::headers::add_headers;
pub(crate) use self::origin::refuse_strangers;
