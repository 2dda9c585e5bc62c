//! `/mcp`: plans for agents. An agent's token opens this and nothing else, and nobody here speaks for a person.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::error::HttpError;
use crate::options::ServerOptions;
use crate::sessions::secret::SecretHash;
use crate::state::AppState;

/// The address for agents; none if no token was given for them.
pub(crate) fn routes(state: &AppState) -> io::Result<Router<AppState>> {
    let router = Router::new();
    let Some(token) = &state.options.agent_token else {
        return Ok(router);
    };
    let server = signoff_mcp::Server::new(mcp_options(&state.options))?;
    let config = StreamableHttpServerConfig::default()
        // Checked before, for every address.
        .disable_allowed_hosts();
    let manager = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), manager, config);
    let token = Arc::new(SecretHash::of(token));
    let router = router.route_service("/mcp", service);
    Ok(router.route_layer(from_fn_with_state(token, require_token)))
}

fn mcp_options(options: &ServerOptions) -> signoff_mcp::ServerOptions {
    signoff_mcp::ServerOptions {
        process: options.process.clone(),
        program: options.program.clone(),
        wording: options.agent_wording,
        // To approve and to reject, people sign in.
        is_inside_run: true,
        version: options.version.clone(),
    }
}

async fn require_token(
    State(token): State<Arc<SecretHash>>,
    request: Request,
    next: Next,
) -> Result<Response, HttpError> {
    let sent = request.headers().get(AUTHORIZATION);
    let sent = sent.and_then(|sent| sent.to_str().ok()?.split_once(' '));
    let is_known = sent.is_some_and(|(kind, sent)| {
        kind.eq_ignore_ascii_case("bearer") && token.is(&SecretHash::of(sent.trim()))
    });
    if is_known {
        return Ok(next.run(request).await);
    }
    let message = "the token of agents is needed here";
    let hint = "`signoff serve --agent-token FILE` names the file that has it";
    Err(HttpError::new(
        StatusCode::UNAUTHORIZED,
        "no-token",
        message,
        &[hint],
    ))
}
