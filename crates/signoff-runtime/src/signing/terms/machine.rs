//! Which terms are a machine's own, where several machines share a run.
//!
//! What is judged, and by what, is the same everywhere and must be what was signed: contracts, scripts, prompts, tools, the
//! limits of time, variables and the network. How a machine finds its programs, starts its agents and lays out its home is
//! its own; the evidence names it.

use serde_json::{Map, Value};

/// Whole members of the terms.
const OWN: [&str; 2] = ["agents", "path"];

/// Members of `sandbox`.
const OWN_SANDBOX: [&str; 3] = ["mode", "home", "writable"];

/// The terms of this machine, with the signed ones in the place of what is a machine's own.
pub(super) fn with_signed_part(mut present: Value, signed: &Value) -> Value {
    take_over(present.as_object_mut(), signed.as_object(), &OWN);
    let sandbox = present.get_mut("sandbox").and_then(Value::as_object_mut);
    let signed = signed.get("sandbox").and_then(Value::as_object);
    take_over(sandbox, signed, &OWN_SANDBOX);
    present
}

fn take_over(
    present: Option<&mut Map<String, Value>>,
    signed: Option<&Map<String, Value>>,
    names: &[&str],
) {
    let Some(present) = present else {
        return;
    };
    for name in names {
        match signed.and_then(|signed| signed.get(*name)) {
            Some(value) => drop(present.insert((*name).to_owned(), value.clone())),
            None => drop(present.remove(*name)),
        }
    }
}

/// What is a machine's own.
pub(super) fn part_of(mut terms: Value) -> Value {
    let mut part = Map::new();
    for name in OWN {
        part.insert(name.to_owned(), terms[name].take());
    }
    let sandbox = terms.get_mut("sandbox").and_then(Value::as_object_mut);
    let own = sandbox.into_iter().flat_map(|sandbox| {
        let own = OWN_SANDBOX.iter();
        own.filter_map(|name| Some(((*name).to_owned(), sandbox.remove(*name)?)))
    });
    part.insert("sandbox".to_owned(), own.collect::<Map<_, _>>().into());
    part.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_a_machines_own_may_differ() {
        let signed = json!({
            "agents": {"coder": {"driver": "claude"}}, "path": ["/usr/bin"], "files": {"a": "1"},
            "sandbox": {"env": ["PATH"], "home": ["~/x"]},
        });
        let mut here = signed.clone();
        here["agents"] = json!({"coder": {"driver": "codex"}});
        here["path"] = json!(["/opt/bin"]);
        here["sandbox"] = json!({"env": ["PATH"], "mode": "required"});
        assert_eq!(with_signed_part(here.clone(), &signed), signed);
        let own = json!({
            "agents": {"coder": {"driver": "codex"}}, "path": ["/opt/bin"], "sandbox": {"mode": "required"},
        });
        assert_eq!(part_of(here.clone()), own);
        for (pointer, other) in [
            ("/files/a", json!("2")),
            ("/sandbox/env", json!(["PATH", "X"])),
        ] {
            let mut other_terms = here.clone();
            *other_terms.pointer_mut(pointer).unwrap() = other;
            assert_ne!(with_signed_part(other_terms, &signed), signed, "{pointer}");
        }
        // A network that was signed away stays away.
        let mut closed = signed;
        closed["sandbox"]["network"] = json!(false);
        assert_ne!(with_signed_part(here, &closed), closed);
    }
}
