#!/usr/bin/env bash
# The cache server against bare Kestrel and Redis, the server on core 0 and its client on core 1 (Debian packages nghttp2-client and redis-server).
#   bench/server.sh                        1 M entries of 100 bytes, 20 seconds of warm-up, 5 rounds in turn: about ten minutes; writes bench/results/
#   bench/server.sh --only server-unary    one part: server-unary, server-batches, server-allocated, server-restart (with ten times the entries), client-gets
#   bench/server.sh --quick                a smoke of all of it: its figures mean nothing
# Other options are those of `Pile.Bench server`. What runs on the two cores meanwhile is in the figures: run it at a higher priority, or alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for project in src/Pile.Server bench/Pile.ServerBench bench/Pile.Bench; do
  said=$(dotnet build -c Release -v q "$project") || { echo "$said" >&2; exit 1; }
done
exec dotnet bench/Pile.Bench/bin/Release/net10.0/Pile.Bench.dll server "$@"
