using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;

namespace Pile.Tests.Docs;

/// <summary>Reads the tables of a document of docs, and what its words in backticks should name.</summary>
internal static partial class DocTable
{
    /// <summary>The text of a document.</summary>
    internal static string Read(string name)
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            string path = Path.Combine(folder.FullName, "docs", name);
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return File.ReadAllText(path);
            }
        }

        throw new FileNotFoundException($"No Pile.sln above {AppContext.BaseDirectory}: run the tests from their repository.", name);
    }

    /// <summary>The rows of all tables, without heads and rules.</summary>
    internal static List<string[]> Rows(string text)
    {
        List<string[]> rows = [];
        string[] lines = text.Split('\n');
        for (int index = 0; index < lines.Length; index++)
        {
            bool isHead = index + 1 < lines.Length && lines[index + 1].StartsWith("|---", StringComparison.Ordinal);
            if (lines[index].StartsWith("| ", StringComparison.Ordinal) && !isHead)
            {
                rows.Add([.. lines[index].Trim().Trim('|').Split('|').Select(static cell => cell.Trim())]);
            }
        }

        return rows;
    }

    /// <summary>The identifiers in backticks: one word in Pascal case.</summary>
    internal static IEnumerable<string> Names(string text) => NamePattern().Matches(text).Select(static match => match.Groups[1].Value);

    /// <summary>The quantities in a text: numbers with binary units resolved, and differences ("4 TiB less 64 MiB").</summary>
    internal static HashSet<double> Quantities(string text)
    {
        HashSet<double> found = [];
        double before = 0;
        foreach (Match match in QuantityPattern().Matches(text))
        {
            double unit = match.Groups["unit"].Value switch { "KiB" => 1L << 10, "MiB" => 1L << 20, "GiB" => 1L << 30, "TiB" => 1L << 40, _ => 1 };
            double value = unit * double.Parse(match.Groups["number"].Value, NumberStyles.Number, CultureInfo.InvariantCulture);
            found.Add(value);
            found.Add(match.Groups["less"].Success ? before - value : value);
            before = value;
        }

        return found;
    }

    /// <summary>Names that the assembly knows: types, members, constants; and the framework's own types.</summary>
    internal static HashSet<string> KnownNames()
    {
        HashSet<string> names = [.. typeof(Exception).Assembly.GetExportedTypes().Select(static type => type.Name)];
        foreach (Type type in ((Assembly[])[typeof(ObjectPile).Assembly, typeof(Cache.PileCache).Assembly, typeof(Caching.PileHybridCache).Assembly]).SelectMany(static assembly => assembly.GetTypes()))
        {
            names.Add(type.Name.Split('`')[0]);
            names.UnionWith(type.GetMembers(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance).Select(static member => member.Name));
        }

        return names;
    }

    [GeneratedRegex("`([A-Z][A-Za-z]+)`")]
    private static partial Regex NamePattern();

    [GeneratedRegex(@"(?<less>less )?(?<number>\d[\d,]*(?:\.\d+)?)(?: (?<unit>[KMGT]iB))?")]
    private static partial Regex QuantityPattern();
}
