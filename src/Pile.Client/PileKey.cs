// A key of an entry: text, which travels as UTF-8, or bytes as they are. It holds what it was made of and copies nothing.
// How long keys may be is the server's to say.
using System;
using System.Buffers;
using System.Text;
using System.Text.Unicode;

namespace Pile.Client;

/// <summary>A key: text or bytes. The same bytes are the same key, however they were given.</summary>
/// <remarks>Made of a <see cref="string"/>, of a <c>byte[]</c> or of memory by itself. Bytes must not change until the call with them is
/// done. A server takes keys of 1 to 15,360 bytes. Text with half of a surrogate pair is refused by
/// the call, by an <see cref="ArgumentException"/>.</remarks>
public readonly struct PileKey : IEquatable<PileKey>
{
    // What is no text has no bytes that are its own.
    private static readonly UTF8Encoding _utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    // Longer keys cost an array where they are hashed.
    private const int HashedOnStackMax = 256;

    private readonly string? _text;
    private readonly ReadOnlyMemory<byte> _bytes;

    /// <summary>A key of text.</summary>
    /// <param name="text">The text; sent as UTF-8.</param>
    public PileKey(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        _text = text;
    }

    /// <summary>A key of bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    public PileKey(ReadOnlyMemory<byte> bytes) => _bytes = bytes;

    /// <summary>Bytes that it has as it is sent.</summary>
    public int Length => _text is null ? _bytes.Length : _utf8.GetByteCount(_text);

    /// <summary>A key of text.</summary>
    /// <param name="text">The text.</param>
    public static implicit operator PileKey(string text) => new(text);

    /// <summary>A key of bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    public static implicit operator PileKey(byte[] bytes)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        return new PileKey(bytes.AsMemory());
    }

    /// <summary>A key of bytes.</summary>
    /// <param name="bytes">The bytes; not copied.</param>
    public static implicit operator PileKey(ReadOnlyMemory<byte> bytes) => new(bytes);

    /// <summary>Whether two keys are the same bytes.</summary>
    /// <param name="left">One key.</param>
    /// <param name="right">The other.</param>
    public static bool operator ==(PileKey left, PileKey right) => left.Equals(right);

    /// <summary>Whether two keys are different bytes.</summary>
    /// <param name="left">One key.</param>
    /// <param name="right">The other.</param>
    public static bool operator !=(PileKey left, PileKey right) => !left.Equals(right);

    /// <summary>Its bytes, as a new array.</summary>
    public byte[] ToArray() => _text is null ? _bytes.ToArray() : _utf8.GetBytes(_text);

    /// <inheritdoc/>
    public bool Equals(PileKey other) => _text is not null && other._text is not null
        ? _text == other._text
        : AsMemory().Span.SequenceEqual(other.AsMemory().Span);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PileKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        int length = Length;
        Span<byte> bytes = length <= HashedOnStackMax ? stackalloc byte[HashedOnStackMax] : new byte[length];
        var hash = default(HashCode);
        hash.AddBytes(bytes[..CopyTo(bytes)]);
        return hash.ToHashCode();
    }

    /// <summary>The text, or the bytes as text where they are UTF-8.</summary>
    public override string ToString() => _text ?? Encoding.UTF8.GetString(_bytes.Span);

    /// <summary>Writes its bytes.</summary>
    /// <param name="target">At least <see cref="Length"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    internal int CopyTo(Span<byte> target)
    {
        if (_text is not null)
        {
            // What is no text, or too long, is the encoding's to refuse.
            return Utf8.FromUtf16(_text, target, out _, out int written, replaceInvalidSequences: false) == OperationStatus.Done ? written : _utf8.GetBytes(_text, target);
        }

        _bytes.Span.CopyTo(target);
        return _bytes.Length;
    }

    /// <summary>The text, or null of a key of bytes.</summary>
    internal string? Text => _text;

    /// <summary>The same key, which nobody can change.</summary>
    internal PileKey ToOwned() => _text is null ? new PileKey(_bytes.ToArray().AsMemory()) : this;

    /// <summary>Its bytes: those that it was made of where it can, else new ones.</summary>
    internal ReadOnlyMemory<byte> AsMemory() => _text is null ? _bytes : _utf8.GetBytes(_text);
}
