using System;
using System.Text;

namespace Pile.Bench.Strings;

/// <summary>UTF-8 written once to a buffer of the thread, then copied to its place: no counting, one more copy.</summary>
internal readonly struct Utf8StagedForm() : ITextForm
{
    private readonly byte[] _stage = new byte[4096];

    public string Name => "UTF-8, staged";

    public int Write(ReadOnlySpan<char> text, Span<byte> place)
    {
        int bytes = Encoding.UTF8.GetBytes(text, _stage);
        _stage.AsSpan(0, bytes).CopyTo(place);
        return bytes;
    }

    public string Read(ReadOnlySpan<byte> bytes, bool isNarrow) => Encoding.UTF8.GetString(bytes);
}
