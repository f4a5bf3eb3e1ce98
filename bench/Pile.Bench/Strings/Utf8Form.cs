using System;
using System.Text;

namespace Pile.Bench.Strings;

/// <summary>UTF-8 as a record needs it: count first, then write. A lone surrogate becomes U+FFFD.</summary>
internal readonly struct Utf8Form : ITextForm
{
    public string Name => "UTF-8, counted";

    public int Write(ReadOnlySpan<char> text, Span<byte> place)
    {
        int bytes = Encoding.UTF8.GetByteCount(text);
        return Encoding.UTF8.GetBytes(text, place[..bytes]);
    }

    public string Read(ReadOnlySpan<byte> bytes, bool isNarrow) => Encoding.UTF8.GetString(bytes);
}
