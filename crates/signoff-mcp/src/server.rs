//! The handler: which request goes where. It knows no transport, so that any can carry it.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::answers::{Answer, to_result};
use crate::background::in_background;
use crate::context::{Context, ServerOptions};
use crate::errors::ToolError;
use crate::person::{DecisionOutcome, decide};
use crate::table::{self, Handler, ListedTool};
use crate::tools::{listing, run, status};
use crate::{prompts, resources, tasks};

/// What a model is told about the server as a whole.
const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// Serves one project's plans to agents. Copies share what they know.
#[derive(Debug, Clone)]
pub struct Server {
    context: Arc<Context>,
    tools: Arc<Vec<ListedTool>>,
}

impl Server {
    /// A server for the project of the process's working directory, whether that has a store yet or not.
    pub fn new(options: ServerOptions) -> std::io::Result<Self> {
        Ok(Self {
            context: Arc::new(Context::new(options)?),
            tools: Arc::new(table::all_tools()),
        })
    }

    /// Dispatches a call by the tool's name.
    async fn answer(
        &self,
        params: CallToolRequestParams,
        client: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let context = Arc::clone(&self.context);
        let arguments = params.arguments.clone().unwrap_or_default();
        let named = |listed: &&ListedTool| listed.tool.name == params.name;
        let Some(listed) = self.tools.iter().find(named) else {
            let message = format!("there is no tool `{}`", params.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let answer: Result<Answer, ToolError> = match listed.handler {
            Handler::Decide(decision) => match decide(context, decision, params, client).await {
                Ok(DecisionOutcome::Answer(answer)) => Ok(answer),
                Ok(DecisionOutcome::Input(form)) => return Ok((*form).into()),
                Err(error) => Err(error),
            },
            Handler::Run => match run::start(context, arguments).await {
                Ok(started) if tasks::are_known_to(client) => {
                    return Ok(tasks::create_result(&started).into());
                }
                started => started.map(|started| started.to_answer()),
            },
            Handler::List => return Ok(listing::answer(context, arguments).await.into()),
            Handler::Status => status::status(context, arguments, client).await,
            Handler::Blocking(call) => in_background(move || call(&context, arguments)).await,
        };
        Ok(to_result(answer, &self.context.secrets()).into())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        tasks::announce_capability(&mut capabilities);
        let version = self.context.options.version.clone();
        let name = Implementation::new("signoff", version).with_title("Signoff");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|listed| listed.tool.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.answer(request, &context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (context, cursor) = (
            Arc::clone(&self.context),
            request.and_then(|page| page.cursor),
        );
        let listed = in_background(move || resources::list(&context, cursor.as_deref())).await;
        listed.map_err(protocol_error)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let context = Arc::clone(&self.context);
        let read = in_background(move || resources::read(&context, &request.uri)).await;
        match read {
            Ok(contents) => Ok(contents.into()),
            Err(error) => Err(ErrorData::resource_not_found(error.text, Some(error.value))),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompts::list())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let context = Arc::clone(&self.context);
        let found = in_background(move || prompts::get(&context, &request)).await;
        found.map(Into::into).map_err(protocol_error)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let context = Arc::clone(&self.context);
        let found = in_background(move || tasks::get(&context, &request.task_id)).await;
        found.map_err(protocol_error)
    }

    async fn update_task(
        &self,
        _request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let message =
            "a run asks people only: `signoff inbox` shows what, `signoff answer` answers";
        Err(ErrorData::invalid_params(message, None))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = request.task_id;
        let message = format!("only a person can stop a run: `signoff stop {run}`");
        Err(ErrorData::invalid_params(message, None))
    }
}

fn protocol_error(error: ToolError) -> ErrorData {
    ErrorData::invalid_params(error.text, Some(error.value))
}
