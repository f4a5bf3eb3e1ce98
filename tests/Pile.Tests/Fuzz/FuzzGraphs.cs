using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Pile.Codecs;
using Pile.Format;
using Pile.Segments;
using Pile.Tests.Codecs;
using Pile.Tests.Fuzz.Graphs;

namespace Pile.Tests.Fuzz;

/// <summary>Stores random graphs of a family of types and reads them as they were and as another version of the family, which has lost and gained fields: nothing that the
/// reader has a place for may be missing, be there twice, or be told damaged.</summary>
internal sealed class FuzzGraphs : FuzzTarget
{
    private static readonly PlanMode[] _modes = [PlanMode.Reflection, PlanMode.Emitted, PlanMode.Auto];

    // Kept, because what a program does at its first use of a type takes most of the time of a small graph.
    private readonly Dictionary<(Type Family, PlanMode Mode), GraphStore> _stores = [];
    private readonly Dictionary<(GraphStore Before, Type Family, PlanMode Mode), (GraphStore Store, int Schemas)> _later = [];

    /// <summary>Written by either family.</summary>
    internal override int Origins => 2;

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        Random choices = input.Choices();
        (Type own, Type other) = input.Origin == 0 ? (typeof(Then), typeof(Now)) : (typeof(Now), typeof(Then));
        var maker = new GraphMaker(choices.Next(), own);
        object graph = maker.Make();
        PlanMode mode = ModeBy(choices);
        if (!_stores.TryGetValue((own, mode), out GraphStore? store))
        {
            _stores.Add((own, mode), store = new GraphStore(null, mode));
        }

        if (!TryPut(store, graph, shapes, out byte[] bytes))
        {
            return;
        }

        FamilyLines stored = Of(graph, isCrossed: false);
        if (TryGet(Knowing(store, own, ModeBy(choices)), bytes, maker, shapes, "the same", out object? same))
        {
            Compare("read by the same types", stored, Of(same!, isCrossed: false));
        }

        FamilyLines crossed = Of(graph, isCrossed: true);
        GraphStore others = Knowing(store, other, ModeBy(choices));
        if (TryGet(others, bytes, maker, shapes, "the others", out object? got))
        {
            Compare("read by the other types", crossed, FamilyLines.Of(got!, isCrossed: true, isRead: true));
            if (TryPut(others, got!, shapes, out byte[] again) && TryGet(Knowing(others, own, ModeBy(choices)), again, maker, shapes, "back", out object? back))
            {
                Compare("put by the other types and read by the same", crossed, FamilyLines.Of(back!, isCrossed: true, isRead: true));
            }
        }

        Describe(Knowing(store, typeof(object), mode), bytes);
    }

    private static PlanMode ModeBy(Random choices) => _modes[choices.Next(_modes.Length)];

    /// <summary>A later program over what one has stored, with one family alone.</summary>
    private GraphStore Knowing(GraphStore before, Type family, PlanMode mode)
    {
        if (_later.TryGetValue((before, family, mode), out (GraphStore Store, int Schemas) known) && known.Schemas == before.Schemas.Count)
        {
            return known.Store;
        }

        var store = new GraphStore(before, mode);
        foreach (Type type in family.GetNestedTypes(BindingFlags.NonPublic))
        {
            store.Table.Known.Add(type);
        }

        _later[(before, family, mode)] = (store, before.Schemas.Count);
        return store;
    }

    private static FamilyLines Of(object graph, bool isCrossed)
    {
        var lines = FamilyLines.Of(graph, isCrossed);
        return lines.Wrong.Count == 0 ? lines : throw new InvalidOperationException($"The graph itself is wrong: {lines.Wrong[0]}");
    }

    private static void Compare(string what, FamilyLines stored, FamilyLines got)
    {
        string? difference = got.Wrong.FirstOrDefault() ?? stored.Difference(got);
        if (difference is not null)
        {
            throw new FuzzFoundException($"{what}: {difference}");
        }
    }

    /// <summary>As a pile puts it, attempts and all. What is refused is so by a typed error.</summary>
    private static bool TryPut(GraphStore store, object graph, ICollection<string> shapes, out byte[] bytes)
    {
        var taken = new Taken();
        try
        {
            _ = GraphPayloads.Send(store.Table, graph, ref taken);
            bytes = taken.Bytes!;
            return true;
        }
        catch (PileRefusedException refused)
        {
            shapes.Add(FuzzShape.Of(refused));
            bytes = [];
            return false;
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"put: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }

    private static bool TryGet(GraphStore store, byte[] bytes, GraphMaker maker, ICollection<string> shapes, string who, out object? got)
    {
        try
        {
            got = store.Read<object>(bytes);
            return true;
        }
        catch (PileTypeMismatchException failure) when (maker.HasFrozenComparers && failure.Message.Contains("Frozen", StringComparison.Ordinal))
        {
            shapes.Add(FuzzShape.Of(failure));
            got = null;
            return false;
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"read by {who}: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }

    private static void Describe(GraphStore store, byte[] bytes)
    {
        try
        {
            _ = DescriptionJson.Write(DescriptionReader.Read(store.Table, bytes));
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"describe: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }

    private struct Taken : IPayloadTarget
    {
        internal byte[]? Bytes { get; private set; }

        public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
            where TPayload : struct, IPayload, allows ref struct
        {
            byte[] bytes = new byte[payload.Bytes];
            payload.WriteTo(bytes);
            Bytes = bytes;
            return PileStatus.Ok;
        }
    }
}
