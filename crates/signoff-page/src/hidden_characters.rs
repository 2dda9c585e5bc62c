//! Whoever signs on a page sees every character: what hides, or turns a text around, is shown as its number.

use signoff_plan::visible;

/// Elements whose text is not for readers: scripts, style, and what a form sends back as it is.
const AS_IT_IS: [&str; 3] = ["<textarea", "<script", "<style"];

/// Escapes hidden characters in the text between the tags of a page.
pub fn escape_hidden(html: &str) -> String {
    let mut shown = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        shown.push_str(&visible::escape_text(text));
        let (tag, after) = tag.split_at(end_of_tag(tag));
        shown.push_str(tag);
        rest = after;
    }
    shown.push_str(&visible::escape_text(rest));
    shown
}

/// Where a tag ends: behind its element, if that is left as it is. Values of attributes have no `>` of their own.
fn end_of_tag(tag: &str) -> usize {
    let end = |text: &str| text.find('>').map_or(text.len(), |at| at + 1);
    let Some(name) = AS_IT_IS.into_iter().find(|name| tag.starts_with(name)) else {
        return end(tag);
    };
    let closing = name.replacen('<', "</", 1);
    let Some((inside, rest)) = tag.split_once(&closing) else {
        return tag.len();
    };
    inside.len() + closing.len() + end(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_see_what_hides_and_forms_send_what_was_there() {
        let check = |html: &str, expected: &str| assert_eq!(escape_hidden(html), expected);
        check(
            "<p title=\"\u{200b}\">a\u{202e}b ✓ 漢</p>",
            "<p title=\"\u{200b}\">a\\u{202e}b ✓ 漢</p>",
        );
        let form = "<textarea name=\"x\">a\u{202e}b</textarea><script>\"\u{e0041}\"</script>";
        check(form, form);
        check(
            "<textarea>\u{202e}</textarea>\u{202e}",
            "<textarea>\u{202e}</textarea>\\u{202e}",
        );
        check("\u{202e} <b", "\\u{202e} <b");
        check("<textarea>\u{202e}", "<textarea>\u{202e}");
    }
}
