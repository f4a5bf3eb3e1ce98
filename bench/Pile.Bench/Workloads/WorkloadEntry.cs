using System;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>A workload by name.</summary>
internal sealed record WorkloadEntry(string Name, Func<BenchSettings, IWorkload> Make);
