//! Both eras of MCP, through rmcp; the only module that uses rmcp. Our own code reads and writes the lines:
//! rmcp receives well-formed messages and returns messages. Invariant: a cancelled or abandoned call stops
//! working, and a tool's whole answer is in the text of its result.

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

use crate::outbox::{Outbox, OutboxClosed};
use crate::run::{CallOutcome, run};
use crate::session::Session;
use symd_rpc::client_message::{RejectedRequest, RpcRequest};
use symd_rpc::codes::{INVALID_PARAMS, INVALID_REQUEST};
use symd_rpc::in_flight::Ticket;
use symd_toolsets::{Offered, Outcome, Reply, Tool};

use crate::approvals::ask::ApprovalPrompt;
use elicit::Elicit;

/// Messages waiting for rmcp, which takes them at once. When the queue is full, the connection is not read.
const INCOMING_MESSAGES: usize = 16;

/// How long a client may cache the list of tools. It changes only with the daemon's version.
const LIST_TTL_MS: u64 = 3_600_000;

/// How often a long call reports progress, if the client sent a progress token.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Length of a short answer's text in bytes.
const SHORT_BYTES: usize = 32 << 10;

/// Error code that the handler of a cancelled request returns. It is never sent: a cancelled request gets no
/// response, and rmcp may learn of the cancellation after the handler did.
const CANCELLED: ErrorCode = ErrorCode(-32800);

