. ./calc.sh
sum=$(add 2 3)
[ "$sum" = 5 ] || { echo "add 2 3 gave $sum" >&2; exit 1; }
