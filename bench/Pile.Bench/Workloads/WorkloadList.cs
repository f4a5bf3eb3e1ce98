using System.Collections.Generic;

namespace Pile.Bench.Workloads;

/// <summary>Every workload, in the order of the table. A new one is a file and a line here.</summary>
internal static class WorkloadList
{
    internal static IReadOnlyList<WorkloadEntry> All { get; } =
    [
        new("put-32", settings => new PutRecycled(settings, 32)),
        new("put-100", settings => new PutRecycled(settings, 100)),
        new("put-512", settings => new PutRecycled(settings, 512)),
        new("lease", settings => new LeaseRandom(settings)),
        new("lease-hot", settings => new LeaseHot(settings)),
        new("lease-many", settings => new LeaseManyAll(settings)),
        new("put-after-deletes", settings => new PutAfterDeletes(settings)),
        new("first-pass", settings => new FirstPass(settings)),
        new("scale-reads", settings => new ScaleReads(settings)),
        new("scale-writes", settings => new ScaleWrites(settings)),
        new("update-larger", settings => new UpdateLarger(settings)),
        new("enumerate", settings => new EnumerateMany(settings)),
        new("two-piles", settings => new TwoPiles(settings)),
    ];
}