/// The `_meta` key in which a request of the 2026-07-28 era states its protocol version.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The MCP state of one connection.
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
        // Not `serve_server`: it closes the connection on the first unexpected message.
        let running = serve_directly(handler, wire, None);
        Mcp { incoming, running, initialized: false, opened }
    }

    /// Passes a request to rmcp. `ticket` lives until the request's handler has returned.
    pub(super) async fn request(
        &mut self,
        request: RpcRequest,
        ticket: Ticket,
    ) -> Result<(), RejectedRequest> {
        let id = request.id.clone();
        let opening = request.method == "initialize";
        self.check_era(&request)?;
        let mut typed = parse_request(request)?;
        self.initialized |= opening;
        typed.extensions_mut().insert(Arc::new(ticket));
        let id = match id {
            Value::String(text) => NumberOrString::String(text.into()),
            // `client_message` has checked that a JSON-RPC id is a string or an integer.
            number => NumberOrString::Number(number.as_i64().unwrap_or_default()),
        };
        // rmcp stops only when the connection ends.
        let _ = self.incoming.send(ClientJsonRpcMessage::request(typed, id)).await;
        if opening {
            // Requests that a client sent before the response to `initialize` are read afterwards, under the
            // version that was negotiated.
            self.opened.notified().await;
        }
        Ok(())
    }

    fn check_era(&self, request: &RpcRequest) -> Result<(), RejectedRequest> {
        let modern = request.params.get("_meta").is_some_and(|meta| meta.get(META_VERSION).is_some());
        match request.method.as_str() {
            "initialize" if self.initialized => Err(RejectedRequest::new(
                request.id.clone(),
                INVALID_REQUEST,
                "this connection is initialized already; open another one",
            )),
            "initialize" | "ping" | "server/discover" => Ok(()),
            method if !self.initialized && !modern => Err(RejectedRequest::new(
                request.id.clone(),
                INVALID_PARAMS,
                format!(
                    "{method}: send `initialize` first (up to 2025-11-25), or `_meta` with {META_VERSION} (2026-07-28)"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Passes a notification or a response to rmcp. Drops a message that rmcp does not understand: neither
    /// kind may be answered.
    pub(super) async fn other(&self, message: Value) {
        match parse_notification(message) {
            Ok(message) => {
                let _ = self.incoming.send(message).await;
            }
            Err(error) => tracing::debug!(%error, "dropping a message without an answer"),
        }
    }

    /// Closes the queue of messages and waits until every request is answered.
    pub(super) async fn finish(self) {
        drop(self.incoming);
        if let Err(error) = self.running.waiting().await {
            tracing::error!(%error, "the MCP task failed");
        }
    }
}

/// Converts a notification or a response to rmcp's type.
pub(super) fn parse_notification(message: Value) -> serde_json::Result<RxJsonRpcMessage<RoleServer>> {
    serde_json::from_value(message)
}

/// Converts a request to rmcp's type. A known method with invalid parameters is an error.
pub(super) fn parse_request(request: RpcRequest) -> Result<ClientRequest, RejectedRequest> {
    let RpcRequest { id, method, params } = request;
    if params.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return Err(RejectedRequest::new(
            id,
            INVALID_PARAMS,
            format!("{method}: \"_meta\" must be an object"),
        ));
    }
    let message = json!({ "method": method, "params": params });
    if method == "tools/call" {
        // The most frequent request by far, and the one for which a detailed error matters most.
        let call = serde_json::from_value::<CallToolRequest>(message)
            .map_err(|error| RejectedRequest::new(id, INVALID_PARAMS, format!("tools/call: {error}")))?;
        return Ok(call.into());
    }
    let wrong = |id| RejectedRequest::new(id, INVALID_PARAMS, format!("{method}: wrong parameters"));
    // rmcp treats invalid optional parameters as missing ones.
    let cursor = message["params"].get("cursor");
    if method.ends_with("/list") && cursor.is_some_and(|cursor| !cursor.is_string()) {
        return Err(wrong(id));
    }
    match serde_json::from_value(message) {
        // rmcp turns every request that it cannot parse into a custom request.
        Ok(ClientRequest::CustomRequest(custom)) if KNOWN_METHODS.contains(&custom.method.as_str()) => {
            Err(wrong(id))
        }
        Ok(typed) => Ok(typed),
        Err(_) => Err(wrong(id)),
    }
}

/// MCP methods with typed parameters.
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

/// The transport that rmcp uses for a connection.
struct Wire {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    outbox: Outbox,
    /// Notified when `initialize` has been answered.
    opened: Arc<Notify>,
}

/// What is left to send of a message.
enum Unsent {
    Message(Box<TxJsonRpcMessage<RoleServer>>),
    /// A line for which the queue had no room, if it had none.
    Line(Option<Vec<u8>>),
}

/// Whether a message takes less time to write than a change of tasks.
fn is_short(message: &TxJsonRpcMessage<RoleServer>) -> bool {
    match message {
        JsonRpcMessage::Response(JsonRpcResponse {
            result: ServerResult::CallToolResult(result), ..
        }) => {
            let length = |block: &ContentBlock| block.as_text().map(|text| text.text.len());
            result.content.iter().all(|block| length(block).is_some_and(|length| length <= SHORT_BYTES))
        }
        JsonRpcMessage::Error(_) => true,
        _ => false,
    }
}

/// Returns a message as a line.
fn written(message: &TxJsonRpcMessage<RoleServer>) -> Result<Vec<u8>, OutboxClosed> {
    let mut line = serde_json::to_vec(message).map_err(|error| {
        tracing::error!(%error, "an answer cannot be written as JSON");
        OutboxClosed
    })?;
    line.push(b'\n');
    Ok(line)
}

impl Transport<RoleServer> for Wire {
    type Error = OutboxClosed;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), OutboxClosed>> + Send + 'static {
        let unwanted = matches!(&item, JsonRpcMessage::Error(error) if error.error.code == CANCELLED);
        let opens = matches!(
            &item,
            JsonRpcMessage::Error(_)
                | JsonRpcMessage::Response(JsonRpcResponse { result: ServerResult::InitializeResult(_), .. })
        );
        // What is returned runs in a task of its own: a short answer is written before that begins.
        let at_once = !unwanted && is_short(&item);
        let sent = if at_once {
            written(&item).and_then(|line| self.outbox.try_send(line)).map(Result::err).map(Unsent::Line)
        } else {
            Ok(Unsent::Message(Box::new(item)))
        };
        let (outbox, opened) = (self.outbox.clone(), Arc::clone(&self.opened));
        async move {
            if unwanted {
                return Ok(());
            }
            let sent = match sent? {
                Unsent::Line(None) => Ok(()),
                Unsent::Line(Some(line)) => outbox.send(line).await,
                Unsent::Message(item) => outbox.send(written(&item)?).await,
            };
            if opens {
                opened.notify_one();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<(), OutboxClosed> {
        Ok(())
    }
}

/// The handler of one session's MCP requests.
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
        // The negotiated version, not the requested one, determines the form of later results.
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
                "tools/list: the list has a single page; send the request without a cursor",
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
            return Err(ErrorData::internal_error("a bug in symd: this request is not registered", None));
        };
        let arguments = request.arguments.take().unwrap_or_default();
        let mut elicit = Elicit::new(&self.session, &context, &mut request);
        let ran = self.run(offered, arguments, &mut elicit, ticket, &context).await;
        elicit.withdraw("the call was stopped").await;
        match ran {
            CallOutcome::Reply(reply) => Ok(CallToolResponse::from(result(reply))),
            CallOutcome::Stopped => Err(ErrorData::new(CANCELLED, "cancelled", None)),
            CallOutcome::Ask(question) => elicit
                .result(&question)
                .map(CallToolResponse::from)
                .ok_or_else(|| ErrorData::internal_error("cannot send the approval question", None)),
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
    ) -> CallOutcome {
        let mut running = std::pin::pin!(run(&self.session, offered, arguments, elicit, &ticket.stop));
        let mut progress = Progress::new(context);
        loop {
            tokio::select! {
                biased;
                ran = &mut running => return ran,
                // The connection's reader stops the ticket on its own; this covers cancellations by rmcp.
                () = context.ct.cancelled(), if !ticket.stop.flag().is_cancelled() => ticket.stop.stop(),
                () = progress.due() => progress.tell(&self.session, context).await,
            }
        }
    }

    fn log_client(&self, client: &Implementation) {
        if !self.named.swap(true, Ordering::Relaxed) {
            self.session.client.set_name(format!("{} {}", client.name, client.version));
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

/// Progress notifications for a client that sent a token.
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
        // An error means that the client is gone.
        let _ = context.peer.notify_progress(progress).await;
    }
}
