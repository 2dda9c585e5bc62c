//! A tool server for tests: a shop that needs a key, and writes down what is ordered.

use signoff_testkit::Project;

/// Its key, which agents must not see.
pub(crate) const KEY: &str = "shop-key-7f3a91c2";

const SERVER: &str = r#"
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}' ;;
    *'"tools/list"'*)
      schema='"inputSchema":{"type":"object","properties":{"item":{"type":"string"}}}'
      result='{"tools":[{"name":"look","description":"Looks","annotations":{"readOnlyHint":true},'$schema'},{"name":"order","description":"Orders",'$schema'},{"name":"burn","description":"Burns it down",'$schema'}]}' ;;
    *'"name":"look"'*) result='{"content":[{"type":"text","text":"tea, with '$SHOP_API_KEY'"}]}' ;;
    *'"name":"order"'*)
      echo ordered >> ORDERS
      while [[ -e ORDERS.wait ]]; do sleep 0.01; done
      result='{"content":[{"type":"text","text":"ordered it"}]}' ;;
    *) continue ;;
  esac
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;

/// Writes the server beside the project, and returns its configuration.
pub(crate) fn open(project: &Project) -> String {
    let script = project.outside("shop.sh");
    let orders = project.outside("orders");
    let text = SERVER.replace("ORDERS", &orders.to_string_lossy());
    std::fs::write(&script, text).expect("the test's folder is writable");
    let command = serde_json::json!(["bash", script]);
    format!("[mcp.servers.shop]\ncommand = {command}\nenv = [\"SHOP_API_KEY\"]\n")
}

/// How often something was ordered.
pub(crate) fn orders(project: &Project) -> usize {
    let text = std::fs::read_to_string(project.outside("orders")).unwrap_or_default();
    text.lines().count()
}

/// Orders take until they are let go.
pub(crate) fn hold_orders(project: &Project) {
    std::fs::write(project.outside("orders.wait"), "").expect("the test's folder is writable");
}

pub(crate) fn let_orders_go(project: &Project) {
    std::fs::remove_file(project.outside("orders.wait")).expect("they were held");
}
