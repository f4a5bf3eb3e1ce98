#!/usr/bin/env bash
# Runs what docs/STATUS.md's tables are made of, and prints them again.
#   bench/status.sh                    10 M objects: hours, and 16 GB of memory
#   bench/status.sh --objects 1000000  all of it smaller, for machines with less memory
#   bench/status.sh --quick            a smoke of all of it: its figures mean nothing
#   bench/status.sh --only soak        one part: table, codec, mapped, cache, server, compare, soak, tests; the others as they were found before
# Results go to artifacts/status, or to the folder that STATUS_RESULTS names; every figure is read from there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${STATUS_RESULTS:-artifacts/status}
objects=10000000
quick=
parts="table codec mapped cache server compare soak tests"
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=--quick; objects=100000 ;;
    --objects) objects=$2; shift ;;
    --only) parts=$2; shift ;;
    *) echo "$1 is not an option: --quick, --objects N, --only part" >&2; exit 2 ;;
  esac
  shift
done
size=(--objects "$objects")
[ -z "$quick" ] || size=(--quick)
mkdir -p "$out"

run() { # project, arguments...
  local project=$1
  shift
  echo "== $project $*" >&2
  dotnet run -c Release --no-build --project "bench/$project" -- "$@"
}

run_compare() { run Pile.Compare "${size[@]}" --json "$out/compare.json"; }

run_table() { run Pile.Bench table "${size[@]}" --json "$out/table.json"; }

run_codec() { run Pile.Bench codec "${size[@]}" --json "$out/codec.json"; }

run_mapped() { run Pile.Bench mapped "${size[@]}" --json "$out/mapped.json"; }

run_cache() { run Pile.Bench cache "${size[@]}" --json "$out/cache.json"; }

run_server() { bench/server.sh ${quick:+--quick} --json "$out/server.json"; }

run_soak() {
  local scenario scale
  scale=$(awk "BEGIN { print $objects / 10000000 }")
  for scenario in churn shrink gen2 large strings empty; do
    run Pile.Soak "$scenario" --scale "$scale" --json ${quick:+--seconds 2} | tee "$out/soak-$scenario.jsonl"
  done
}

read_tests() { # part | figure | must | project | filter
  local part figure must project filter log passed failed
  while IFS='|' read -r part figure must project filter; do
    echo "== $filter" >&2
    log=$(dotnet test "tests/$project" -c Release --no-build --filter "$filter" 2>&1 </dev/null) || true
    passed=$(grep -oE 'Passed: +[0-9]+' <<<"$log" | grep -oE '[0-9]+' || echo 0)
    failed=$(grep -oE 'Failed: +[0-9]+' <<<"$log" | grep -oE '[0-9]+' || echo 0)
    printf '{"part":"%s","figure":"%s","must":"%s","project":"%s","filter":"%s","passed":%d,"failed":%d}\n' "$part" "$figure" "$must" "$project" "$filter" "$passed" "$failed"
  done
}

run_tests() {
  read_tests <<'T' | tee "$out/tests.jsonl"
The heap|allocation per Put, lease, copy, Update, Delete, enumeration step|0 B|Pile.Tests|FullyQualifiedName~.AllocationTests
The heap|memory over the limit, any churn, 2 threads|0 bytes|Pile.Tests|FullyQualifiedName~MemoryStaysWithinTheLimitUnderAnyChurnOfTwoThreads
The heap|16 threads at half the limit, 320,000 Puts refused as Full|0|Pile.Tests|FullyQualifiedName~SixteenThreadsAtHalfTheLimitAreNeverRefused
The heap|a million stale and forged pointers: objects of others that were read|0|Pile.Tests|FullyQualifiedName~AMillionStaleAndForgedPointersNeverReadAnotherObject
Attacks on piles in files|200 kills at named points and at any time: lost, invented, risen, half, not opened|0|Pile.Tests|FullyQualifiedName~KillsAtEachPointAndAtAnyTimeLoseNothing
Attacks on piles in files|100 cycles of open, use, kill, reopen of one directory|0 lost|Pile.Tests|FullyQualifiedName~AHundredCyclesOfOneDirectoryLoseNothing
Attacks on piles in files|20,000 images of power cuts, and every cut of a small run|0 lost|Pile.Tests|FullyQualifiedName~Durability.Cuts
Attacks on piles in files|2,000 damages of one bit, byte, sector or page: wrong values|0|Pile.Tests|FullyQualifiedName~TwoThousandDamagesNeverGiveAWrongValue
Attacks on piles in files|full devices, failing calls, refused files, contradictions|typed error, nothing changed|Pile.Tests|FullyQualifiedName~Durability.Hostile
Attacks on piles in files|the protocol, explored at a small size, and its broken rules|each rule's break is found|Pile.Tests|FullyQualifiedName~Durability.Model
Attacks on piles in files|planted faults|each is noticed|Pile.Tests|FullyQualifiedName~FaultTests
The cache server|allocated for a unary Get, and for an item of a batch|400 B; 4 B|Pile.Server.Tests|FullyQualifiedName~Server.Tests.AllocationTests
The client|allocated for a Get among others, and for one alone|8 B; 200 B|Pile.Client.Tests|FullyQualifiedName~Client.Tests.AllocationTests
The tool, copies and hosts|each verb on each damaged pile, in use, foreign, closed output, 40 columns, full device|documented code, nothing changed|Pile.Tool.Tests|FullyQualifiedName~Pile.Tool.Tests
The tool, copies and hosts|a copy under load opens and equals a moment that existed|0 wrong|Pile.Tests|FullyQualifiedName~CopyTests
The tool, copies and hosts|killed, cut off its power, and there again: the demonstration|all acknowledged present and equal|Pile.Programs.Tests|FullyQualifiedName~WarmRestartTests
T
}

dotnet build Pile.sln -c Release -v quiet -nologo
for part in $parts; do
  "run_$part"
done
run Pile.Bench status "$out"
