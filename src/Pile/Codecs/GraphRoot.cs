// The outermost form of a payload: a plain value, a tagged array, or with references the array [bool, body] or
// [bool, body, bodies put off]. What is inside is GraphReader's.
using System.Collections.Generic;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Reads payloads as a whole.</summary>
internal static class GraphRoot
{
    /// <summary>Reads the value of a payload.</summary>
    internal static object ReadRoot(this scoped ref GraphReader reader)
    {
        int count = WireTypes.Of(reader.Wire.Peek()) == WireType.Array ? Begin(ref reader) : 0;
        object? value = reader.ReadAny();
        Finish(ref reader, count);
        End(ref reader);
        return value ?? throw new PileCorruptedException("A stored value is damaged: its root is nil.");
    }

    /// <summary>Reads a payload whose root is expected to be of a class or struct by fields, without boxing.</summary>
    /// <returns>False when the root is something else; then nothing was read.</returns>
    internal static bool TryReadRoot<T>(this scoped ref GraphReader reader, Plan<T> plan, out T value)
    {
        if (!reader.Wire.TryReadTag(out int count, out int number) || !ReferenceEquals(reader.Table.Version(number).Current, plan))
        {
            reader.Wire.Position = 0;
            value = default!;
            return false;
        }

        reader.Depth = 1;
        value = plan.ReadValue(ref reader, count - 1);
        ExpectNoBodies(ref reader);
        End(ref reader);
        return true;
    }

    /// <summary>Takes what stands before the body of a graph with references.</summary>
    /// <returns>The parts of the root, 0 when the root is the object itself.</returns>
    private static int Begin(scoped ref GraphReader reader)
    {
        int count = reader.Wire.ReadArrayHeader();
        if (count > 0 && WireTypes.Of(reader.Wire.Peek()) == WireType.Bool)
        {
            reader.Context.HasReferences = reader.Wire.ReadBool();
            reader.Depth = 1;
            return count;
        }

        reader.Wire.Position = 0;
        return 0;
    }

    private static void Finish(scoped ref GraphReader reader, int count)
    {
        if (count is not (0 or 2 or 3))
        {
            Throw.CorruptedValueOf($"a root of {count} parts", 0);
        }

        if (count == 3)
        {
            ReadDeferred(ref reader);
        }
        else
        {
            ExpectNoBodies(ref reader);
            ReadLate(ref reader);
        }
    }

    /// <summary>Fails when an object was announced whose body can't follow: it would be handed out as it is, never filled.</summary>
    private static void ExpectNoBodies(scoped ref GraphReader reader)
    {
        if (reader.Context.Deferred.Count > 0)
        {
            Throw.CorruptedValue("bodies are missing at the end", reader.Wire.Position);
        }
    }

    private static void ReadDeferred(scoped ref GraphReader reader)
    {
        GraphContext context = reader.Context;
        List<Deferred> deferred = context.Deferred;
        int count = reader.Wire.ReadArrayHeader();
        reader.Depth = 2;
        for (int index = 0; index < count && index < deferred.Count; index++)
        {
            Deferred body = deferred[index];
            body.Body = reader.Wire.Position;
            context.Late ??= context.Skipped is null ? null : new Queue<Deferred>();
            if (body.Hollow is null)
            {
                SchemaSkipper.SkipBody(ref reader, body.Version);
            }
            else
            {
                ReadBody(ref reader, body);
            }
        }

        if (count != deferred.Count)
        {
            Throw.CorruptedValueOf($"{count:N0} bodies at the end for {deferred.Count:N0} objects", reader.Wire.Position);
        }

        ReadLate(ref reader);
    }

    /// <summary>Reads what was gone over and turned out to be wanted where no more of it could be nested.</summary>
    private static void ReadLate(scoped ref GraphReader reader)
    {
        GraphContext context = reader.Context;
        reader.Depth = 2;
        int end = reader.Wire.Position;
        while (context.Late?.TryDequeue(out Deferred? late) == true)
        {
            reader.Wire.Position = late.Body;
            ReadBody(ref reader, late);
        }

        reader.Wire.Position = end;
        context.Late = null;
    }

    private static void ReadBody(scoped ref GraphReader reader, Deferred body)
    {
        if (reader.Context.Pending.Count > 0)
        {
            reader.Context.PendingStarts.Add(reader.Context.Pending.Count);
        }

        reader.Context.BeginCalls();

        reader.ReadDeferredBody(body);
    }

    private static void End(scoped ref GraphReader reader)
    {
        if (reader.Wire.Remaining > 0)
        {
            Throw.CorruptedValueOf($"{reader.Wire.Remaining:N0} bytes follow it", reader.Wire.Position);
        }

        if (!reader.Context.IsOutOfOrder && (reader.Context.Checks is not null || reader.Context.Pending.Count + reader.Context.Callbacks.Count > 0))
        {
            Completion.Run(ref reader);
        }
    }
}
