//! The OpenAPI document, made of the same table as the router.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::endpoint::{Answer, Endpoint};

/// Every address of the API, as OpenAPI 3.1 describes it.
pub fn openapi() -> Value {
    let mut schemas = generator();
    let error = schemas.subschema_for::<signoff_api::error::Error>();
    let mut paths = Map::new();
    for endpoint in super::endpoints() {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        let method = endpoint.method.as_str().to_lowercase();
        path[method] = operation(&endpoint, &mut schemas, &error);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Signoff",
            "version": "1",
            "description": "Plans, signatures and runs of one project. Every address needs the session of a person: the cookie of the page, or `Authorization: Bearer TOKEN`."
        },
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}
        },
        "security": [{"token": []}]
    })
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    settings.into_generator()
}

fn operation(endpoint: &Endpoint, schemas: &mut SchemaGenerator, error: &Schema) -> Value {
    let (kind, answer) = match endpoint.answer {
        Answer::Json(schema) => ("application/json", schema(schemas)),
        Answer::Events(schema) => ("text/event-stream", schema(schemas)),
    };
    let mut operation = json!({
        "operationId": operation_id(endpoint),
        "summary": endpoint.about,
        "parameters": parameters(endpoint, schemas),
        "responses": {
            "200": {"description": "It was done.", "content": {kind: {"schema": answer}}},
            "4XX": {
                "description": "It was refused: the body says why, and what to do next.",
                "content": {"application/json": {"schema": error}}
            },
            "503": {
                "description": "Something that it needs is missing on this machine, or it is busy.",
                "content": {"application/json": {"schema": error}}
            }
        }
    });
    let body = (endpoint.body)(&mut generator());
    let body = inline(body, endpoint.body);
    if has_properties(&body) {
        let schema = (endpoint.body)(schemas);
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// `GET /api/plans/{plan}/text` is `get_plans_plan_text`.
fn operation_id(endpoint: &Endpoint) -> String {
    let words = endpoint
        .path
        .trim_start_matches("/api/")
        .replace(['{', '}'], "");
    let method = endpoint.method.as_str().to_lowercase();
    format!("{method}_{}", words.replace('/', "_"))
}

/// The parameters in the path and those of the query.
fn parameters(endpoint: &Endpoint, schemas: &mut SchemaGenerator) -> Value {
    let in_path = endpoint.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
    });
    let query = inline((endpoint.query)(schemas), endpoint.query);
    let query = query.get("properties").and_then(Value::as_object).cloned();
    let query = query.unwrap_or_default().into_iter();
    let query = query.map(
        |(name, schema)| json!({"name": name, "in": "query", "required": false, "schema": schema}),
    );
    in_path.chain(query).collect()
}

/// The schema itself, where the generator gives a reference to it.
fn inline(schema: Schema, make: super::endpoint::SchemaOf) -> Value {
    let Some(name) = schema.get("$ref").and_then(Value::as_str) else {
        return schema.to_value();
    };
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    let mut schemas = generator();
    make(&mut schemas);
    schemas
        .take_definitions(true)
        .remove(&name)
        .unwrap_or_default()
}

fn has_properties(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_address_is_described_once() {
        let document = openapi();
        let described = document["paths"].as_object().unwrap();
        let described = described
            .values()
            .map(|path| path.as_object().unwrap().len());
        assert_eq!(described.sum::<usize>(), super::super::endpoints().len());
        let operations = document["paths"].as_object().unwrap().values();
        let operations = operations.flat_map(|path| path.as_object().unwrap().values());
        let ids: Vec<&str> = operations
            .map(|one| one["operationId"].as_str().unwrap())
            .collect();
        let unique: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
    }

    #[test]
    fn bodies_and_queries_are_described() {
        let document = openapi();
        let approve = &document["paths"]["/api/plans/{plan}/approve"]["post"];
        let body = &approve["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let name = body.as_str().unwrap().rsplit('/').next().unwrap();
        let schema = &document["components"]["schemas"][name];
        assert!(
            schema["properties"]["expect_digest"].is_object(),
            "{schema}"
        );
        let list = &document["paths"]["/api/plans"]["get"];
        assert!(
            list["parameters"].to_string().contains("archived"),
            "{list}"
        );
        assert!(list.get("requestBody").is_none());
    }
}
