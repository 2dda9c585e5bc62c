//! `config`: the settings in force, and where each came from.

use signoff_api::config::{Config as Shape, SCHEMA, Setting, TrustState as Trusted};
use signoff_runtime::Error;
use signoff_runtime::project::{Project, load_config};
use signoff_runtime::trust::Trust;
use signoff_store::config::{Config, SettingEntry, SettingLocation};

use crate::args;
use crate::failure::Failure;
use crate::report::config::{heading, lines, value};
use crate::session::Session;

pub(crate) fn config(session: &mut Session, args: &args::Config) -> Result<u8, Failure> {
    // The user's own settings apply without a project, too.
    let (config, trust, project) = match Project::open(&session.process) {
        Ok(project) => {
            let path = project.store.config_path();
            (project.config.clone(), project.trust(), Some(path))
        }
        Err(Error::NoStore { .. }) => {
            let config = load_config(&session.process, None)?;
            (config, Trust::NotNeeded, None)
        }
        Err(error) => return Err(error.into()),
    };
    let entries = asked_for(&config, args.key.as_deref())?;
    if session.is_json() {
        let shown = |path: &std::path::PathBuf| path.display().to_string();
        session.json(&Shape {
            schema: SCHEMA.to_owned(),
            user: session.process.user_config.as_ref().map(shown),
            project: project.as_ref().map(shown),
            trust: match trust {
                Trust::NotNeeded => Trusted::NotNeeded,
                Trust::Given => Trusted::Given,
                Trust::Missing(_) | Trust::Changed(_) => Trusted::Missing,
            },
            settings: entries.into_iter().map(setting).collect(),
            notes: config.notes.iter().map(ToString::to_string).collect(),
        });
        return Ok(0);
    }
    if let (Some(key), [entry]) = (&args.key, entries.as_slice())
        && entry.key == *key
    {
        session.out.answer(value(entry));
        return Ok(0);
    }
    if args.key.is_none() {
        for text in heading(
            session.process.user_config.as_deref(),
            project.as_deref(),
            &trust,
        ) {
            session.out.answer(text);
        }
    }
    for text in lines(&entries) {
        session.out.answer(text);
    }
    for note in &config.notes {
        session.out.say(format!("note: {note}"));
    }
    Ok(0)
}

fn asked_for(config: &Config, key: Option<&str>) -> Result<Vec<SettingEntry>, Failure> {
    let Some(key) = key else {
        return Ok(config.entries());
    };
    config.entries_of(key).map_err(|unknown| {
        let failure = Failure::new(2, "unknown-key", format!("there is no setting `{key}`"));
        failure.hint(
            unknown
                .suggestion
                .unwrap_or_else(|| "`signoff config` lists them all".to_owned()),
        )
    })
}

fn setting(entry: SettingEntry) -> Setting {
    let (file, line, variable) = match entry.location {
        Some(SettingLocation::File { path, line, .. }) => {
            (Some(path.display().to_string()), Some(line), None)
        }
        Some(SettingLocation::Variable(name)) => (None, None, Some(name)),
        None => (None, None, None),
    };
    Setting {
        key: entry.key,
        value: entry.value,
        origin: entry.origin.to_string(),
        file,
        line,
        variable,
    }
}
