// From a typed value to a payload and back: which lane, which bytes. The lanes themselves are Codecs.
// Codec objects are staged in a per-thread buffer, so that foreign code never runs while a writer is held.
using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Codecs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile;

/// <summary>Typed payloads.</summary>
internal static class TypedPayloads
{
    /// <summary>Extended kind 8, zero 24, codec id 32.</summary>
    private const int CodecHeaderBytes = 8;

    [ThreadStatic]
    private static PileBufferWriter? _staging;

    /// <summary>Sends a value to a target in its lane.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PileStatus Send<T, TTarget>(ObjectPile pile, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct =>
        LaneOf<T>.Lane == Lane.Value
            ? target.Accept(RecordCode.Value, new BytesPayload(RawValue.AsBytes(in value)))
            : SendReference(pile, value, ref target);

    /// <summary>Reads a payload as T; false when its lane, size or codec is another.</summary>
    internal static bool TryRead<T>(ObjectPile pile, RecordCode code, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        if (code == RecordCode.Typed)
        {
            return GraphPayloads.TryRead(pile.TypeTable, payload, out value);
        }

        value = default;
        switch (LaneOf<T>.Lane)
        {
            case Lane.Value:
                if (code != RecordCode.Value || payload.Length != Unsafe.SizeOf<T>())
                {
                    return false;
                }

                value = RawValue.Read<T>(payload);
                return true;
            case Lane.Array:
                return TryReadArray(code, payload, out value);
            case Lane.Codec when code == RecordCode.Extended:
                return TryReadCodec(pile.Codecs, payload, out value);
            default:
                object? read = code switch
                {
                    RecordCode.NarrowString when typeof(T).IsAssignableFrom(typeof(string)) => Text.Read(payload, isNarrow: true),
                    RecordCode.WideString when typeof(T).IsAssignableFrom(typeof(string)) => Text.Read(payload, isNarrow: false),
                    RecordCode.Bytes when typeof(T).IsAssignableFrom(typeof(byte[])) => payload.ToArray(),
                    _ => null,
                };
                if (read is null)
                {
                    return false;
                }

                value = (T)read;
                return true;
        }
    }

    /// <summary>Whether a payload can be read as T, without making one where its lane tells.</summary>
    internal static bool Fits<T>(ObjectPile pile, RecordCode code, ReadOnlySpan<byte> payload) => code switch
    {
        RecordCode.NarrowString or RecordCode.WideString => typeof(T).IsAssignableFrom(typeof(string)),
        RecordCode.Bytes => typeof(T).IsAssignableFrom(typeof(byte[])),
        RecordCode.Value => LaneOf<T>.Lane == Lane.Value && payload.Length == Unsafe.SizeOf<T>(),
        RecordCode.Span => LaneOf<T>.Lane == Lane.Array && payload.Length % LaneOf<T>.ElementBytes == 0,
        _ => TryRead(pile, code, payload, out T? _),
    };

    /// <summary>Says what is stored and what was asked for.</summary>
    [DoesNotReturn]
    internal static void ThrowMismatch<T>(ObjectPile pile, PilePointer pointer, RecordCode code, ReadOnlySpan<byte> payload, string wayOut = "Read it as the type that it was put as.")
    {
        string stored = code switch
        {
            RecordCode.NarrowString or RecordCode.WideString => "a string",
            RecordCode.Bytes => $"{payload.Length:N0} bytes",
            RecordCode.Value => $"an unmanaged value of {payload.Length:N0} bytes",
            RecordCode.Span => $"unmanaged values of {payload.Length:N0} bytes in all",
            RecordCode.Typed => $"an object of the type {DescriptionReader.ReadTypeName(pile.TypeTable, payload)}",
            RecordCode.Extended => "an object of another type's codec, or of one that is not registered",
            _ => $"a record of code {code}",
        };
        bool isNamesake = code == RecordCode.Typed && DescriptionReader.ReadTypeName(pile.TypeTable, payload) == TypeName.Of(typeof(T));
        if (isNamesake)
        {
            Throw.Mismatch(
                pointer, stored, $"{typeof(T)} of this load context: as long as this pile is open, what was stored with that layout is read as a type of that name in another one",
                "A pile in files that is opened anew reads it as the type that is named there first; Describe and ToJson read it now.");
        }

        Throw.Mismatch(pointer, stored, typeof(T).ToString(), wayOut);
    }

