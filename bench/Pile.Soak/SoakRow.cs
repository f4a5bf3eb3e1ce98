using System.Collections.Generic;
using System.Globalization;

namespace Pile.Soak;

/// <summary>One line of a scenario's table: named figures, in order.</summary>
internal sealed class SoakRow
{
    private readonly List<KeyValuePair<string, string>> _cells = [];

    /// <summary>The cells.</summary>
    internal IReadOnlyList<KeyValuePair<string, string>> Cells => _cells;

    internal SoakRow Add(string name, string text)
    {
        _cells.Add(new(name, text));
        return this;
    }

    internal SoakRow Add(string name, double value, string format = "0.###") => Add(name, value.ToString(format, CultureInfo.InvariantCulture));

    internal SoakRow Add(string name, long value) => Add(name, value.ToString(CultureInfo.InvariantCulture));
}
