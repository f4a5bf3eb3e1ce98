using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Pile.Bench.Strings;

/// <summary>What the pile does: one byte a char while all fit, else UTF-16.</summary>
internal readonly struct PileForm : ITextForm
{
    public string Name => "Latin-1 or UTF-16";

    public int Write(ReadOnlySpan<char> text, Span<byte> place)
    {
        if (Codecs.Text.IsNarrow(text))
        {
            return Encoding.Latin1.GetBytes(text, place);
        }

        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(text);
        bytes.CopyTo(place);
        return bytes.Length;
    }

    public string Read(ReadOnlySpan<byte> bytes, bool isNarrow) => Codecs.Text.Read(bytes, isNarrow);
}
