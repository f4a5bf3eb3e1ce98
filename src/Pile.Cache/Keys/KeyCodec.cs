// From a program's key to its bytes and back. Unmanaged keys are their own bytes, padding cleared, because it holds whatever was there
// before; text is UTF-8; all else is what the pile's codec writes, after one byte that says in which lane.
using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Pile.Codecs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Keys;

/// <summary>Keys of one type.</summary>
internal static class KeyCodec<TKey>
    where TKey : notnull
{
    /// <summary>Bytes of the value that are padding, as zeros; null where there are none.</summary>
    private static readonly byte[]? _mask = LaneOf<TKey>.Lane == Lane.Value ? KeyPadding.MaskOf(typeof(TKey), Unsafe.SizeOf<TKey>()) : null;

    private static readonly KeyKind _referenceKind =
        typeof(TKey) == typeof(string) ? KeyKind.Text : typeof(TKey) == typeof(byte[]) ? KeyKind.Bytes : KeyKind.Codec;

    /// <summary>How keys of the type become bytes.</summary>
    internal static KeyKind Kind
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => LaneOf<TKey>.Lane != Lane.Value ? _referenceKind : _mask is null ? KeyKind.Raw : KeyKind.Padded;
    }

    /// <summary>Whether keys of the type can't be told from each other, because this program hides their fields.</summary>
    internal static bool IsHidden => KeyPadding.Hides(_mask, AheadOfTime.IsWhole);

    /// <summary>The bytes of a key that is not <see cref="KeyKind.Raw"/>, to look for it. Nothing is stored in the pile.</summary>
    /// <param name="pile">The pile, for its codecs.</param>
    /// <param name="key">The key.</param>
    /// <param name="scratch">Where to, if it is long enough.</param>
    /// <param name="rented">What was borrowed because it was not; the caller gives it back.</param>
    /// <exception cref="ArgumentOutOfRangeException">The key is longer than a key may be.</exception>
    internal static ReadOnlySpan<byte> Encode(ObjectPile pile, TKey key, Span<byte> scratch, ref byte[]? rented) => Encode(pile, key, scratch, ref rented, isStored: false, out _);

    /// <summary>The same, to store something under it.</summary>
    /// <param name="pile">The pile, for its codecs.</param>
    /// <param name="key">The key.</param>
    /// <param name="scratch">Where to, if it is long enough.</param>
    /// <param name="rented">What was borrowed because it was not; the caller gives it back.</param>
    /// <param name="kept">Ok; else what keeps the pile from keeping the schema of the key's type: the bytes are the key's and no other's, and find what is
    /// stored, but nothing new may be stored under them.</param>
    /// <exception cref="ArgumentOutOfRangeException">The key is longer than a key may be.</exception>
    internal static ReadOnlySpan<byte> Encode(ObjectPile pile, TKey key, Span<byte> scratch, ref byte[]? rented, out PileStatus kept) =>
        Encode(pile, key, scratch, ref rented, isStored: true, out kept);

    private static ReadOnlySpan<byte> Encode(ObjectPile pile, TKey key, Span<byte> scratch, ref byte[]? rented, bool isStored, out PileStatus kept)
    {
        kept = PileStatus.Ok;
        ReadOnlySpan<byte> bytes;
        switch (Kind)
        {
            case KeyKind.Text:
                string text = (string)(object)key;
                RefuseLong(text.Length);
                Span<byte> target = TextKey.BytesMax(text.Length) <= scratch.Length
                    ? scratch
                    : rented = ArrayPool<byte>.Shared.Rent((int)TextKey.BytesMax(text.Length));
                bytes = target[..TextKey.Write(text, target)];
                break;
            case KeyKind.Bytes:
                bytes = (byte[])(object)key;
                break;
            case KeyKind.Padded:
                int length = _mask!.Length;
                Span<byte> padded = length <= scratch.Length ? scratch[..length] : (rented = ArrayPool<byte>.Shared.Rent(length)).AsSpan(0, length);
                CopyMasked(key, padded);
                bytes = padded;
                break;
            default:
                if (isStored)
                {
                    var stored = new StoredKeyReceiver { Receiver = new KeyReceiver(scratch) };
                    kept = TypedPayloads.Send(pile, key, ref stored);
                    if (kept == PileStatus.Ok)
                    {
                        rented = stored.Receiver.Rented;
                        bytes = stored.Receiver.Bytes;
                        break;
                    }
                }

                var receiver = new KeyReceiver(scratch);
                _ = TypedPayloads.Send(pile, key, ref receiver);
                rented = receiver.Rented;
                bytes = receiver.Bytes;
                break;
        }

        RefuseLong(bytes.Length);
        return bytes;
    }

    /// <summary>The key of its stored bytes.</summary>
    /// <exception cref="PileTypeMismatchException">They are of no such key.</exception>
    internal static TKey Decode(ObjectPile pile, ReadOnlySpan<byte> bytes)
    {
        switch (Kind)
        {
            case KeyKind.Text:
                return (TKey)(object)TextKey.Read(bytes);
            case KeyKind.Bytes:
                return (TKey)(object)bytes.ToArray();
            case KeyKind.Raw or KeyKind.Padded:
                return bytes.Length == Unsafe.SizeOf<TKey>() ? RawValue.Read<TKey>(bytes)! : ThrowForeign(bytes.Length);
            default:
                return bytes.Length > 0 && TypedPayloads.TryRead(pile, (RecordCode)bytes[0], bytes[1..], out TKey? key) ? key! : ThrowForeign(bytes.Length);
        }
    }

    private static void CopyMasked(TKey key, Span<byte> target)
    {
        ReadOnlySpan<byte> value = RawValue.AsBytes(in key);
        for (int index = 0; index < target.Length; index++)
        {
            target[index] = (byte)(value[index] & _mask![index]);
        }
    }

    private static void RefuseLong(int length)
    {
        if (length > CacheLimits.KeyBytesMax)
        {
            Throw.Argument("key", $"{length:N0} bytes or more", $"A key takes at most {CacheLimits.KeyBytesMax:N0} bytes (KeyBytesMax). Use a hash of it as the key, and keep it in the value.");
        }
    }

    [DoesNotReturn]
    private static TKey ThrowForeign(int length) => throw new PileTypeMismatchException(
        $"A key of {length:N0} stored bytes is no {typeof(TKey)}. The table was made with keys of another type.", default);
}
