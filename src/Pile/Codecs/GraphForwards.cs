// FWD in stored bytes: the announcement of an object whose body stands at the end, with what a reader needs to make it now.
// Which objects are put off is GraphWriter's decision.
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Writes announcements.</summary>
internal static class GraphForwards
{
    private const int HeaderBytes = 4;

    /// <summary>Writes the FWD of an object.</summary>
    internal static void WriteForward(this GraphWriter writer, Plan plan, object value)
    {
        // The extension's length is known when its content is written: a number and up to 64 lengths.
        writer.Reserve(HeaderBytes);
        int start = writer.Length;
        writer.Store(WireCode.Ext16, (ushort)0);
        writer.Store(WireCode.Forward);
        writer.WriteNumber(plan);
        plan.WriteLengths(writer, value);
        int bytes = writer.Length - start - HeaderBytes;
        Check.That(bytes <= ushort.MaxValue);
        writer.Patch(start + 1, (byte)(bytes >> 8));
        writer.Patch(start + 2, (byte)bytes);
    }
}
