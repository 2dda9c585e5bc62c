add() { echo "$1$2"; }
twice() { echo "$1"; }
