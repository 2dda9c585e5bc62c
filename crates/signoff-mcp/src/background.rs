//! Work that takes files and locks, beside the thread that reads and answers.

use crate::errors::ToolError;

/// Does what takes files and locks where it holds up no other call.
pub(crate) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(ToolError::new(
            "internal",
            "the server failed while it did this; its log on stderr says more",
            &["`plan_list` and `plan_status` show what was done"],
        )),
    }
}
