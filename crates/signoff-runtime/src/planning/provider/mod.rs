//! A provider's model as the configuration has it.

mod key;
mod transport;

use signoff_llm::{ModelTokens, Provider, ProviderModel};
use signoff_store::config::ModelProvider;
use signoff_work::agent::ModelUsage;

use self::transport::HttpTransport;
use crate::error::{Error, PlanningError};
use crate::local::{QuestionStop, prices};
use crate::project::Project;

/// A model that is asked over HTTP.
pub(super) type HttpModel = ProviderModel<HttpTransport>;

/// The model of `[llm] provider`, or another one of it.
pub(super) fn provider_model(
    project: &Project,
    provider: ModelProvider,
    model: Option<&str>,
    stop: QuestionStop,
) -> Result<HttpModel, Error> {
    let settings = &project.config.llm;
    let provider = match provider {
        ModelProvider::Anthropic => Provider::Anthropic,
        ModelProvider::OpenAi => Provider::OpenAi,
        ModelProvider::Gemini => Provider::Gemini,
        ModelProvider::Ollama => Provider::Ollama,
    };
    let model = model.or(settings.model.value.as_deref());
    let model = model.ok_or_else(|| PlanningError::NoModel {
        provider: provider.name(),
    })?;
    let base_url = settings.base_url.value.as_deref();
    let prices = prices(project);
    let price = move |model: &str, tokens: ModelTokens| {
        prices.price(&ModelUsage {
            model: Some(model.to_owned()),
            input: tokens.input,
            cached: tokens.cached,
            cache_write: tokens.cache_write,
            output: tokens.output,
            usd_e6: None,
        })
    };
    Ok(ProviderModel {
        provider,
        key: key::find(project, provider, base_url)?,
        base_url: base_url.unwrap_or(provider.base_url()).to_owned(),
        model: model.to_owned(),
        price: Box::new(price),
        transport: HttpTransport::new(project, stop),
    })
}
