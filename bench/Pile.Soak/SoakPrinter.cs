using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Pile.Soak;

/// <summary>Prints rows as they come: as JSON, one object a line, or as a plain table with a new heading where columns change.</summary>
internal sealed class SoakPrinter(bool json)
{
    private string _heading = string.Empty;
    private int[] _widths = [];

    internal void Print(IReadOnlyList<KeyValuePair<string, string>> cells)
    {
        if (json)
        {
            Console.WriteLine(JsonSerializer.Serialize(cells.ToDictionary(cell => cell.Key, cell => cell.Value)));
            return;
        }

        string heading = string.Join('|', cells.Select(cell => cell.Key));
        if (heading != _heading)
        {
            _heading = heading;
            _widths = [.. cells.Select(cell => int.Max(cell.Key.Length, int.Max(cell.Value.Length, 12)))];
            Console.WriteLine(string.Join("  ", cells.Select((cell, index) => cell.Key.PadLeft(_widths[index]))));
        }

        Console.WriteLine(string.Join("  ", cells.Select((cell, index) => cell.Value.PadLeft(_widths[index]))));
    }
}
