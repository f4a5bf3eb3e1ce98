// How values of one type become the bytes of an entry, and come back. The first byte says which form it is, so that bytes of another
// form, or of another type, are recognised where they can be.
using System;
using System.Diagnostics.CodeAnalysis;

namespace Pile.Caching.Hybrid;

/// <summary>The form of values of a type. Thread-safe.</summary>
/// <typeparam name="T">The type; null is a value of it.</typeparam>
internal abstract class HybridForm<T>
{
    /// <summary>The first byte of null. Below 16 are the lanes of a pile (RecordCode), below 32 those with a mark of the type.</summary>
    protected const byte Null = 0;

    /// <summary>The first byte of what a serializer of the program wrote.</summary>
    protected const byte Serialized = 0x40;

    /// <summary>The first byte of JSON; 0x41 was that of JSON without fields, which is a miss.</summary>
    protected const byte Json = 0x42;

    /// <summary>Whether reading is the pile's own, so that it is done inside a lease, as a table does it.</summary>
    internal abstract bool ReadsInPlace { get; }

    /// <summary>Makes bytes of a value; null when it can't be kept now.</summary>
    internal byte[]? Write(T value) => value is null ? [Null] : WriteValue(value);

    /// <summary>Makes a value of bytes; false when they are of another form or type, or what reads them throws.</summary>
    internal bool TryRead(ReadOnlyMemory<byte> bytes, [MaybeNullWhen(false)] out T value, out Exception? failure)
    {
        failure = null;
        try
        {
            return IsNull(bytes.Span) ? TryNull(out value) : TryReadValue(bytes.Span, bytes, out value);
        }
#pragma warning disable CA1031 // Whatever a serializer throws, the value can be made anew; it is told.
        catch (Exception thrown)
#pragma warning restore CA1031
        {
            (failure, value) = (thrown, default);
            return false;
        }
    }

    /// <summary>The same of bytes under a lease, where <see cref="ReadsInPlace"/> says so; what reads them throws through.</summary>
    internal bool TryReadInPlace(ReadOnlySpan<byte> bytes, [MaybeNullWhen(false)] out T value) =>
        IsNull(bytes) ? TryNull(out value) : TryReadValue(bytes, default, out value);

    /// <summary>Makes bytes of a value that is not null.</summary>
    protected abstract byte[]? WriteValue(T value);

    /// <summary>Makes a value of bytes, first byte included.</summary>
    /// <param name="bytes">The bytes; not empty unless they are damaged.</param>
    /// <param name="memory">The same ones, where they are not read in place.</param>
    /// <param name="value">The value.</param>
    protected abstract bool TryReadValue(ReadOnlySpan<byte> bytes, ReadOnlyMemory<byte> memory, [MaybeNullWhen(false)] out T value);

    private static bool IsNull(ReadOnlySpan<byte> bytes) => bytes.Length == 1 && bytes[0] == Null;

    private static bool TryNull([MaybeNullWhen(false)] out T value)
    {
        value = default!;
        return default(T) is null;
    }
}
