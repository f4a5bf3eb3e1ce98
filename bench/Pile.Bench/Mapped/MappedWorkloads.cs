using System.Collections.Generic;
using Pile.Bench.Workloads;
using Pile.Cache;

namespace Pile.Bench.Mapped;

/// <summary>The rows of the goals of piles in files, in their order.</summary>
internal static class MappedWorkloads
{
    internal static IReadOnlyList<WorkloadEntry> All { get; } =
    [
        new("open", settings => new Opens(settings)),
        new("recovery", settings => new Recoveries(settings)),
        new("verify", settings => new Verifies(settings)),
        new("cold", settings => new ColdReads(settings)),
        new("copy", settings => new CopyOverCp(settings)),
        new("info", settings => new Infos(settings)),
        new("stop", settings => new Stops(settings)),
        new("stores-tmpfs", settings => new Stores(settings, isOnDisk: false)),
        new("stores-disk", settings => new Stores(settings, isOnDisk: true)),
        new("over-memory", settings => new FilesOverMemory(settings)),
        new("commit-16", settings => new CommitsOverRedis(settings)),
        new("commit-1", settings => new CommitsOverLmdb(settings)),
        new("flushed", settings => new FlushedBytes(settings)),
        new("person-disk", settings => new PersonOnDisk(settings)),
        new("cache-reopen", settings => new CacheReopens(settings, PileTableKind.Speculative)),
        new("durable-reopen", settings => new CacheReopens(settings, PileTableKind.Durable)),
        new("durable-reads", settings => new DurableReads(settings)),
        new("cache-full", settings => new FullCache(settings)),
        new("limit", settings => new UnderLimit(settings)),
    ];
}
