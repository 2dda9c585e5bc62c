//! Listens on loopback, with a thread per connection, and ends them all.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Scope};

use crate::exchange;
use crate::login::{LoginCheck, Tokens};
use crate::model::Model;
use crate::recording::Received;
use crate::script::Script;

/// More connections than this are refused.
const MAX_CONNECTIONS: usize = 256;

/// A model that listens on loopback until it is dropped.
///
/// Dropping it closes every connection and waits for its threads, also where a client hangs.
#[derive(Debug)]
pub struct Stub {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

impl Stub {
    /// Starts a model that follows this script, on a free port.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            model: Model::new(script),
            connections: Mutex::default(),
        });
        let for_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("stub".to_owned())
            .spawn(move || listen(&listener, &for_thread))?;
        Ok(Self {
            address,
            shared,
            listener: Some(thread),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as the beginning of a URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What arrived so far, in the order of arrival; the first few thousand.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.model.received()
    }

    /// The tokens that are valid now; `None` where the script has no login.
    pub fn tokens(&self) -> Option<Tokens> {
        self.login().map(LoginCheck::tokens)
    }

    /// How often a client exchanged its refresh token.
    pub fn rotations(&self) -> u32 {
        self.login().map_or(0, LoginCheck::rotations)
    }

    /// From now on the current access token gets 401, until a client exchanges the refresh token.
    pub fn expire_access_token(&self) {
        if let Some(login) = self.login() {
            login.expire_access_token();
        }
    }

    fn login(&self) -> Option<&LoginCheck> {
        self.shared.model.login.as_ref()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.shared.close();
        // The listener wakes up for a connection, and sees that it has to end. If it cannot be woken, it is left
        // alone: waiting for it would never end.
        let is_awake = TcpStream::connect(self.address).is_ok();
        if let Some(listener) = self.listener.take().filter(|_| is_awake) {
            // A thread that panicked has ended too.
            drop(listener.join());
        }
    }
}

#[derive(Debug)]
struct Shared {
    model: Model,
    connections: Mutex<Connections>,
}

#[derive(Debug, Default)]
struct Connections {
    closed: bool,
    next: u64,
    open: BTreeMap<u64, TcpStream>,
}

impl Shared {
    fn connections<T>(&self, use_them: impl FnOnce(&mut Connections) -> T) -> T {
        use_them(
            &mut self
                .connections
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Ends every read and write on a connection, and lets no new one begin.
    fn close(&self) {
        self.connections(|connections| {
            connections.closed = true;
            for stream in connections.open.values() {
                // The client may have left already.
                stream.shutdown(Shutdown::Both).ok();
            }
        });
    }

    fn is_closed(&self) -> bool {
        self.connections(|connections| connections.closed)
    }

    /// Registers a connection, so that [`Self::close`] reaches it.
    fn admit(&self, stream: &TcpStream) -> Option<u64> {
        let copy = stream.try_clone().ok()?;
        self.connections(|connections| {
            if connections.closed || connections.open.len() >= MAX_CONNECTIONS {
                return None;
            }
            connections.next += 1;
            connections.open.insert(connections.next, copy);
            Some(connections.next)
        })
    }

    fn serve(&self, stream: &TcpStream) {
        let Some(number) = self.admit(stream) else {
            return;
        };
        // A client that leaves early is its own business.
        exchange::serve(&self.model, stream).ok();
        self.connections(|connections| connections.open.remove(&number));
    }
}

/// Accepts connections until the stub closes; then waits for the threads of all connections.
fn listen(listener: &TcpListener, shared: &Shared) {
    thread::scope(|scope| {
        for stream in listener.incoming() {
            if shared.is_closed() {
                break;
            }
            if let Ok(stream) = stream {
                start_connection(scope, shared, stream);
            }
        }
    });
}

fn start_connection<'scope>(
    scope: &'scope Scope<'scope, '_>,
    shared: &'scope Shared,
    stream: TcpStream,
) {
    // Without a thread the client sees a closed connection.
    drop(
        thread::Builder::new()
            .name("stub connection".to_owned())
            .spawn_scoped(scope, move || shared.serve(&stream)),
    );
}
