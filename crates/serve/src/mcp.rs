//! MCP, both eras of it, through rmcp; the one module that names rmcp. Lines are read and written by our own
//! code: rmcp is given messages that are well-formed, and hands back messages. Invariant: a cancelled or
//! abandoned call stops working, and everything a tool has to say is in the text of its result.

mod elicit;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequest, CallToolRequestParams, CallToolResponse, CallToolResult,
    ClientJsonRpcMessage, ClientRequest, ContentBlock, CustomRequest, CustomResult, ErrorCode, GetExtensions,
    Implementation, InitializeRequestParams, InitializeResult, JsonRpcMessage, JsonRpcResponse,
    ListToolsResult, NumberOrString, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, ServerResult, Tool as McpTool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RunningService, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, mpsc};

use crate::dispatch::{Request, Wrong};
use crate::in_flight::Ticket;
use crate::outbox::{Closed, Outbox};
use crate::protocol::{INVALID_PARAMS, INVALID_REQUEST};
use crate::run::{Ran, run};
use crate::session::Session;
use symd_toolsets::{Offered, Outcome, Reply, Tool};

use elicit::Elicit;

/// Messages on their way to rmcp. It takes them at once; when it is full, the connection is read no further.
const INCOMING_MESSAGES: usize = 16;

/// How long a client may rely on a list of tools: it changes with the daemon's version only.
const LIST_TTL_MS: u64 = 3_600_000;

/// How often a call that takes long says that it is alive, if the client gave a token for it.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// What a handler answers whose request was cancelled. It never reaches the wire: nothing may be sent for a
/// cancelled request, and rmcp may hear of the cancellation after the handler did.
const CANCELLED: ErrorCode = ErrorCode(-32800);

/// The `_meta` key by which a request of the 2026-07-28 era names its version.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// MCP's side of one connection.
pub(super) struct Mcp {
    incoming: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    running: RunningService<RoleServer, Handler>,
    initialized: bool,
    opened: Arc<Notify>,
}

impl Mcp {
    pub(super) fn start(session: Arc<Session>, outbox: Outbox) -> Mcp {
        let (incoming, messages) = mpsc::channel(INCOMING_MESSAGES);
        let tools = session.tools.iter().map(|offered| listed(offered.tool)).collect();
        let handler = Handler { session, tools, named: AtomicBool::new(false) };
        let opened = Arc::new(Notify::new());
        let wire = Wire { messages, outbox, opened: Arc::clone(&opened) };
        // Not `serve_server`: it closes the connection on the first message that it does not expect.
        let running = serve_directly(handler, wire, None);
        Mcp { incoming, running, initialized: false, opened }
    }

    /// Hands a request to rmcp. `ticket` lives until its handler has ended.
    pub(super) async fn request(&mut self, request: Request, ticket: Ticket) -> Result<(), Wrong> {
        let id = request.id.clone();
        let opening = request.method == "initialize";
        self.check_era(&request)?;
        let mut typed = typed(request)?;
        self.initialized |= opening;
        typed.extensions_mut().insert(Arc::new(ticket));
        let id = match id {
            Value::String(text) => NumberOrString::String(text.into()),
            // JSON-RPC ids were checked to be strings or whole numbers.
            number => NumberOrString::Number(number.as_i64().unwrap_or_default()),
        };
        // rmcp ends only when the connection does.
        let _ = self.incoming.send(ClientJsonRpcMessage::request(typed, id)).await;
        if opening {
            // What a hasty client sent behind it is read under the version that it settles, and answered later.
            self.opened.notified().await;
        }
        Ok(())
    }

