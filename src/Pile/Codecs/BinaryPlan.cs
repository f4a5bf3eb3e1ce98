// byte[]: MessagePack's own bytes, wherever they stand.
// Other arrays of one-byte integers are PrimitiveArrayPlan's.
using System;

namespace Pile.Codecs;

/// <summary>Plan of byte[].</summary>
internal sealed class BinaryPlan() : Plan(typeof(byte[]), PlanKind.Value, isPlain: true)
{
    internal override bool CanDefer => false;

    internal override int Count(object value) => 1;

    internal override void WritePlain(GraphWriter writer, object value, bool isExact) => writer.WriteBinary((byte[])value);

    internal override void WriteContent(GraphWriter writer, object value, int count) => writer.WriteBinary((byte[])value);

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        reader.Expect(count, 1);
        byte[] bytes = Own(reader.Wire.ReadBinary());
        reader.Register(offset, bytes);
        return bytes;
    }

    /// <summary>An array of its own for what was read, also where that is empty: the framework's empty one would be the same object for all.</summary>
    internal static byte[] Own(ReadOnlySpan<byte> read)
    {
        byte[] bytes = new byte[read.Length];
        read.CopyTo(bytes);
        return bytes;
    }
}
