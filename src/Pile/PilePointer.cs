// The 8-byte value that a caller keeps for a stored object: slot, pile tag and generation in one word.
// A value, not a capability to protect: whoever can make one up can ask, and gets Stale unless slot, tag and generation fit.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json.Serialization;
using Pile.Format;

namespace Pile;

/// <summary>Points to an object in a pile. 8 bytes, unmanaged, may be stored anywhere, also inside other stored objects.</summary>
/// <remarks>The text form is <c>slot.generation@tag</c> in decimal, for example <c>42.7@1</c>. A pointer stays valid until its object
/// is deleted, wherever the object's bytes move; afterwards it is stale for ever: a slot is issued again only with a higher
/// generation, and a slot whose 16,777,214 generations are used up is never issued again.</remarks>
[JsonConverter(typeof(PilePointerJsonConverter))]
public readonly struct PilePointer : IEquatable<PilePointer>, IComparable<PilePointer>, ISpanFormattable, ISpanParsable<PilePointer>
{
    private readonly ulong _word;

    internal PilePointer(ulong word) => _word = word;

    /// <summary>The pointer that points to nothing; equal to <c>default</c>.</summary>
    public static PilePointer Null => default;

    /// <summary>Whether this is the null pointer.</summary>
    public bool IsNull => _word == 0;

    /// <summary>Index in the object table, 1 to 4,294,967,294; 0 only in the null pointer.</summary>
    public uint Slot => PointerWord.Slot(_word);

    /// <summary>Tag of the pile that issued it: 1 to 127 for memory piles, 128 to 255 for those in files, unless the pile was imported: then that of the exported one.</summary>
    public byte Tag => PointerWord.Tag(_word);

    /// <summary>The slot's reuse counter when this pointer was issued, 1 to 16,777,214: it rises with each issue, and recoveries pass over some numbers.</summary>
    public int Generation => (int)PointerWord.Generation(_word);

    internal ulong Word => _word;

    /// <summary>The pointer's 64 bits, for storing where only integers can be.</summary>
    public long ToInt64() => (long)_word;

    /// <summary>The pointer of 64 bits that <see cref="ToInt64"/> gave. Any value is accepted; one that no pile issued is stale, or of another pile.</summary>
    public static PilePointer FromInt64(long bits) => new((ulong)bits);

    /// <summary>The same pointer, saying what it points to.</summary>
    /// <typeparam name="T">The type the object is read as; not checked here.</typeparam>
    public PileRef<T> As<T>() => new(this);

    /// <inheritdoc/>
    public bool Equals(PilePointer other) => _word == other._word;

    /// <inheritdoc/>
    public override bool Equals([NotNullWhen(true)] object? obj) => obj is PilePointer other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _word.GetHashCode();

    /// <summary>Orders by tag, then slot, then generation.</summary>
    public int CompareTo(PilePointer other) =>
        (Tag, Slot, Generation).CompareTo((other.Tag, other.Slot, other.Generation));

    /// <summary>Whether both point to the same object of the same pile.</summary>
    public static bool operator ==(PilePointer left, PilePointer right) => left._word == right._word;

    /// <summary>Whether they differ.</summary>
    public static bool operator !=(PilePointer left, PilePointer right) => left._word != right._word;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator <(PilePointer left, PilePointer right) => left.CompareTo(right) < 0;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator >(PilePointer left, PilePointer right) => left.CompareTo(right) > 0;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator <=(PilePointer left, PilePointer right) => left.CompareTo(right) <= 0;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator >=(PilePointer left, PilePointer right) => left.CompareTo(right) >= 0;

    /// <summary>The text form, <c>slot.generation@tag</c>.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Slot}.{Generation}@{Tag}");

    /// <inheritdoc/>
    public string ToString(string? format, IFormatProvider? formatProvider) => ToString();

    /// <inheritdoc/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        destination.TryWrite(CultureInfo.InvariantCulture, $"{Slot}.{Generation}@{Tag}", out charsWritten);

    /// <summary>Reads the text form.</summary>
    /// <exception cref="FormatException">The text is not a pointer.</exception>
    public static PilePointer Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) =>
        TryParse(s, provider, out PilePointer pointer)
            ? pointer
            : throw new FormatException($"'{s}' is not a pile pointer. Expected slot.generation@tag in decimal, for example 42.7@1.");

    /// <inheritdoc cref="Parse(ReadOnlySpan{char}, IFormatProvider?)"/>
    public static PilePointer Parse(string s, IFormatProvider? provider = null)
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse(s.AsSpan(), provider);
    }

    /// <summary>Reads the text form; false when the text is not a pointer.</summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PilePointer result)
    {
        result = default;
        int dot = s.IndexOf('.');
        int at = s.IndexOf('@');
        if (dot < 0
            || at < dot
            || !uint.TryParse(s[..dot], NumberStyles.None, CultureInfo.InvariantCulture, out uint slot)
            || !uint.TryParse(s[(dot + 1)..at], NumberStyles.None, CultureInfo.InvariantCulture, out uint generation)
            || !byte.TryParse(s[(at + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out byte tag)
            || generation > EntryWord.GenerationMax)
        {
            return false;
        }

        result = new PilePointer(PointerWord.Pack(slot, tag, generation));
        return true;
    }

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PilePointer)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PilePointer result) =>
        TryParse(s.AsSpan(), provider, out result);
}
