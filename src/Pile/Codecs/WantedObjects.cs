// Reads objects that were gone over, because today's types have no place for them where they stand, and that something else refers to. They
// stand anywhere before the reader, and may lead to each other: the reader goes there and back.
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Objects that were gone over and are wanted.</summary>
internal static class WantedObjects
{
    /// <summary>Reads one, and before it all others that it leads to, from the first on: one may refer to the one before it, over more of them than
    /// may be nested.</summary>
    /// <param name="reader">The reader, which stands behind the reference afterwards as before.</param>
    /// <param name="target">Where it begins.</param>
    /// <param name="offset">Where the reference stands.</param>
    internal static object Read(ref GraphReader reader, int target, int offset)
    {
        if (reader.Wanted == 0 && reader.Context.Skipped is { } skipped)
        {
            foreach (int earlier in SkippedChain.Before(reader.Wire, target, reader.Context, skipped))
            {
                _ = reader.Context.Find(earlier) ?? ReadOne(ref reader, earlier, offset);
            }
        }

        return reader.Context.Find(target) ?? ReadOne(ref reader, target, offset);
    }

    /// <summary>Reads one.</summary>
    internal static object ReadOne(ref GraphReader reader, int target, int offset)
    {
        if (!reader.Context.TryTakeSkipped(target, out SkippedObject? found))
        {
            if (reader.Context.FindInMaking(target) is { } empty)
            {
                return empty;
            }

            Throw.CorruptedValueOf($"a reference to byte {target}, where no object began before it", offset);
            return null!;
        }

        (int back, int depth) = (reader.Wire.Position, reader.Depth);
        reader.Wire.Position = target;
        object value = found.Deferred is { } deferred ? ReadDeferred(ref reader, deferred, target) : ReadInPlace(ref reader, found, target);
        (reader.Wire.Position, reader.Depth) = (back, depth);
        return value;
    }

    private static object ReadDeferred(ref GraphReader reader, Deferred deferred, int target)
    {
        object value = reader.MakeHollow(deferred);
        reader.Register(target, value);
        if (deferred.Body != 0 && reader.Context.Late is { } late)
        {
            // One may lead to the next, over more of them than may be nested.
            late.Enqueue(deferred);
        }
        else if (deferred.Body != 0)
        {
            reader.Wire.Position = deferred.Body;
            reader.ReadDeferredBody(deferred);
        }

        return value;
    }

    private static object ReadInPlace(ref GraphReader reader, SkippedObject found, int target)
    {
        object value;
        if (reader.Wanted >= CodecLimits.SkippedNestingMax && found.Version is { Plan: { CanDefer: true, Kind: PlanKind.Fields or PlanKind.Sequence or PlanKind.Map } plan } version)
        {
            // One may lead to the next here too. Such plans need nothing of the bytes to begin.
            value = plan.CreateHollow(ref reader);
            reader.Register(target, value);
            reader.Context.ReadLate(version, target, plan, value, found.HasTag);
            return value;
        }

        // It stands no deeper than any other object, however deep the reference to it.
        reader.Depth = reader.Wanted < CodecLimits.SkippedNestingMax ? 0 : reader.Depth;
        reader.Wanted++;
        value = found.Version is null || found.HasTag ? reader.ReadAny()! : reader.ReadExact(found.Version.Plan)!;
        reader.Wanted--;
        return value;
    }
}
