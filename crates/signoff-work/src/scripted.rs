//! An agent that follows a script: no key, no network, no model. The demo ships it, the tests use
//! it. It is a real process with a real prompt; only its ideas are fixed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

/// What the agent does, by what its prompt says.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Where every execution is noted, outside the run.
    #[serde(default)]
    pub ledger: Option<PathBuf>,
    pub replies: Vec<Reply>,
}

/// The first reply whose `when` texts all occur in the prompt is carried out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    #[serde(default)]
    pub when: Vec<String>,
    #[serde(rename = "do")]
    pub deeds: Vec<ScriptAction>,
}

/// One thing the agent does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ScriptAction {
    Write {
        path: PathBuf,
        text: String,
    },
    Append {
        path: PathBuf,
        text: String,
    },
    Remove(PathBuf),
    /// On stdout.
    Say(String),
    /// On stderr.
    Complain(String),
    PauseMs(u64),
    /// Waits until another process has made this file.
    WaitFor(PathBuf),
    /// Ends at once with this code.
    Exit(u8),
}

/// The process's surroundings.
pub struct ProcessIo<'a> {
    pub prompt: &'a mut dyn Read,
    pub stdout: &'a mut dyn Write,
    pub stderr: &'a mut dyn Write,
    /// Value of `SIGNOFF_INSIDE`, for the ledger.
    pub marker: Option<String>,
}

impl std::fmt::Debug for ProcessIo<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessIo")
            .field("marker", &self.marker)
            .finish_non_exhaustive()
    }
}

/// Plays the script; returns the exit code.
pub fn play(script: &Path, io: &mut ProcessIo<'_>) -> io::Result<u8> {
    let script: Script = serde_json::from_slice(&std::fs::read(script)?)?;
    let mut prompt = String::new();
    io.prompt.read_to_string(&mut prompt)?;
    let marker = io.marker.clone().unwrap_or_else(|| "-".to_owned());
    append_to_ledger(
        script.ledger.as_deref(),
        &format!("start {marker} {}\n", std::process::id()),
    )?;
    let reply = script
        .replies
        .iter()
        .find(|reply| reply.when.iter().all(|text| prompt.contains(text)));
    let Some(reply) = reply else {
        writeln!(io.stderr, "the script has no reply to this prompt")?;
        return Ok(1);
    };
    for deed in &reply.deeds {
        if let Some(code) = carry_out(deed, io)? {
            append_to_ledger(script.ledger.as_deref(), &format!("end {marker}\n"))?;
            return Ok(code);
        }
    }
    append_to_ledger(script.ledger.as_deref(), &format!("end {marker}\n"))?;
    Ok(0)
}

fn carry_out(deed: &ScriptAction, io: &mut ProcessIo<'_>) -> io::Result<Option<u8>> {
    match deed {
        ScriptAction::Write { path, text } => {
            create_parent(path)?;
            std::fs::write(path, text)?;
        }
        ScriptAction::Append { path, text } => {
            create_parent(path)?;
            append(path)?.write_all(text.as_bytes())?;
        }
        ScriptAction::Remove(path) => std::fs::remove_file(path)?,
        ScriptAction::Say(text) => writeln!(io.stdout, "{text}")?,
        ScriptAction::Complain(text) => writeln!(io.stderr, "{text}")?,
        ScriptAction::PauseMs(millis) => std::thread::sleep(Duration::from_millis(*millis)),
        ScriptAction::WaitFor(path) => {
            while !path.exists() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        ScriptAction::Exit(code) => return Ok(Some(*code)),
    }
    Ok(None)
}

fn create_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => std::fs::create_dir_all(parent),
        Some(_) | None => Ok(()),
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// One line in one write, so that lines of several processes never mix.
fn append_to_ledger(ledger: Option<&Path>, line: &str) -> io::Result<()> {
    match ledger {
        Some(path) => append(path)?.write_all(line.as_bytes()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, prompt: &str, expected: (u8, &str, &str)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("script.json");
        let script = script.replace("DIR", &dir.path().to_string_lossy());
        std::fs::write(&path, script).unwrap();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let code = play(
            &path,
            &mut ProcessIo {
                prompt: &mut prompt.as_bytes(),
                stdout: &mut stdout,
                stderr: &mut stderr,
                marker: Some("run/step/1".to_owned()),
            },
        )
        .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert_eq!(
            (code, text(stdout).as_str(), text(stderr).as_str()),
            expected
        );
        if let Ok(ledger) = std::fs::read_to_string(dir.path().join("ledger")) {
            let expected = format!("start run/step/1 {}\nend run/step/1\n", std::process::id());
            assert_eq!(ledger, expected);
        }
    }

    #[test]
    fn the_first_fitting_reply_is_played() {
        let script = r#"{"ledger":"DIR/ledger","replies":[
            {"when":["previous attempt"],"do":[{"complain":"again"},{"exit":3},{"say":"never"}]},
            {"do":[{"write":{"path":"DIR/sub/a","text":"x"}},{"append":{"path":"DIR/sub/a","text":"y"}},{"remove":"DIR/sub/a"},{"say":"done"}]}]}"#;
        check(script, "task", (0, "done\n", ""));
        check(script, "the previous attempt failed", (3, "", "again\n"));
    }

    #[test]
    fn no_reply_is_an_error() {
        let script = r#"{"replies":[{"when":["x"],"do":[]}]}"#;
        check(
            script,
            "y",
            (1, "", "the script has no reply to this prompt\n"),
        );
    }
}
