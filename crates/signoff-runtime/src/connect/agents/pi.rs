//! pi: an extension, which also has the tools, because pi has no MCP.

use signoff_api::connect::Scope;

use super::{ConnectContext, Integration, skill, whole_file};

const EXTENSION: &str = include_str!("../../../../../integrations/pi/signoff.ts");

pub(super) fn integration(surroundings: &ConnectContext) -> Integration {
    let directory = match surroundings.scope {
        Scope::User => surroundings.home_directory("PI_CODING_AGENT_DIR", ".pi/agent"),
        Scope::Project => surroundings.root.join(".pi"),
    };
    let extension = directory.join("extensions/signoff.ts");
    Integration {
        files: vec![
            whole_file(extension, surroundings.script(EXTENSION)),
            skill(directory.join("skills")),
        ],
        next: vec![
            "start `pi`, and type `/plan` for plan mode, `/plans` to review and sign".to_owned(),
            "`pi --no-extensions` loads no extensions, and so no guard".to_owned(),
        ],
    }
}
