//! Prints the JSON Schemas of every wire shape, and the OpenAPI document, as one object, for `cargo xtask gen`.

#![expect(clippy::print_stdout, reason = "stdout is how xtask reads it")]

use serde_json::{Map, Value};

fn main() {
    let schemas: Map<String, Value> = signoff_api::schema::all_schemas()
        .into_iter()
        .chain([("openapi", signoff_server::openapi())])
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    println!("{}", Value::Object(schemas));
}
