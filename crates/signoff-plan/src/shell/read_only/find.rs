//! `find`: its expression may run, delete and write.

use super::argument::CheckedArgument;
use super::refusal::Refusal;

/// Parts of an expression without a value.
const ALONE: &str = "-H -L -P -E -X -x -s -depth -d -mount -xdev -follow -daystart -noleaf -warn -nowarn \
    -ignore_readdir_race -noignore_readdir_race -empty -readable -writable -executable -nouser -nogroup -true -false \
    -print -print0 -ls -prune -quit -a -and -o -or -not ! ( ) , -help --help -version --version";

/// Parts of an expression with a value.
const VALUED: &str = "-maxdepth -mindepth -regextype -name -iname -path -ipath -wholename -iwholename -regex -iregex \
    -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -used -newer -anewer -cnewer \
    -samefile -perm -user -group -uid -gid -links -inum -fstype -flags -printf -Bmin -Btime";

/// Whether the arguments of `find` only look.
pub(super) fn judge(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let Some(text) = argument.text else {
            if argument.may_be_option() || argument.many {
                pattern(argument)?;
            }
            continue;
        };
        if contains(ALONE, text) || !is_expression(text) {
            continue;
        }
        let newer = text.len() == 8 && text.starts_with("-newer");
        if !newer && !contains(VALUED, text) {
            return Err(Refusal::option(text));
        }
        match rest.next() {
            Some(value) if value.many => pattern(value)?,
            _ => {}
        }
    }
    Ok(())
}

/// A pattern outside of quotes may become any name that it matches, but no part of an expression has a
/// dot or a slash in its name.
fn pattern(argument: &CheckedArgument<'_>) -> Result<(), Refusal> {
    let filled_in = argument.raw.contains(['$', '`', '{', '(', '"', '\'', '\\']);
    let named = argument.raw.contains(['.', '/']);
    let path = !argument.may_be_option();
    if !filled_in && (named || path) {
        Ok(())
    } else {
        Err(Refusal::Unforeseeable(argument.raw.to_owned()))
    }
}

fn is_expression(text: &str) -> bool {
    (text.len() > 1 && text.starts_with('-')) || text.starts_with('!')
}

fn contains(list: &str, text: &str) -> bool {
    list.split_ascii_whitespace().any(|word| word == text)
}