    fn check_era(&self, request: &Request) -> Result<(), Wrong> {
        let modern = request.params.get("_meta").is_some_and(|meta| meta.get(META_VERSION).is_some());
        match request.method.as_str() {
            "initialize" if self.initialized => Err(Wrong::new(
                request.id.clone(),
                INVALID_REQUEST,
                "this connection is initialized already; open another one",
            )),
            "initialize" | "ping" | "server/discover" => Ok(()),
            method if !self.initialized && !modern => Err(Wrong::new(
                request.id.clone(),
                INVALID_PARAMS,
                format!(
                    "{method}: send `initialize` first (up to 2025-11-25), or `_meta` with {META_VERSION} (2026-07-28)"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Hands over a notification or a response. One that rmcp does not understand is dropped: neither may
    /// be answered.
    pub(super) async fn other(&self, message: Value) {
        match understood(message) {
            Ok(message) => {
                let _ = self.incoming.send(message).await;
            }
            Err(error) => tracing::debug!(%error, "dropping a message without an answer"),
        }
    }

    /// No more messages will come: waits until everything is answered.
    pub(super) async fn finish(self) {
        drop(self.incoming);
        if let Err(error) = self.running.waiting().await {
            tracing::error!(%error, "the MCP task failed");
        }
    }
}

/// A notification or a response as rmcp has it.
pub(super) fn understood(message: Value) -> serde_json::Result<RxJsonRpcMessage<RoleServer>> {
    serde_json::from_value(message)
}

/// The request as rmcp has it. A method that it knows, with parameters that it does not, is an error.
pub(super) fn typed(request: Request) -> Result<ClientRequest, Wrong> {
    let Request { id, method, params } = request;
    if params.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return Err(Wrong::new(id, INVALID_PARAMS, format!("{method}: \"_meta\" must be an object")));
    }
    let message = json!({ "method": method, "params": params });
    if method == "tools/call" {
        // By far the most frequent one, and the one whose errors should say the most.
        let call = serde_json::from_value::<CallToolRequest>(message)
            .map_err(|error| Wrong::new(id, INVALID_PARAMS, format!("tools/call: {error}")))?;
        return Ok(call.into());
    }
    let wrong = |id| Wrong::new(id, INVALID_PARAMS, format!("{method}: wrong parameters"));
    // Where parameters are optional, rmcp takes wrong ones for none.
    let cursor = message["params"].get("cursor");
    if method.ends_with("/list") && cursor.is_some_and(|cursor| !cursor.is_string()) {
        return Err(wrong(id));
    }
    match serde_json::from_value(message) {
        // rmcp takes everything that it cannot parse for a method of ours.
        Ok(ClientRequest::CustomRequest(custom)) if KNOWN_METHODS.contains(&custom.method.as_str()) => {
            Err(wrong(id))
        }
        Ok(typed) => Ok(typed),
        Err(_) => Err(wrong(id)),
    }
}

/// MCP's methods whose parameters have a shape.
const KNOWN_METHODS: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/list",
];

/// rmcp's view of a connection.
struct Wire {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    outbox: Outbox,
    /// Told when `initialize` has been answered.
    opened: Arc<Notify>,
}

impl Transport<RoleServer> for Wire {
    type Error = Closed;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Closed>> + Send + 'static {
        let outbox = self.outbox.clone();
        let unwanted = matches!(&item, JsonRpcMessage::Error(error) if error.error.code == CANCELLED);
        let opens = matches!(
            &item,
            JsonRpcMessage::Error(_)
                | JsonRpcMessage::Response(JsonRpcResponse { result: ServerResult::InitializeResult(_), .. })
        );
        let opened = Arc::clone(&self.opened);
        async move {
            if unwanted {
                return Ok(());
            }
            let mut line = serde_json::to_vec(&item).map_err(|error| {
                tracing::error!(%error, "an answer cannot be written as JSON");
                Closed
            })?;
            line.push(b'\n');
            let sent = outbox.send(line).await;
            if opens {
                opened.notify_one();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), Closed> {
        Ok(())
    }
}

/// Answers MCP's requests for one session.
struct Handler {
    session: Arc<Session>,
    tools: Vec<McpTool>,
    named: AtomicBool,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let me = Implementation::new("symd", crate::protocol::VERSION).with_title("symd");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(me)
            .with_instructions(self.session.instructions.clone())
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        // The version that was agreed on, not the one asked for, decides the form of all later results.
        request.protocol_version = answer.protocol_version.clone();
        self.log_client(&request.client_info);
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "tools/list: the list has one page, so no cursor is known",
                None,
            ));
        }
        let list = ListToolsResult::with_all_items(self.tools.clone());
        let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        Ok(if modern { list.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private) } else { list })
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(client) = context.meta.client_info() {
            self.log_client(&client);
        }
        let offered =
            self.session.tool(&request.name).map_err(|message| ErrorData::invalid_params(message, None))?;
        let Some(ticket) = context.extensions.get::<Arc<Ticket>>() else {
            return Err(ErrorData::internal_error("this request has no ticket", None));
        };
        let arguments = request.arguments.take().unwrap_or_default();
        let mut elicit = Elicit::new(&self.session, &context, &mut request);
        let ran = self.run(offered, arguments, &mut elicit, ticket, &context).await;
        elicit.withdraw("the call was stopped").await;
        match ran {
            Ran::Reply(reply) => Ok(CallToolResponse::from(result(reply))),
            Ran::Stopped => Err(ErrorData::new(CANCELLED, "cancelled", None)),
            Ran::Ask(question) => elicit
                .result(&question)
                .map(CallToolResponse::from)
                .ok_or_else(|| ErrorData::internal_error("the question cannot be put", None)),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let message = format!("there is no method {}", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

impl Handler {
    async fn run(
        &self,
        offered: Offered,
        arguments: Map<String, Value>,
        elicit: &mut Elicit<'_>,
        ticket: &Ticket,
        context: &RequestContext<RoleServer>,
    ) -> Ran {
        let mut running = std::pin::pin!(run(&self.session, offered, arguments, elicit, &ticket.stop));
        let mut progress = Progress::new(context);
        loop {
            tokio::select! {
                biased;
                ran = &mut running => return ran,
                // The connection's reader stops the ticket too; this is for rmcp's own reasons to stop.
                () = context.ct.cancelled(), if !ticket.stop.flag().is_cancelled() => ticket.stop.stop(),
                () = progress.due() => progress.tell(&self.session, context).await,
            }
        }
    }

    fn log_client(&self, client: &Implementation) {
        if !self.named.swap(true, Ordering::Relaxed) {
            self.session.client.named(format!("{} {}", client.name, client.version));
            tracing::info!(
                session = self.session.number,
                client = client.name,
                version = client.version,
                "MCP client"
            );
        }
    }
}

fn listed(tool: &Tool) -> McpTool {
    let schema = match (tool.schema)() {
        Value::Object(schema) => schema,
        other => serde_json::Map::from_iter([("const".to_owned(), other)]),
    };
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    McpTool::new(tool.name, Cow::Borrowed(tool.description), schema)
        .with_title(tool.title)
        .with_annotations(annotations)
}

fn result(reply: Reply) -> CallToolResult {
    let content = vec![match reply.image {
        Some(image) => ContentBlock::image(image.data, image.mime_type),
        None => ContentBlock::text(reply.text),
    }];
    match reply.outcome {
        Outcome::Done => CallToolResult::success(content),
        _ => CallToolResult::error(content),
    }
}

/// Tells a client that gave a token that its call is alive.
struct Progress {
    token: Option<rmcp::model::ProgressToken>,
    clock: tokio::time::Interval,
    told: u32,
}

impl Progress {
    fn new(context: &RequestContext<RoleServer>) -> Progress {
        let first = tokio::time::Instant::now() + PROGRESS_EVERY;
        Progress {
            token: context.meta.get_progress_token(),
            clock: tokio::time::interval_at(first, PROGRESS_EVERY),
            told: 0,
        }
    }

    async fn due(&mut self) {
        match self.token {
            Some(_) => {
                self.clock.tick().await;
            }
            None => std::future::pending().await,
        }
    }

    async fn tell(&mut self, session: &Session, context: &RequestContext<RoleServer>) {
        let (Some(token), Some(project)) = (self.token.clone(), session.host.project()) else { return };
        self.told += 1;
        let progress =
            ProgressNotificationParam::new(token, f64::from(self.told)).with_message(project.doing());
        // A client that is gone needs no news.
        let _ = context.peer.notify_progress(progress).await;
    }
}
