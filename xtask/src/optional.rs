//! What can be tested only where other programs are.

/// What was prepared for a test. Why it cannot run is reported where it is not overlooked; CI does not accept it.
pub(crate) fn optional<T>(what: &str, prepared: Result<T, String>) -> Result<Option<T>, String> {
    match prepared {
        Ok(prepared) => Ok(Some(prepared)),
        Err(reason) if std::env::var_os("CI").is_some() => {
            Err(format!("{what} cannot be tested: {reason}"))
        }
        Err(reason) => {
            println!("── NOT TESTED: {what}: {reason}");
            Ok(None)
        }
    }
}
