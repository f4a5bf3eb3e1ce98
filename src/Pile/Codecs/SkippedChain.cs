// What an object that was gone over leads to: other such objects, by references, each of which may refer to the next. Found in the bytes, so
// that they can be read from the first on instead of each inside the one that refers to it. Reads nothing itself, and passes over what its reader
// passes over: the fields that today's types have no place for may lead to objects whose types nobody knows any more.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Looks for objects that were gone over.</summary>
internal sealed class SkippedChain
{
    private readonly GraphContext _context;
    private readonly Dictionary<int, SkippedObject> _skipped;
    private readonly List<int> _found = [];
    private readonly HashSet<int> _seen;
    private readonly Stack<int> _open;

    private SkippedChain(GraphContext context, Dictionary<int, SkippedObject> skipped, int target)
    {
        (_context, _skipped) = (context, skipped);
        _seen = [target];
        _open = new([target]);
    }

    /// <summary>The objects before one that it leads to, were gone over and are not read yet, in rising order.</summary>
    /// <param name="wire">The payload.</param>
    /// <param name="target">Where the object begins.</param>
    /// <param name="context">What was read.</param>
    /// <param name="skipped">What was gone over.</param>
    internal static List<int> Before(WireReader wire, int target, GraphContext context, Dictionary<int, SkippedObject> skipped)
    {
        var chain = new SkippedChain(context, skipped, target);
        while (chain._open.TryPop(out int offset))
        {
            wire.Position = offset;
            if (WireTypes.Of(wire.Peek()) == WireType.Array && skipped.GetValueOrDefault(offset)?.Version is { } version)
            {
                int count = wire.ReadArrayHeader();
                if (skipped[offset].HasTag)
                {
                    wire.Skip();
                    count--;
                }

                chain.LookAtContent(ref wire, version, count, offset);
            }
        }

        chain._found.Sort();
        return chain._found;
    }

    /// <summary>Nests no deeper than the bytes do, which were gone over before.</summary>
    private void LookAtContent(ref WireReader wire, TypeVersion version, int count, int offset)
    {
        for (int index = 0; index < count; index++)
        {
            if (version.Plan.Drops(index))
            {
                wire.Skip();
            }
            else
            {
                LookAtPlace(ref wire, SchemaLayout.FieldAt(version.Schema, index, count), offset);
            }
        }
    }

    private void LookAtPlace(ref WireReader wire, SchemaField field, int offset)
    {
        WireType type = WireTypes.Of(wire.Peek());
        if (type == WireType.Extension && wire.PeekExtension() == WireCode.Reference)
        {
            // One that begins further on is a part of this one, and read with it.
            if (ReadReference(ref wire) is var other && other < offset && _skipped.ContainsKey(other) && _context.Find(other) is null && _seen.Add(other))
            {
                _found.Add(other);
                _open.Push(other);
            }

            return;
        }

        switch (field.Kind & ~WireKind.Nullable)
        {
            case WireKind.Exact or WireKind.Inline when type == WireType.Array:
                LookAtContent(ref wire, _context.Table.Version(field.Nested), wire.ReadArrayHeader(), offset);
                break;
            case WireKind.Any or WireKind.Exact or WireKind.Text when type == WireType.Array:
                if (wire.ReadArrayHeader() is > 0 and int count)
                {
                    LookAtContent(ref wire, _context.Table.Version(wire.ReadInt32()), count - 1, offset);
                }

                break;
            default:
                wire.Skip();
                break;
        }
    }

    private static int ReadReference(ref WireReader wire)
    {
        int target = 0;
        foreach (byte part in wire.ReadExtension(WireCode.Reference, -1))
        {
            target = (target << 8) | part;
        }

        return target;
    }
}
