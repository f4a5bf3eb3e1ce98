// Objects by the general codec: from a graph to a payload and back. The graph is written whole, and its schemas are kept,
// before anything is stored, so that a refusal leaves the pile as it was.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Format;
using Pile.Segments;

namespace Pile;

/// <summary>Payloads of object graphs.</summary>
internal static class GraphPayloads
{
    /// <summary>A graph is written so often at most: with levels to spare every other time, and at last with keys that refer ahead.</summary>
    private const int LastAttempt = 3;

    /// <summary>Writes a graph and sends it to a target.</summary>
    internal static PileStatus Send<T, TTarget>(TypeTable table, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct
    {
        if (AheadOfTime.IsWhole)
        {
            return AheadOfTime.CanKeep(value!.GetType()) ? SendGraph<object, TTarget>(table, value, ref target) : throw AheadOfTime.NoWrite(value.GetType());
        }

        if (Plans.Typed<T>() is { } plan && plan.Analysis.IsFlat && (typeof(T).IsValueType || value!.GetType() == typeof(T)) && table.TryNumber(plan, out int number))
        {
            return SendFlat(table, plan, number, value, ref target);
        }

        return SendGraph(table, value, ref target);
    }

    /// <summary>Writes a graph whose root is of exactly the type of a plan, and sends it to a target.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PileStatus Send<T, TTarget>(TypeTable table, Plan<T> plan, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct =>
        plan.Analysis.IsFlat && table.TryNumber(plan, out int number)
            ? SendFlat(table, plan, number, value, ref target)
            : SendGraph(table, value, ref target);

    private static PileStatus SendFlat<T, TTarget>(TypeTable table, Plan<T> plan, int number, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct
    {
        GraphWriter writer = GraphWriter.Rent(table);
        try
        {
            plan.WriteFlat(writer, number, ref value);
            return target.Accept(RecordCode.Typed, new BytesPayload(writer.Written));
        }
        finally
        {
            writer.Return();
        }
    }

    private static PileStatus SendGraph<T, TTarget>(TypeTable table, T value, ref TTarget target, int attempt = 0)
        where TTarget : struct, IPayloadTarget, allows ref struct
    {
        GraphWriter writer = GraphWriter.Rent(table);
        writer.Spare = attempt % 2 * CodecLimits.NestingSpare;
        writer.MayReferAhead = attempt >= 2;
        try
        {
            Write(writer, value);
            PileStatus kept = TTarget.Stores && table.HasUnkept ? table.KeepSchemas() : PileStatus.Ok;
            return kept == PileStatus.Ok ? target.Accept(RecordCode.Typed, new BytesPayload(writer.Written)) : kept;
        }
        catch (PileRefusedException refused) when (refused.IsTooDeep && attempt < LastAttempt)
        {
            // Once more below: what stands there may find room, and what a key refers to its body, where what holds it is put off sooner. At last
            // keys may refer to what has no body yet: their hash codes may do without.
        }
        catch (PileRefusedException refused) when (refused.GraphPath.Length == 0)
        {
            throw GraphPath.Explain(value!, refused);
        }
        finally
        {
            writer.Return();
        }

        return SendGraph(table, value, ref target, attempt + 1);
    }

    /// <summary>Reads a graph; false when its root is no T.</summary>
    internal static bool TryRead<T>(TypeTable table, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        if (AheadOfTime.IsWhole)
        {
            return TryReadGraph(table, payload, plan: null, out value);
        }

        Plan<T>? plan = Plans.Typed<T>();
        if (plan is not null && plan.Analysis.IsFlat)
        {
            var reader = new GraphReader(payload, table.FlatContext);
            if (reader.TryReadRoot(plan, out value))
            {
                return true;
            }
        }

        return TryReadGraph(table, payload, plan, out value);
    }

    private static bool TryReadGraph<T>(TypeTable table, ReadOnlySpan<byte> payload, Plan<T>? plan, [MaybeNullWhen(false)] out T value, HashSet<int>? wanted = null)
    {
        // Each time: what was told as unknown may be known since.
        if (AheadOfTime.IsWhole && !AheadOfTime.CanRead(table, payload))
        {
            throw AheadOfTime.NoRead(typeof(T));
        }

        GraphContext context = GraphContext.Rent(table, payload.Length);
        context.ReadInPlace = wanted;
        try
        {
            bool isOne = TryRead(payload, context, plan, out value);
            if (!context.IsOutOfOrder)
            {
                return isOne;
            }

            // Once more, with what removed fields hold and others refer to read where it stands.
            wanted = context.Wanted;
        }
        catch (PileUnknownTypeException unknown) when (ReferenceEquals(unknown.Asked, table.Known) && (table.Known.TryName(typeof(T)) || table.Known.Find(unknown.TypeName) is not null))
        {
            // What the caller names, and what that reaches, is known from now on, or since another thread named it: once more. Not what a
            // callback of the program's met in another pile, which would be met again each time.
        }
        finally
        {
            context.Return();
        }

        return TryReadGraph(table, payload, plan, out value, wanted);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Write<T>(GraphWriter writer, T value)
    {
        // A struct that is refused has no plan of its own type: as an object it is told so.
        if (default(T) is not null && Plans.Typed<T>() is { } plan)
        {
            plan.WriteRoot(writer, value);
        }
        else
        {
            writer.WriteRoot(value!);
        }
    }

    private static bool TryRead<T>(ReadOnlySpan<byte> payload, GraphContext context, Plan<T>? plan, [MaybeNullWhen(false)] out T value)
    {
        var reader = new GraphReader(payload, context);
        if (plan is not null && reader.TryReadRoot(plan, out value))
        {
            return true;
        }

        if (reader.ReadRoot() is T read)
        {
            value = read;
            return true;
        }

        value = default;
        return false;
    }
}
