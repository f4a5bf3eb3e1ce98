using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace PackageGraph.Data;

/// <summary>Relation columns: items between ", ", alternatives between " | ", each with an optional qualifier and version bound
/// (Debian policy, chapter 7).</summary>
internal static class RelationText
{
    private const string ItemSeparator = ", ";
    private const string AlternativeSeparator = " | ";

    /// <summary>Reads a column.</summary>
    /// <exception cref="InvalidDataException">A name is empty or a bound is not closed.</exception>
    internal static List<RelationItem> Parse(string text)
    {
        List<RelationItem> items = [];
        if (text.Length == 0)
        {
            return items;
        }

        foreach (string item in text.Split(ItemSeparator))
        {
            bool isAlternative = false;
            foreach (string alternative in item.Split(AlternativeSeparator))
            {
                items.Add(ParseOne(alternative, isAlternative));
                isAlternative = true;
            }
        }

        return items;
    }

    /// <summary>Writes a column: the same text that it was read from.</summary>
    internal static string Format(IEnumerable<RelationItem> items)
    {
        var text = new StringBuilder();
        foreach (RelationItem item in items)
        {
            if (text.Length > 0)
            {
                text.Append(item.IsAlternative ? AlternativeSeparator : ItemSeparator);
            }

            text.Append(item.Name).Append(item.Qualifier);
            if (item.Bound.Length > 0)
            {
                text.Append(' ').Append(item.Bound);
            }
        }

        return text.ToString();
    }

    private static RelationItem ParseOne(string text, bool isAlternative)
    {
        int space = text.IndexOf(' ', StringComparison.Ordinal);
        string bound = space < 0 ? "" : text[(space + 1)..];
        string name = space < 0 ? text : text[..space];
        int colon = name.IndexOf(':', StringComparison.Ordinal);
        string qualifier = colon < 0 ? "" : name[colon..];
        name = colon < 0 ? name : name[..colon];
        bool isBoundGood = bound.Length == 0 || (bound[0] == '(' && bound[^1] == ')');
        return name.Length > 0 && isBoundGood
            ? new RelationItem(name, qualifier, bound, isAlternative)
            : throw new InvalidDataException($"'{text}' is no relation: a name, then perhaps :qualifier, then perhaps (operator version).");
    }
}
