//! What is asked and shown on the person's terminal.

use std::fs::File;

/// The controlling terminal, wherever input and output go.
pub(super) fn terminal() -> std::io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

/// Text that others wrote, without what a terminal would act on.
pub(super) fn printable(text: &str) -> String {
    signoff_plan::visible::escape_text(text).into_owned()
}
