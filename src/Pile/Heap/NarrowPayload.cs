// Text whose chars all fit a byte, narrowed straight into the record.
// The caller has looked that all chars are at most U+00FF (Codecs.Text.IsNarrow); a wider one would be lost here.
using System;
using System.Text;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Narrow text.</summary>
internal readonly ref struct NarrowPayload(ReadOnlySpan<char> text) : IPayload
{
    private readonly ReadOnlySpan<char> _text = text;

    public int Bytes => _text.Length;

    public ReadOnlySpan<byte> Source => default;

    public void WriteTo(Span<byte> target) => Encoding.Latin1.GetBytes(_text, target);
}
