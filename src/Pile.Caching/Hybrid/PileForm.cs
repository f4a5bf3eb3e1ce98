// Values in the pile's own lanes: text, bytes and unmanaged values as they are, any object by the general codec. The bytes of the latter
// are this pile's: the schemas of their types are in it.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Codecs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Caching.Hybrid;

/// <summary>The form of a pile.</summary>
/// <param name="pile">Finds the pile.</param>
internal sealed class PileForm<T>(Func<ObjectPile> pile) : HybridForm<T>
{
    /// <summary>Whether values of the type are the same bytes in every pile.</summary>
    internal static bool IsPortable => LaneOf<T>.Lane != Lane.Codec;

    /// <inheritdoc/>
    internal override bool ReadsInPlace => true;

    /// <inheritdoc/>
    protected override byte[]? WriteValue(T value)
    {
        var collector = default(Collector);
        try
        {
            return TypedPayloads.Send(pile(), value, ref collector) == PileStatus.Ok ? collector.Bytes : null;
        }
        catch (PileRefusedException refused)
        {
            throw new PileRefusedException(
                $"{refused.Message} Or register an IHybridCacheSerializer<{TypeName.Display(typeof(T))}> among the services, which then writes and reads such values.",
                refused.Offender,
                refused.GraphPath);
        }
    }

    /// <inheritdoc/>
    protected override bool TryReadValue(ReadOnlySpan<byte> bytes, ReadOnlyMemory<byte> memory, [MaybeNullWhen(false)] out T value)
    {
        if (bytes.Length > 0 && bytes[0] is > Null and <= (byte)RecordCode.Extended)
        {
            return TypedPayloads.TryRead(pile(), (RecordCode)bytes[0], bytes[1..], out value);
        }

        value = default;
        return false;
    }

    private struct Collector : IPayloadTarget
    {
        internal byte[]? Bytes { get; private set; }

        public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
            where TPayload : struct, IPayload, allows ref struct
        {
            Check.PayloadBytes(payload.Bytes);
            byte[] bytes = new byte[1 + payload.Bytes];
            bytes[0] = (byte)code;
            payload.WriteTo(bytes.AsSpan(1));
            Bytes = bytes;
            return PileStatus.Ok;
        }
    }
}
