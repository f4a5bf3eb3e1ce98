#!/usr/bin/env bash
# Requests a second of samples/JsonFromLease: JSON from leases of a cache, against one static array, by wrk (Debian package wrk), in turns.
#   bench/json.sh                        10,000 values of 1 KiB, 6 rounds of 5 seconds each
#   bench/json.sh --values 4000000       more values than caches of the processor hold; 1 KiB each
#   bench/json.sh --rounds 3 --seconds 2 --json result.jsonl   adds a line to a file
# Beside the requests stands the server's processor time for each, which a machine with other work to do changes less.
# With four cores or more the server has two and wrk the others. The last line has the median of the rounds' ratios.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
values=10000
rounds=6
seconds=5
json=
while [ $# -gt 0 ]; do
  case $1 in
    --values) values=$2 ;;
    --rounds) rounds=$2 ;;
    --seconds) seconds=$2 ;;
    --json) json=$2 ;;
    *) echo "$1 is not an option: --values N, --rounds N, --seconds N, --json path" >&2; exit 2 ;;
  esac
  shift 2
done
command -v wrk > /dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 2; }
work=$(mktemp -d)
cat > "$work/ids.lua" <<'LUA'
local kind, values
function init(arguments)
  kind, values = arguments[1], tonumber(arguments[2])
  math.randomseed(7)
end
function request()
  return wrk.format("GET", kind .. math.random(0, values - 1))
end
LUA
server=() client=()
if [ "$(nproc)" -ge 4 ]; then server=(taskset -c 0,1); client=(taskset -c "2-$(($(nproc) - 1))"); fi
dotnet build -c Release -v q samples/JsonFromLease > "$work/build" || { cat "$work/build" >&2; exit 1; }
"${server[@]}" dotnet samples/JsonFromLease/bin/Release/net10.0/JsonFromLease.dll --values "$values" --urls http://127.0.0.1:0 > "$work/said" 2>&1 &
pid=$!
trap 'kill $pid 2> /dev/null; rm -rf "$work"' EXIT
until grep -q 'Listening on' "$work/said"; do
  kill -0 $pid 2> /dev/null || { cat "$work/said" >&2; exit 1; }
  sleep 0.2
done
sed 's/ Listening on.*//' "$work/said" | tail -1
url=$(sed -n 's/.*Listening on //p' "$work/said")
ticks() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
run() { # kind, seconds: requests a second and microseconds of the server for each; other answers than 200 end it
  local before=$(ticks)
  "${client[@]}" wrk -t 2 -c 64 -d "${2}s" -s "$work/ids.lua" "$url" -- "$1" "$values" > "$work/wrk"
  if grep -q 'Non-2xx\|Socket errors' "$work/wrk"; then cat "$work/wrk" >&2; exit 1; fi
  awk -v ticks="$(($(ticks) - before))" -v hz="$(getconf CLK_TCK)" \
    '/ requests in / { all = $1 } /^Requests\/sec:/ { print $2, ticks / hz / all * 1000000 }' "$work/wrk"
}
run /array/ 3 > /dev/null
run /products/ 3 > /dev/null
for ((round = 1; round <= rounds; round++)); do
  # In turns, each first every other time.
  if ((round % 2)); then kinds="array products"; else kinds="products array"; fi
  for kind in $kinds; do run "/$kind/" "$seconds" >> "$work/$kind"; done
  echo "round $round: array $(tail -1 "$work/array"), lease $(tail -1 "$work/products") requests/s, us"
done
median() { sort -n | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }
column() { awk -v n="$2" '{ print $n }' "$work/$1" | median; }
ratios() { paste "$work/array" "$work/products" | awk "$1" | median; }
ratio=$(ratios '{ printf "%.3f\n", $3 / $1 }')
cpu=$(ratios '{ printf "%.3f\n", $4 / $2 }')
[ -z "$json" ] || printf '{ "Command": "bench/json.sh --values %s --rounds %s --seconds %s", "Cores": %s, "Values": %s, "ArrayRequestsPerSecond": %s, "LeaseRequestsPerSecond": %s, "Ratio": %s, "ArrayMicroseconds": %s, "LeaseMicroseconds": %s, "TimeRatio": %s }\n' \
  "$values" "$rounds" "$seconds" "$(nproc)" "$values" "$(column array 1)" "$(column products 1)" "$ratio" "$(column array 2)" "$(column products 2)" "$cpu" >> "$json"
echo "array $(column array 1), lease $(column products 1) requests/s: ratio $ratio; array $(column array 2), lease $(column products 2) us of the server: ratio $cpu"
