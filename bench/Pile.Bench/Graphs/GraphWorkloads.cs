using System.Collections.Generic;
using Pile.Bench.Workloads;

namespace Pile.Bench.Graphs;

/// <summary>The rows of the codec's goals, in their order.</summary>
internal static class GraphWorkloads
{
    internal static IReadOnlyList<WorkloadEntry> All { get; } =
    [
        new("person", _ => new CodecOverJson<Person, PersonCalls>("Person", Made.Person, GraphJson.Default.Person, write: (4, 8), read: (6, 9))),
        new("invoice", _ => new CodecOverJson<Invoice, InvoiceCalls>("Invoice", Made.Invoice, GraphJson.Default.Invoice, write: (3, 6), read: (5, 9))),
        new("person-messagepack", _ => new CodecOverMessagePack()),
        new("whole-pile", _ => new PileOverCodec()),
        new("person-bytes", settings => new PersonBytes(settings)),
        new("generated", _ => new GeneratedOverEmitted()),
        new("long-list", settings => new LongList(settings)),
        new("ints", _ => new IntArrays()),
        new("allocation", _ => new GraphAllocation()),
        new("first-put", _ => new FirstPut()),
        new("export", settings => new ExportOverCodec(settings)),
    ];
}
