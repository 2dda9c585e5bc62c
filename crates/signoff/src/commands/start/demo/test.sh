# Tests of slugify.sh.
status=0
check() {
  got=$(sh slugify.sh "$1") || status=1
  [ "$got" = "$2" ] || { echo "slugify '$1': expected '$2', got '$got'" >&2; status=1; }
}
check 'Hello World' 'hello-world'
check 'One' 'one'
exit $status
