//! Signing with a key that is on the person's own machine: the page shows what it signs, and takes what it said.

use axum::Router;
use axum::response::{Html, Redirect};
use serde::Deserialize;
use signoff_page::frame::Place;
use signoff_page::review::key::{KeyView, Statement};
use signoff_runtime::plans::{
    ApproveOptions, GivenKey, ShownDigests, approve_with_key, key_statement,
};

use super::edit::redirect_to_plan;
use super::frame::{Screen, page};
use super::request::{PageRequest, form_route, shows};
use crate::calls::Call;
use crate::error::HttpError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/plans/{plan}/key", shows(show).merge(form_route(sign)))
}

#[derive(Debug, Default, Deserialize)]
struct KeyQuery {
    /// Whose key signs.
    #[serde(default)]
    principal: String,
}

fn show(call: &Call, asked: &PageRequest<KeyQuery>) -> Result<Html<String>, HttpError> {
    let (plan, person) = (asked.path_segment("plan"), &asked.person);
    let principal = asked.sent.principal.trim();
    let file = call.read_plan(plan)?;
    let shown = ShownDigests::of(&call.project, &file);
    let options = ApproveOptions::default();
    let made = (!principal.is_empty())
        .then(|| key_statement(call.by_person(), &file, &options, principal))
        .transpose()
        .map_err(call.fail_about(plan))?;
    let command = made.as_ref().map(|made| command(&made.text));
    let statement = made.as_ref().zip(command.as_deref());
    let title = file.checked.plan.display_title();
    let view = KeyView {
        key: &file.key(&call.project).map_err(call.fail_about(plan))?,
        title,
        digest: &shown.plan,
        terms: &shown.terms,
        principal,
        statement: statement.map(|(made, command)| Statement {
            at: &made.at,
            command,
        }),
        csrf: &person.csrf,
    };
    let screen = Screen {
        title: format!("Sign off {title}"),
        place: Place::Plans,
        events: None,
        html: view.render(),
        done: None,
    };
    page(call, person, &screen)
}

/// What the person types where their key is: it signs exactly these bytes, and prints the signature.
fn command(statement: &str) -> String {
    let quoted = statement.replace('\'', r"'\''");
    format!("printf %s '{quoted}' | ssh-keygen -Y sign -n signoff -f ~/.ssh/id_ed25519")
}

/// What the key said about what the person was shown.
#[derive(Debug, Deserialize)]
struct Signing {
    digest: String,
    terms: String,
    principal: String,
    at: String,
    signature: String,
}

fn sign(call: &Call, asked: &PageRequest<Signing>) -> Result<Redirect, HttpError> {
    let (plan, fields) = (asked.path_segment("plan"), &asked.sent);
    let file = call.read_plan(plan)?;
    let options = ApproveOptions {
        expect_digest: Some(fields.digest.clone()),
        expect_terms: Some(fields.terms.clone()),
        ..ApproveOptions::default()
    };
    let given = GivenKey {
        principal: fields.principal.clone(),
        at: fields.at.clone(),
        // Browsers send lines as the network has them.
        signature: fields.signature.replace("\r\n", "\n"),
    };
    let done = approve_with_key(call.by_person(), &file, &options, &given);
    done.map_err(call.fail_about(plan))?;
    Ok(redirect_to_plan(plan, "signed"))
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_statement_is_one_word_of_the_shell() {
        let line = command("{\"by\":\"O'Brien\"}");
        assert!(
            line.starts_with(r#"printf %s '{"by":"O'\''Brien"}' | "#),
            "{line}"
        );
    }
}
