using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.Compression;

namespace PackageGraph.Data;

/// <summary>The package index: tab separated, one header line, 13 columns; Brotli on disk.</summary>
internal static class PackageFile
{
    /// <summary>Its name beside the program.</summary>
    internal const string FileName = "debian-bookworm-packages.tsv.br";

    /// <summary>The header line.</summary>
    internal const string Header =
        "Package\tVersion\tSection\tPriority\tInstalled-Size\tSize\tMaintainer\tDescription\tDepends\tPre-Depends\tRecommends\tSuggests\tProvides";

    private const int FirstRelation = 8;
    private static readonly int _columns = Header.Split('\t').Length;

    /// <summary>Reads the file that was copied beside the program, or another.</summary>
    /// <exception cref="InvalidDataException">It is not what the header promises; the message names the line.</exception>
    internal static List<PackageRow> Read(string? path = null)
    {
        using var packed = new BrotliStream(File.OpenRead(path ?? Path.Combine(AppContext.BaseDirectory, FileName)), CompressionMode.Decompress);
        using var reader = new StreamReader(packed);
        return Parse(reader);
    }

    /// <summary>Reads text.</summary>
    /// <exception cref="InvalidDataException">It is not what the header promises; the message names the line.</exception>
    internal static List<PackageRow> Parse(TextReader reader)
    {
        if (reader.ReadLine() != Header)
        {
            throw new InvalidDataException("Line 1 is not the header of the package index.");
        }

        // The same few sections, priorities and maintainers come again and again.
        Dictionary<string, string> shared = new(StringComparer.Ordinal);
        string Share(string text)
        {
            shared.TryAdd(text, text);
            return shared[text];
        }

        List<PackageRow> rows = [];
        for (int line = 2; reader.ReadLine() is { } text; line++)
        {
            string[] cells = text.Split('\t');
            if (cells.Length != _columns)
            {
                throw new InvalidDataException($"Line {line} has {cells.Length} columns instead of {_columns}.");
            }

            int installed = 0;
            bool isGood = cells[4].Length == 0 || int.TryParse(cells[4], CultureInfo.InvariantCulture, out installed);
            if (!long.TryParse(cells[5], CultureInfo.InvariantCulture, out long size) || !isGood)
            {
                throw new InvalidDataException($"Line {line}: '{cells[4]}' or '{cells[5]}' is no size.");
            }

            rows.Add(new PackageRow(
                cells[0],
                cells[1],
                Share(cells[2]),
                Share(cells[3]),
                cells[4].Length == 0 ? null : installed,
                size,
                Share(cells[6]),
                cells[7],
                cells[FirstRelation..]));
        }

        return rows;
    }
}
