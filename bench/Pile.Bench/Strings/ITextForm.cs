using System;

namespace Pile.Bench.Strings;

/// <summary>A way to store text as bytes whose length must be known before the first is written, as a record's must.</summary>
internal interface ITextForm
{
    /// <summary>Its name in the report.</summary>
    string Name { get; }

    /// <summary>Writes text at the start of a place that is large enough; bytes written.</summary>
    int Write(ReadOnlySpan<char> text, Span<byte> place);

    /// <summary>Makes the string of what was written.</summary>
    string Read(ReadOnlySpan<byte> bytes, bool isNarrow);
}
