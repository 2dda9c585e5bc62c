//! The socket, and how the server ends.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::options::ServerOptions;
use crate::routes::router;
use crate::state::AppState;

/// A server that has its socket.
#[derive(Debug, Clone, Copy)]
pub struct Listening {
    /// Where it listens.
    pub address: SocketAddr,
}

/// Serves until Ctrl-C or SIGTERM. Runs go on: they are processes of their own.
pub fn serve(options: ServerOptions, listening: impl FnOnce(Listening)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let state = AppState::new(options, address);
        listening(Listening { address });
        if state.options.refusal.is_none() {
            state.show_code()?;
        }
        let (mut term, mut int) = (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        );
        let stop = async move {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
        };
        axum::serve(listener, router(state))
            .with_graceful_shutdown(stop)
            .await
    });
    // Whoever still waits for files waits for nobody now.
    runtime.shutdown_background();
    served
}