    private static PileStatus SendReference<T, TTarget>(ObjectPile pile, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(value);
        if (LaneOf<T>.PlanAlone is { } plan && (pile.Codecs.IsEmpty || !pile.Codecs.TryGet(typeof(T), out _)))
        {
            return GraphPayloads.Send(pile.TypeTable, plan, value, ref target);
        }

        switch (value)
        {
            case string text when Text.IsNarrow(text):
                return target.Accept(RecordCode.NarrowString, new NarrowPayload(text));
            case string text:
                return target.Accept(RecordCode.WideString, new BytesPayload(MemoryMarshal.AsBytes(text.AsSpan())));
            case byte[] bytes when bytes.GetType() == typeof(byte[]):
                return target.Accept(RecordCode.Bytes, new BytesPayload(bytes));
            case Array array when LaneOf<T>.Lane == Lane.Array && array.GetType() == typeof(T):
                Check.PayloadBytes((long)array.Length * LaneOf<T>.ElementBytes);
                return target.Accept(RecordCode.Span, new BytesPayload(RawValue.AsBytes(array, LaneOf<T>.ElementBytes)));
            default:
                return SendObject(pile, value, ref target);
        }
    }

    private static PileStatus SendObject<T, TTarget>(ObjectPile pile, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct =>
        pile.Codecs.TryGet(value!.GetType(), out CodecSlot? slot)
            ? SendByCodec(slot, value, ref target)
            : GraphPayloads.Send(pile.TypeTable, value, ref target);

    private static PileStatus SendByCodec<T, TTarget>(CodecSlot slot, T value, ref TTarget target)
        where TTarget : struct, IPayloadTarget, allows ref struct
    {
        // Taken for the time of the call: a codec that itself puts gets a buffer of its own.
        PileBufferWriter staging = _staging ?? new PileBufferWriter(null).Restart();
        _staging = null;
        try
        {
            Span<byte> header = staging.GetSpan(CodecHeaderBytes)[..CodecHeaderBytes];
            header.Clear();
            header[0] = (byte)ExtendedKind.Codec;
            BinaryPrimitives.WriteInt32LittleEndian(header[4..], slot.Id);
            staging.Advance(CodecHeaderBytes);
            if (slot is CodecSlot<T> exact)
            {
                exact.Codec.Write(value, staging);
            }
            else
            {
                slot.WriteObject(value!, staging);
            }

            // Throws when the codec disposed it.
            staging.Advance(0);
            return target.Accept(RecordCode.Extended, new BytesPayload(staging.WrittenSpan));
        }
        finally
        {
            // A codec may have disposed it: it is handed out open, or not at all.
            staging.Reset(CodecLimits.StagingBytesKept);
            _staging = staging.Restart();
        }
    }

    private static bool TryReadCodec<T>(PileCodecs codecs, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        value = default;
        if (payload.Length < CodecHeaderBytes
            || payload[0] != (byte)ExtendedKind.Codec
            || !codecs.TryGet(BinaryPrimitives.ReadInt32LittleEndian(payload[4..]), out CodecSlot? slot)
            || !slot.Type.IsAssignableTo(typeof(T)))
        {
            return false;
        }

        ReadOnlySpan<byte> body = payload[CodecHeaderBytes..];
        value = slot is CodecSlot<T> exact ? exact.Codec.Read(body) : (T)slot.ReadObject(body)!;
        return true;
    }

    private static bool TryReadArray<T>(RecordCode code, ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        int elementBytes = LaneOf<T>.ElementBytes;
        if (code != RecordCode.Span || payload.Length % elementBytes != 0)
        {
            value = default;
            return false;
        }

        Array array = Array.CreateInstanceFromArrayType(typeof(T), payload.Length / elementBytes);
        payload.CopyTo(RawValue.AsBytes(array, elementBytes));
        value = (T)(object)array;
        return true;
    }
}
