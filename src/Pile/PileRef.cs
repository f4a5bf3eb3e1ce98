// A pointer that says what it points to. A link, nothing more: not followed, not owned, not counted.
// The type is a promise of the caller: it is checked when the object is read, not before.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;

namespace Pile;

/// <summary>A <see cref="PilePointer"/> to an object of type <typeparamref name="T"/>. 8 bytes, unmanaged.</summary>
/// <typeparam name="T">The type the object is read as.</typeparam>
/// <param name="Pointer">The pointer.</param>
/// <remarks>Inside a stored object it is a link: Pile does not follow it, and deleting its target leaves it stale.</remarks>
[JsonConverter(typeof(PileRefJsonConverterFactory))]
public readonly record struct PileRef<T>(PilePointer Pointer) : IComparable<PileRef<T>>, ISpanFormattable, ISpanParsable<PileRef<T>>
{
    /// <summary>Whether it points to nothing.</summary>
    public bool IsNull => Pointer.IsNull;

    /// <summary>The untyped pointer.</summary>
    public static implicit operator PilePointer(PileRef<T> reference) => reference.Pointer;

    /// <summary>The untyped pointer.</summary>
    public PilePointer ToPilePointer() => Pointer;

    /// <inheritdoc cref="PilePointer.CompareTo"/>
    public int CompareTo(PileRef<T> other) => Pointer.CompareTo(other.Pointer);

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator <(PileRef<T> left, PileRef<T> right) => left.CompareTo(right) < 0;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator >(PileRef<T> left, PileRef<T> right) => left.CompareTo(right) > 0;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator <=(PileRef<T> left, PileRef<T> right) => left.CompareTo(right) <= 0;

    /// <summary>Order of <see cref="CompareTo"/>.</summary>
    public static bool operator >=(PileRef<T> left, PileRef<T> right) => left.CompareTo(right) >= 0;

    /// <summary>The pointer's text form.</summary>
    public override string ToString() => Pointer.ToString();

    /// <inheritdoc/>
    public string ToString(string? format, IFormatProvider? formatProvider) => Pointer.ToString();

    /// <inheritdoc/>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider) =>
        Pointer.TryFormat(destination, out charsWritten, format, provider);

    /// <inheritdoc cref="PilePointer.Parse(ReadOnlySpan{char}, IFormatProvider?)"/>
    public static PileRef<T> Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => new(PilePointer.Parse(s, provider));

    /// <inheritdoc cref="PilePointer.Parse(ReadOnlySpan{char}, IFormatProvider?)"/>
    public static PileRef<T> Parse(string s, IFormatProvider? provider = null) => new(PilePointer.Parse(s, provider));

    /// <inheritdoc cref="PilePointer.TryParse(ReadOnlySpan{char}, IFormatProvider?, out PilePointer)"/>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PileRef<T> result)
    {
        bool parsed = PilePointer.TryParse(s, provider, out PilePointer pointer);
        result = new PileRef<T>(pointer);
        return parsed;
    }

    /// <inheritdoc cref="PilePointer.TryParse(ReadOnlySpan{char}, IFormatProvider?, out PilePointer)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PileRef<T> result) =>
        TryParse(s.AsSpan(), provider, out result);
}
