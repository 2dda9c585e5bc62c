//! Events as they come: one reader per journal, however many follow it.

mod activity;
mod body;
mod feed;
mod hub;
mod run;

pub(crate) use self::body::{IsAllowed, View, last_seen};
pub(crate) use self::hub::Hub;
