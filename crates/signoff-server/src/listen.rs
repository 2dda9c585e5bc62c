//! The socket, and how the server ends.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use signoff_runtime::notifications::page_address;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::connections::{Patience, serve_connections};
use crate::options::ServerOptions;
use crate::routes::router;
use crate::state::AppState;

/// How long requests may take to end when the server is stopped.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that has its socket.
#[derive(Debug, Clone, Copy)]
pub struct ListeningServer {
    /// Where it listens.
    pub address: SocketAddr,
}

/// Serves until Ctrl-C or SIGTERM. Runs go on: they are processes of their own.
pub fn serve(options: ServerOptions, listening: impl FnOnce(ListeningServer)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let served: io::Result<()> = runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let state = AppState::new(options, address);
        // Before anybody can ask. Runs that other machines drive are fetched, which waits.
        tokio::task::block_in_place(|| state.read_ahead());
        listening(ListeningServer { address });
        let page = state.page_address();
        let project = state.project_for(&state.options.process.person).ok();
        let _announced = project
            .as_ref()
            .and_then(|project| page_address::announce(project, page));
        // Somebody always looks what becomes of plans where somebody is to be told.
        let _followed = project
            .filter(|project| project.config.notify.url.value.is_some())
            .and_then(|project| state.hub.follow_all(project, None).ok());
        if state.options.refusal.is_none() {
            state.show_code()?;
        }
        let (mut term, mut int) = (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        );
        let (stop, stopped) = tokio::sync::watch::channel(());
        let connections = Patience::of(state.options.connections);
        let router = router(state.clone())?;
        let serving = tokio::spawn(serve_connections(listener, router, stopped, connections));
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        state.hub.stop();
        drop(stop);
        // Whoever does not let go is let go.
        tokio::time::timeout(PATIENCE, serving).await.ok();
        Ok(())
    });
    // Whoever still waits for files waits for nobody now.
    runtime.shutdown_background();
    served
}
