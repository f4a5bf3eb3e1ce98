using System;
using System.Collections.Generic;
using Pile.Codecs;

namespace Pile.Tests.Codecs;

/// <summary>A codec without a pile: what a pile that was opened again would have is the list of schemas.</summary>
internal sealed class GraphStore : ISchemaStore
{
    internal GraphStore(GraphStore? before = null, PlanMode mode = PlanMode.Emitted)
    {
        Table = new TypeTable(this, mode);
        foreach (byte[] schema in before?.Schemas ?? [])
        {
            Schemas.Add(schema);
            Table.Load(schema);
        }
    }

    internal TypeTable Table { get; }

    internal List<byte[]> Schemas { get; } = [];

    public PileStatus Issue(int lastNumber) => PileStatus.Ok;

    public PileStatus Keep(ReadOnlySpan<byte> record)
    {
        Schemas.Add(record.ToArray());
        return PileStatus.Ok;
    }

    internal byte[] Write(object value)
    {
        GraphWriter writer = GraphWriter.Rent(Table);
        try
        {
            writer.WriteRoot(value);
            Table.KeepSchemas();
            return writer.Written.ToArray();
        }
        finally
        {
            writer.Return();
        }
    }

    internal T Read<T>(byte[] payload) => GraphPayloads.TryRead(Table, payload, out T? value) ? value! : throw new PileTypeMismatchException("another type");
}
