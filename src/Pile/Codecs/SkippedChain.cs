// What an object that was gone over leads to: other such objects, by references, each of which may refer to the next. Found in the bytes, so
// that they can be read from the first on instead of each inside the one that refers to it. Reads nothing itself.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Looks for objects that were gone over.</summary>
internal static class SkippedChain
{
    /// <summary>The objects before one that it leads to, were gone over and are not read yet, in rising order.</summary>
    /// <param name="wire">The payload.</param>
    /// <param name="target">Where the object begins.</param>
    /// <param name="context">What was read.</param>
    /// <param name="skipped">What was gone over.</param>
    internal static List<int> Before(WireReader wire, int target, GraphContext context, Dictionary<int, SkippedObject> skipped)
    {
        List<int> found = [];
        HashSet<int> seen = [target];
        Stack<int> open = new([target]);
        while (open.TryPop(out int offset))
        {
            wire.Position = offset;
            for (long left = 1; left > 0; left--)
            {
                switch (WireTypes.Of(wire.Peek()))
                {
                    case WireType.Array:
                        left += wire.ReadArrayHeader();
                        break;
                    case WireType.Extension when wire.PeekExtension() == WireCode.Reference:
                        // One that begins further on is a part of this one, and read with it.
                        if (ReadReference(ref wire) is var other && other < offset && skipped.ContainsKey(other) && context.Find(other) is null && seen.Add(other))
                        {
                            found.Add(other);
                            open.Push(other);
                        }

                        break;
                    default:
                        wire.Skip();
                        break;
                }
            }
        }

        found.Sort();
        return found;
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
