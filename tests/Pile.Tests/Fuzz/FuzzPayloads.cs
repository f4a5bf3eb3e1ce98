using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Pile.Tests.Codecs;
using Pile.Tests.Codecs.Cases;

namespace Pile.Tests.Fuzz;

/// <summary>Gives changed payloads, and changed schemas of them, to the general codec.</summary>
internal sealed class FuzzPayloads : FuzzTarget
{
    private const int BytesMax = 6000;
    private const int AllocatedPerByte = 64;
    private const int AllocatedMore = 1 << 20;
    private readonly List<(byte[] Payload, byte[][] Schemas)> _values = [];
    private readonly List<byte[]> _parts = [];

    internal FuzzPayloads()
    {
        foreach (string name in Corpus.Names)
        {
            var store = new GraphStore();
            byte[] payload = store.Write(Corpus.Make(name));
            if (payload.Length <= BytesMax)
            {
                _ = store.Read<object>(payload);
                _values.Add((payload, [.. store.Schemas]));
                _parts.Add(payload);
                _parts.AddRange(store.Schemas);
            }
        }
    }

    internal override int Origins => _values.Count;

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        (byte[] payload, byte[][] schemas) = _values[input.Origin];
        schemas = [.. schemas];
        foreach (int seed in input.Seeds)
        {
            var random = new Random(seed);
            int which = random.Next((schemas.Length * 2) + 2);
            if (which < schemas.Length)
            {
                schemas[which] = FuzzBytes.Change(schemas[which], random, _parts);
            }
            else
            {
                payload = FuzzBytes.Change(payload, random, _parts);
            }
        }

        long bytes = payload.Length + schemas.Sum(static schema => (long)schema.Length);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Read(payload, schemas, input.Choices(), shapes);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        if (FuzzRun.IsLong && allocated > AllocatedMore + (bytes * AllocatedPerByte))
        {
            // Once more: what is loaded at the first use is no part of it.
            before = GC.GetAllocatedBytesForCurrentThread();
            Read(payload, schemas, input.Choices(), shapes);
            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            if (allocated > AllocatedMore + (bytes * AllocatedPerByte))
            {
                throw new FuzzFoundException($"{allocated:N0} bytes were allocated for {bytes:N0}");
            }
        }
    }

    private static void Read(byte[] payload, byte[][] schemas, Random choices, ICollection<string> shapes)
    {
        var store = new GraphStore(null, (PlanMode)choices.Next(Enum.GetValues<PlanMode>().Length));
        foreach (byte[] schema in schemas)
        {
            _ = IsDone("schema", () => store.Table.Load(schema), shapes);
        }

        object? value = null;
        if (IsDone("read", () => value = store.Read<object>(payload), shapes))
        {
            _ = IsDone("write", () => store.Write(value!), shapes);
        }

        _ = IsDone("describe", () => DescriptionReader.Read(store.Table, payload), shapes);
    }

    private static bool IsDone(string name, Action action, ICollection<string> shapes)
    {
        try
        {
            action();
            return true;
        }
        catch (PileException failure)
        {
            shapes.Add($"{name}: {FuzzShape.Of(failure)}");
            return false;
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"{name}: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }
}
