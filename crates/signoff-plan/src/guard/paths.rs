//! The files that a call of an editing tool changes, as far as its arguments tell.

use serde_json::Value;

/// How agents call the argument that names the file.
const PATH_KEYS: [&str; 6] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "file",
];
/// How they call a patch.
const PATCH_KEYS: [&str; 5] = ["command", "input", "patch", "patchText", "patch_text"];

/// Every file that the call changes; `None` if that cannot be told.
pub(super) fn written_paths(tool: &str, input: &Value) -> Option<Vec<String>> {
    let is_patch = tool.contains("patch");
    let keys: &[&str] = if is_patch { &PATCH_KEYS } else { &PATH_KEYS };
    let mut values: Vec<&Value> = keys.iter().filter_map(|key| input.get(key)).collect();
    add_inner(input, &mut values);
    let texts: Option<Vec<&str>> = values.into_iter().map(Value::as_str).collect();
    let texts = texts?;
    let paths: Vec<String> = if is_patch {
        let named: Option<Vec<Vec<String>>> = texts.into_iter().map(paths_in_patch).collect();
        named?.into_iter().flatten().collect()
    } else {
        texts.into_iter().map(str::to_owned).collect()
    };
    (!paths.is_empty()).then_some(paths)
}

/// Files that single edits of a list name for themselves.
fn add_inner<'v>(input: &'v Value, values: &mut Vec<&'v Value>) {
    let lists = input
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, value)| value.as_array());
    for edit in lists.flatten().filter(|edit| edit.is_object()) {
        values.extend(PATH_KEYS.iter().filter_map(|key| edit.get(key)));
    }
}

/// The files of a patch in Codex's form; `None` if a line of it is not known.
fn paths_in_patch(text: &str) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    // Its reader does not mind spaces before a header.
    let headers = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("***"));
    for header in headers {
        let header = header.trim();
        let named = ["Add File:", "Update File:", "Delete File:", "Move to:"];
        let path = named.iter().find_map(|name| header.strip_prefix(name));
        match (path, header) {
            (Some(path), _) => paths.push(path.trim().to_owned()),
            (None, "Begin Patch" | "End Patch" | "End of File") => {}
            (None, _) => return None,
        }
    }
    (!paths.is_empty()).then_some(paths)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(tool: &str, input: &Value, expected: Option<&[&str]>) {
        let found = written_paths(tool, input);
        let expected = expected.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!(found, expected, "{tool} {input}");
    }

    #[test]
    fn every_file_is_found_or_none() {
        check(
            "Write",
            &json!({"file_path": "/a", "content": "x"}),
            Some(&["/a"]),
        );
        check(
            "write",
            &json!({"path": "/a", "file_path": "/b"}),
            Some(&["/b", "/a"]),
        );
        check(
            "multiedit",
            &json!({"filePath": "/a", "edits": [{"filePath": "/b", "oldString": "x"}, {"oldString": "y"}]}),
            Some(&["/a", "/b"]),
        );
        check("Write", &json!({"content": "x"}), None);
        check("Write", &json!({"file_path": ["/a"]}), None);
        check("Write", &json!("/a"), None);
        let patch = "*** Begin Patch\n*** Add File: /a\n+*** Add File: no\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n  *** Delete File: d\n*** End Patch";
        check(
            "apply_patch",
            &json!({"command": patch}),
            Some(&["/a", "b", "c", "d"]),
        );
        check(
            "apply_patch",
            &json!({"command": "*** Begin Patch\n*** New: x"}),
            None,
        );
        check("apply_patch", &json!({"command": "nothing"}), None);
    }
}
