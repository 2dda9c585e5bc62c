. ./calc.sh
double=$(twice 4)
[ "$double" = 8 ] || { echo "twice 4 gave $double" >&2; exit 1; }
