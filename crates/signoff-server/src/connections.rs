//! How requests arrive: so many connections at once, none of which may keep its place by sending nothing. Any program of the
//! machine can open them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// How long a connection may take until it has sent the head of its next request.
const HEAD: Duration = Duration::from_secs(20);
/// How soon the next connection is tried, where the system has no more of them.
const AGAIN: Duration = Duration::from_millis(200);

/// How many connections there may be, and for how long each may be silent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    connections: usize,
    head: Duration,
}

impl Patience {
    pub(crate) fn of(connections: usize) -> Self {
        let connections = connections.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            connections,
            head: HEAD,
        }
    }
}

/// Serves until `stopping` is closed, and then until every connection has had its answer.
pub(crate) async fn serve_connections(
    listener: TcpListener,
    router: Router,
    mut stopping: watch::Receiver<()>,
    patience: Patience,
) {
    let places = Arc::new(Semaphore::new(patience.connections));
    loop {
        let (place, stream) = tokio::select! {
            arrived = next(&places, &listener) => arrived,
            _ = stopping.changed() => break,
        };
        let (router, stopping) = (router.clone(), stopping.clone());
        tokio::spawn(async move {
            serve(stream, router, stopping, patience.head).await;
            drop(place);
        });
    }
    drop(listener);
    // Every place is free again: nobody is served any more.
    let all = u32::try_from(patience.connections).unwrap_or(u32::MAX);
    drop(places.acquire_many(all).await);
}

/// The next connection, once there is a place for it.
async fn next(
    places: &Arc<Semaphore>,
    listener: &TcpListener,
) -> (OwnedSemaphorePermit, TcpStream) {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.expect("nobody closes it");
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (place, stream),
            // The client has gone already.
            Err(why) if why.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(_) => tokio::time::sleep(AGAIN).await,
        }
    }
}

async fn serve(
    stream: TcpStream,
    router: Router,
    mut stopping: watch::Receiver<()>,
    head: Duration,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    let mut http = builder.http1();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    let service = TowerToHyperService::new(router);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // What went wrong with a connection is told to nobody but its client.
        _ = connection.as_mut() => return,
        _ = stopping.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    connection.await.ok();
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Serves one connection at a time.
    async fn served(head: Duration) -> (std::net::SocketAddr, watch::Sender<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(());
        let router = Router::new().route("/", get(async || "hello"));
        let patience = Patience {
            connections: 1,
            head,
        };
        tokio::spawn(serve_connections(listener, router, stopping, patience));
        (address, stop)
    }

    async fn ask(address: std::net::SocketAddr, text: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok();
        (stream, answer)
    }

    const WHOLE: &str = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

    fn run(work: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        runtime.block_on(work);
    }

    #[test]
    fn whoever_sends_nothing_loses_their_place() {
        run(async {
            let (address, _stop) = served(Duration::from_millis(20)).await;
            let mut silent = TcpStream::connect(address).await.unwrap();
            silent.write_all(b"GET / HTTP/1.1\r\nhost: ").await.unwrap();
            let (_, answer) = ask(address, WHOLE).await;
            assert!(answer.ends_with("hello"), "{answer}");
        });
    }

    #[test]
    fn nobody_is_served_once_it_stops() {
        run(async {
            let (address, stop) = served(HEAD).await;
            let (_, answer) = ask(address, WHOLE).await;
            assert!(answer.ends_with("hello"), "{answer}");
            let mut idle = TcpStream::connect(address).await.unwrap();
            let rest = WHOLE.replace("connection: close\r\n", "");
            idle.write_all(rest.as_bytes()).await.unwrap();
            let mut first = [0; 12];
            idle.read_exact(&mut first).await.unwrap();
            drop(stop);
            let mut rest = String::new();
            idle.read_to_string(&mut rest).await.unwrap();
            assert!(rest.ends_with("hello"), "{rest}");
        });
    }
}
