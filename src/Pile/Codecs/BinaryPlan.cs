// byte[]: MessagePack's own bytes, wherever they stand.
// Other arrays of one-byte integers are PrimitiveArrayPlan's.
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
        byte[] bytes = reader.Wire.ReadBinary().ToArray();
        reader.Register(offset, bytes);
        return bytes;
    }
}
