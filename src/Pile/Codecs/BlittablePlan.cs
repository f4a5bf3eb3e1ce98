// Structs that are not their fields (explicit layouts, fixed buffers, inline arrays, sizes beyond the fields, Vector<T>) and that
// hold no references and none of F#'s unions: their bytes, as they stand in memory. Machine-dependent in size only where the program made it so, and
// for Vector<T>.
using System;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of a struct as bytes.</summary>
/// <param name="mapsFields">Whether an older version may have kept it by its fields, and whole.</param>
internal sealed class BlittablePlan<T>(bool mapsFields) : ValuePlan<T>(PlanKind.Parts)
    where T : struct
{
    internal override int LeastBytes => Unsafe.SizeOf<T>();

    internal override Plan MapFrom(TypeVersion version) =>
        mapsFields && version.Schema.Kind == PlanKind.Fields ? new MappedPlan(version, typeof(T)) : base.MapFrom(version);

    internal override int CountOf(ref T value) => 1;

    internal override void WriteValue(GraphWriter writer, ref T value, int count) => writer.WriteBinary(RawValue.WritableBytes(ref value));

    internal override void ReadValue(ref GraphReader reader, ref T value, int count)
    {
        reader.Expect(count, 1);
        ReadOnlySpan<byte> bytes = reader.Wire.ReadBinary();
        Span<byte> target = RawValue.WritableBytes(ref value);
        if (bytes.Length != target.Length)
        {
            throw new PileTypeMismatchException(
                $"{TypeName.Display(typeof(T))} was stored with {bytes.Length} bytes and has {target.Length} here: {StructBytes.WhyOtherLength(typeof(T))}. Describe and ToJson read it.");
        }

        bytes.CopyTo(target);
    }
}
