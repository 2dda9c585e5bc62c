//! Input schemas of tools, from the types that their arguments are read into.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::errors::ToolError;

/// The schema of an argument type: everything inline and nothing nullable, because some models' interfaces know no more.
pub(crate) fn input_schema<T: JsonSchema>() -> Map<String, Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut value = schema.to_value();
    simplify(&mut value);
    let Value::Object(mut schema) = value else {
        return Map::new();
    };
    for unneeded in ["$schema", "title", "description"] {
        schema.remove(unneeded);
    }
    // A tool without parameters has an object too.
    schema
        .entry("properties")
        .or_insert_with(|| Map::new().into());
    schema
}

/// Reads the arguments of a call. What is unknown, missing or of another type is refused by name.
pub(crate) fn read_arguments<T: DeserializeOwned>(
    arguments: Map<String, Value>,
) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|why| {
        let message = format!("the arguments do not fit the tool's schema: {why}");
        ToolError::new("bad-arguments", &message, &[])
    })
}

/// Optional fields lose their `null`: leaving them out says the same.
fn simplify(value: &mut Value) {
    if let Value::Object(fields) = value {
        if let Some(Value::Array(types)) = fields.get_mut("type") {
            types.retain(|one| one != "null");
            if let [only] = &types[..] {
                let only = only.clone();
                fields.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(mut variants)) = fields.remove("anyOf") {
            variants.retain(|one| one["type"] != "null");
            match &mut variants[..] {
                [Value::Object(only)] => fields.append(only),
                _ => {
                    fields.insert("anyOf".to_owned(), variants.into());
                }
            }
        }
        if let Some(Value::Array(values)) = fields.get_mut("enum") {
            values.retain(|one| !one.is_null());
        }
        // How wide our integers are is nothing to a model; `null` as a default is the same as none.
        fields.remove("format");
        if fields.get("default") == Some(&Value::Null) {
            fields.remove("default");
        }
        fields.values_mut().for_each(simplify);
    } else if let Value::Array(values) = value {
        values.iter_mut().for_each(simplify);
    }
}
