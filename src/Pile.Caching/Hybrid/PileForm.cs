// Values in the pile's own lanes: text, bytes and unmanaged values as they are, any object by the general codec. The bytes of the latter
// are this pile's: the schemas of their types are in it. Unmanaged values and arrays of them have a mark of their type before them, by which they are
// not taken for others of as many bytes, or for those of a type that has grown.
using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Pile.Cache.Files;
using Pile.Cache.Keys;
using Pile.Codecs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Caching.Hybrid;

/// <summary>The form of a pile.</summary>
/// <param name="pile">Finds the pile.</param>
/// <param name="isMarked">Whether values that need one have a mark. Those that others read, who may be older, have none.</param>
internal sealed class PileForm<T>(Func<ObjectPile> pile, bool isMarked = true) : HybridForm<T>
{
    private const byte Marked = 16;
    private const int MarkedHead = 1 + sizeof(uint);

    /// <summary>Whether values of the type are the same bytes in every pile.</summary>
    internal static bool IsPortable => LaneOf<T>.Lane != Lane.Codec;

    /// <inheritdoc/>
    internal override bool ReadsInPlace => true;

    /// <inheritdoc/>
    protected override byte[]? WriteValue(T value)
    {
        var collector = new Collector(isMarked);
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
        if (bytes.Length >= MarkedHead && bytes[0] is > Marked and <= Marked + (byte)RecordCode.Extended && IsOfType(bytes))
        {
            return TypedPayloads.TryRead(pile(), (RecordCode)(bytes[0] - Marked), bytes[MarkedHead..], out value);
        }

        // Values and arrays without a mark are of versions before there was one.
        if (bytes.Length > 0 && bytes[0] is > Null and <= (byte)RecordCode.Extended)
        {
            return TypedPayloads.TryRead(pile(), (RecordCode)bytes[0], bytes[1..], out value);
        }

        value = default;
        return false;
    }

    private static bool IsOfType(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt32LittleEndian(bytes[1..]) == Mark.OfType;

    /// <summary>What tells values of this type from those of others whose bytes are as many. Apart, so that it is made for types that need it.</summary>
    private static class Mark
    {
        internal static readonly uint OfType = (uint)KeyHash.Of(Encoding.UTF8.GetBytes(TypeName.Of(typeof(T)) + TypeMarks.MarkOf<T>()), (ulong)(typeof(T).IsValueType ? Unsafe.SizeOf<T>() : LaneOf<T>.ElementBytes));
    }

    private struct Collector(bool isMarked) : IPayloadTarget
    {
        internal byte[]? Bytes { get; private set; }

        public PileStatus Accept<TPayload>(RecordCode code, scoped TPayload payload)
            where TPayload : struct, IPayload, allows ref struct
        {
            Check.PayloadBytes(payload.Bytes);
            bool hasMark = isMarked && (code is RecordCode.Value or RecordCode.Span);
            int head = hasMark ? MarkedHead : 1;
            byte[] bytes = new byte[head + payload.Bytes];
            bytes[0] = (byte)(hasMark ? Marked + (byte)code : (byte)code);
            if (hasMark)
            {
                BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(1), Mark.OfType);
            }

            payload.WriteTo(bytes.AsSpan(head));
            Bytes = bytes;
            return PileStatus.Ok;
        }
    }
}
