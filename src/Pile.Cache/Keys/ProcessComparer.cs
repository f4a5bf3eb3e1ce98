// A plain comparer of the framework's kind as a comparer of stored bytes: what it compares is read back from them.
// Its hashes may be of this process alone, as those of strings are: tables in files refuse it.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Generic;

namespace Pile.Cache.Keys;

/// <summary>Equality of keys by a plain comparer.</summary>
/// <param name="comparer">The comparer.</param>
/// <param name="pile">The pile whose codecs read keys back; null until a table has it.</param>
internal sealed class ProcessComparer<TKey>(IEqualityComparer<TKey> comparer, ObjectPile? pile = null) : IPileKeyComparer, IProcessComparer
    where TKey : notnull
{
    private readonly IEqualityComparer<TKey> _comparer = comparer;
    private readonly IAlternateEqualityComparer<ReadOnlySpan<char>, TKey>? _ofChars = comparer as IAlternateEqualityComparer<ReadOnlySpan<char>, TKey>;

    /// <inheritdoc/>
    public string Name => _comparer.GetType().ToString();

    /// <inheritdoc/>
    public Type KeyType => typeof(TKey);

    /// <inheritdoc/>
    public IPileKeyComparer For(ObjectPile owner) => new ProcessComparer<TKey>(_comparer, owner);

    /// <inheritdoc/>
    public bool IsSameAs(IPileKeyComparer other) => other is ProcessComparer<TKey> plain && plain._comparer.Equals(_comparer);

    /// <inheritdoc/>
    public ulong Hash(ReadOnlySpan<byte> key, ulong seed)
    {
        Span<byte> hash = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(hash, _ofChars is null || KeyCodec<TKey>.Kind != KeyKind.Text ? _comparer.GetHashCode(KeyCodec<TKey>.Decode(pile!, key)) : HashOfText(_ofChars, key));
        return KeyHash.Of(hash, seed);
    }

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) =>
        left.SequenceEqual(right) || _comparer.Equals(KeyCodec<TKey>.Decode(pile!, left), KeyCodec<TKey>.Decode(pile!, right));

    private static int HashOfText(IAlternateEqualityComparer<ReadOnlySpan<char>, TKey> comparer, ReadOnlySpan<byte> key)
    {
        char[]? rented = null;
        Span<char> chars = key.Length <= CacheLimits.KeyBytesOnStack ? stackalloc char[CacheLimits.KeyBytesOnStack] : rented = ArrayPool<char>.Shared.Rent(key.Length);
        int hash = comparer.GetHashCode(chars[..TextKey.Read(key, chars)]);
        if (rented is not null)
        {
            ArrayPool<char>.Shared.Return(rented);
        }

        return hash;
    }
}
