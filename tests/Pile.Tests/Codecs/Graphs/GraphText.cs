using System;
using System.Globalization;
using System.Net;
using System.Numerics;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>Leaves of graphs: what is compared as one value, as text that holds every bit of it.</summary>
internal static class GraphText
{
    /// <summary>What differs between two leaves of one type, or null.</summary>
    internal static string? LeafDifference(object left, object right)
    {
        if (left is string leftText)
        {
            return string.Equals(leftText, (string)right, StringComparison.Ordinal) ? null : $"{Of(left)} became {Of(right)}";
        }

        string leftLeaf = Of(left);
        string rightLeaf = Of(right);
        return string.Equals(leftLeaf, rightLeaf, StringComparison.Ordinal) ? null : $"{leftLeaf} became {rightLeaf}";
    }

    /// <summary>A leaf as text.</summary>
    internal static string Of(object? value) => value switch
    {
        null => "null",
        string text => $"\"{(text.Length > 80 ? text[..80] + "..." : text)}\" of {text.Length} chars",
        float number => $"float {BitConverter.SingleToInt32Bits(number):x8}",
        double number => $"double {BitConverter.DoubleToInt64Bits(number):x16}",
        BigInteger number => $"BigInteger {number}",
        char letter => $"char {(int)letter:x4}",
        Enum member => $"{member.GetType()} {Convert.ToString(Convert.ChangeType(member, Enum.GetUnderlyingType(member.GetType()), CultureInfo.InvariantCulture), CultureInfo.InvariantCulture)}",
        StringBuilder builder => $"StringBuilder {builder}",
        Regex regex => $"Regex {regex} {regex.Options} {regex.MatchTimeout}",
        Uri uri => $"Uri {uri.OriginalString} {uri.IsAbsoluteUri}",
        CultureInfo culture => $"CultureInfo {culture.Name}",
        CompareInfo info => $"CompareInfo {info.Name}",
        TimeZoneInfo zone => $"TimeZoneInfo {zone.ToSerializedString()}",
        Encoding encoding => $"Encoding {encoding.CodePage} preamble {encoding.Preamble.Length} {encoding.DecoderFallback.GetType().Name} {encoding.EncoderFallback.GetType().Name}",
        JsonElement json => $"JsonElement {json.ValueKind} {(json.ValueKind == JsonValueKind.Undefined ? "" : json.GetRawText())}",
        IPAddress address => $"IPAddress {address}",
        Type type => $"Type {type.AssemblyQualifiedName}",
        StringComparer comparer => OfComparer(comparer),
        Missing => "Missing",
        IFormattable other => $"{value.GetType().Name} {other.ToString(null, CultureInfo.InvariantCulture)}",
        _ => value.GetType().ToString(),
    };

    /// <summary>What a comparer of strings does with pairs that tell comparers apart.</summary>
    private static string OfComparer(StringComparer comparer)
    {
        string[] probes = ["a", "A", "\u00e4", "\u00c4", "z", "i", "I", "\u0131", "\u0130", "ss", "\u00df", "co-op", "coop", "e\u0301", "\u00e9", "x", "x\0", "ll", "lz", "ch"];
        var text = new StringBuilder("StringComparer ");
        foreach (string left in probes)
        {
            foreach (string right in probes)
            {
                text.Append(comparer.Equals(left, right) ? '=' : int.Sign(comparer.Compare(left, right)) switch { < 0 => '<', > 0 => '>', _ => '~' });
            }
        }

        return text.ToString();
    }
}
