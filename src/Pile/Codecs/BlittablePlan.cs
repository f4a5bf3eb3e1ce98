// Structs whose fields overlap or have no names of their own (explicit layouts, fixed buffers, inline arrays) and that hold
// no references: their bytes, as they stand in memory. Machine-dependent in size only where the program made it so.
using System;
using System.Runtime.CompilerServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Plan of a struct as bytes.</summary>
internal sealed class BlittablePlan<T>() : ValuePlan<T>(PlanKind.Parts)
    where T : struct
{
    internal override int LeastBytes => Unsafe.SizeOf<T>();

    internal override int CountOf(ref T value) => 1;

    internal override void WriteValue(GraphWriter writer, ref T value, int count) => writer.WriteBinary(RawValue.WritableBytes(ref value));

    internal override void ReadValue(ref GraphReader reader, ref T value, int count)
    {
        reader.Expect(count, 1);
        ReadOnlySpan<byte> bytes = reader.Wire.ReadBinary();
        Span<byte> target = RawValue.WritableBytes(ref value);
        if (bytes.Length != target.Length)
        {
            Throw.CorruptedValueOf($"{bytes.Length:N0} bytes for a {TypeName.Display(typeof(T))} of {target.Length:N0}", reader.Wire.Position);
        }

        bytes.CopyTo(target);
    }
}
