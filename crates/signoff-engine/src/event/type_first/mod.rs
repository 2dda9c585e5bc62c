//! How events are written and read: as an object whose `type` says which event it is.
//!
//! What `#[serde(tag = "type")]` derives reads all fields into a buffer, because the type could come last, and makes the event
//! from that. Journals have hundreds of thousands of events, and in each of them the type comes first.

mod read;
mod write;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Event;

const TYPE: &str = "type";

/// Around what reads or writes an object: has it read or write an enum, with the variant as `type`.
struct TypeFirst<T>(T);

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(TypeFirst(deserializer))
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, TypeFirst(serializer))
    }
}
