//! Signatures with the person's own SSH key, as git makes and verifies them: `ssh-keygen -Y`, the key
//! and the list of allowed signers from git's configuration.
//!
//! Nothing here decides what a key is worth; it says whether this one signed, and is allowed to.

mod context;
mod settings;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use signoff_plan::signed::Signature;
use signoff_store::signatures::{KeyProof, NAMESPACE, statement};

use self::context::SshContext;
use self::settings::Settings;
use super::terminal::printable;
use crate::error::KeyError;
use crate::project::Project;

/// Signs with the key that git would use. What would not be believed afterwards is not returned.
pub(crate) fn sign(project: &Project, signature: &Signature) -> Result<KeyProof, KeyError> {
    let context = SshContext::of(project);
    let settings = settings_of(project, &context)?;
    let missing = settings.missing();
    let (Some(key), Some(principal), true) =
        (&settings.signing_key, &settings.email, missing.is_empty())
    else {
        return Err(KeyError::Unset(missing));
    };
    let explain = |mut error| {
        if let KeyError::NotAllowed { line, .. } | KeyError::Unreadable { line, .. } = &mut error {
            *line = allowing_line(&context, &settings, key, principal);
        }
        error
    };
    settings.list(context.workspace).map_err(explain)?;
    let text = statement(signature, principal);
    let proof = KeyProof {
        principal: principal.clone(),
        signature: make_signature(&context, &settings, key, &text)?,
    };
    verify_with(&context, &settings, signature, &proof).map_err(explain)?;
    Ok(proof)
}

/// Checks that an allowed key of this person made the signature, over exactly what it says.
///
/// By the present list: what an expired or revoked key signed stops counting, for whoever holds such
/// a key could date a signature back.
pub(crate) fn verify(
    project: &Project,
    signature: &Signature,
    proof: &KeyProof,
) -> Result<(), KeyError> {
    let context = SshContext::of(project);
    let settings = settings_of(project, &context)?;
    verify_with(&context, &settings, signature, proof)
}

/// Git's settings, with the list of allowed signers that ours names, if they do.
fn settings_of(project: &Project, context: &SshContext<'_>) -> Result<Settings, KeyError> {
    let mut settings = settings::read(context)?;
    let home = project.process.variables.get(OsStr::new("HOME"));
    let list = project.config.approval.signers_file(home.map(Path::new));
    settings.prefer_list(list);
    Ok(settings)
}

fn verify_with(
    context: &SshContext<'_>,
    settings: &Settings,
    signature: &Signature,
    proof: &KeyProof,
) -> Result<(), KeyError> {
    let list = settings.list(context.workspace)?;
    let text = statement(signature, &proof.principal).into_bytes();
    let folder = context.folder()?;
    let file = folder.path().join("signature");
    write(&file, proof.signature.as_bytes())?;
    let mut words = keygen("verify");
    words.extend([
        "-s".into(),
        file.clone().into(),
        "-f".into(),
        list.clone().into(),
    ]);
    words.extend(["-I".into(), OsString::from(&proof.principal)]);
    if let Some(revoked) = &settings.revoked {
        words.extend(["-r".into(), revoked.into()]);
    }
    let said = context.run(words, text.clone())?;
    if said.code == Some(0) {
        return Ok(());
    }
    // Find out why it was refused: does the signature match its text at all?
    let mut words = keygen("check-novalidate");
    words.extend(["-s".into(), file.into()]);
    let fits = context.run(words, text)?;
    if fits.code != Some(0) {
        return Err(KeyError::DoesNotFit);
    }
    let shown = String::from_utf8_lossy(&fits.stdout);
    Err(KeyError::NotAllowed {
        principal: printable(&proof.principal),
        key: shown
            .split_once(" with ")
            .map_or("key", |(_, key)| key.trim())
            .to_owned(),
        list,
        why: last_line(&said.stderr),
        line: None,
    })
}

/// The line that would allow the person's own key. None where the repository chose the key, or the
/// address would do more than stand in a shell's quotes: a person may type what we say.
fn allowing_line(
    context: &SshContext<'_>,
    settings: &Settings,
    key: &str,
    principal: &str,
) -> Option<String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "@._+-".contains(letter);
    if settings.key_of_repository || !principal.chars().all(plain) {
        return None;
    }
    public_key(context.workspace, key).map(|public| format!("{principal} {public}"))
}

/// The SSH signature over a text.
fn make_signature(
    context: &SshContext<'_>,
    settings: &Settings,
    key: &str,
    text: &str,
) -> Result<String, KeyError> {
    let folder = context.folder()?;
    let [statement, public] = ["statement", "key.pub"].map(|name| folder.path().join(name));
    // In a file, as git does: programs that stand in for `ssh-keygen` know no other way.
    write(&statement, text.as_bytes())?;
    let mut words = keygen("sign");
    if let (Some(program), Some(first)) = (&settings.program, words.first_mut()) {
        program.as_os_str().clone_into(first);
    }
    if let Some(literal) = literal(key) {
        write(&public, format!("{literal}\n").as_bytes())?;
        // The private half is in the agent, or nowhere.
        words.extend(["-U".into(), "-f".into(), public.into()]);
    } else {
        let path = context.workspace.join(key);
        if !path.is_file() {
            return Err(KeyError::NoSuchKey {
                key: printable(key),
            });
        }
        words.extend(["-f".into(), path.into()]);
    }
    words.push(statement.clone().into());
    let said = context.run(words, Vec::new())?;
    let made = fs::read_to_string(statement.with_extension("sig"));
    match made {
        Ok(made) if said.code == Some(0) => Ok(made),
        _ => Err(KeyError::WouldNotSign {
            key: display_key(key),
            why: last_line(&said.stderr).unwrap_or_else(|| "it did not say why".to_owned()),
        }),
    }
}

/// `ssh-keygen -Y ACTION` in our namespace.
fn keygen(action: &str) -> Vec<OsString> {
    ["ssh-keygen", "-Y", action, "-n", NAMESPACE]
        .map(OsString::from)
        .to_vec()
}

/// A key that is written out in the setting itself.
fn literal(key: &str) -> Option<&str> {
    key.strip_prefix("key::")
        .or_else(|| key.starts_with("ssh-").then_some(key))
}

fn display_key(key: &str) -> String {
    let mut words = literal(key).unwrap_or(key).split_whitespace();
    format!("`{}`", printable(words.next().unwrap_or_default()))
}

/// The public half of one's own key: kind and value.
fn public_key(workspace: &Path, key: &str) -> Option<String> {
    let text = match literal(key) {
        Some(text) => text.to_owned(),
        None => {
            let path = workspace.join(key);
            let public = match path.extension() {
                Some(extension) if extension == "pub" => path,
                _ => {
                    let mut name = path.into_os_string();
                    name.push(".pub");
                    name.into()
                }
            };
            fs::read_to_string(public).ok()?
        }
    };
    let words: Vec<&str> = text.split_whitespace().take(2).collect();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "+/=@.-".contains(letter);
    let is_key = words.len() == 2 && words.iter().all(|word| word.chars().all(plain));
    is_key.then(|| words.join(" "))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), KeyError> {
    fs::write(path, bytes).map_err(|why| KeyError::File(format!("{}: {why}", path.display())))
}

fn last_line(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(printable(line))
}
