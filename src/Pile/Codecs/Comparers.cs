// Comparers as data: the default one is nil, those of the framework are a code or a culture, the program's own are objects.
// One made from a delegate can't be kept.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Comparers of collections.</summary>
internal static class Comparers
{
    private const int Ordinal = 0;
    private const int OrdinalIgnoreCase = 1;
    private const int Culture = 2;
    private static readonly PropertyInfo _hashtableComparer =
        typeof(Hashtable).GetProperty("EqualityComparer", BindingFlags.Instance | BindingFlags.NonPublic)!;

    /// <summary>Null for the default comparer.</summary>
    internal static object? OrNull<T>(IEqualityComparer<T>? comparer) => ReferenceEquals(comparer, EqualityComparer<T>.Default) ? null : comparer;

    /// <summary>Null for the default comparer.</summary>
    internal static object? OrNull<T>(IComparer<T>? comparer) => ReferenceEquals(comparer, Comparer<T>.Default) ? null : comparer;

    /// <summary>The comparer of a hashtable, or null.</summary>
    internal static object? OfHashtable(Hashtable table) => _hashtableComparer.GetValue(table);

    /// <summary>Whether comparers can work as soon as they are read.</summary>
    internal static bool AreSettled(params ReadOnlySpan<object?> comparers)
    {
        foreach (object? comparer in comparers)
        {
            if (comparer is not (null or StringComparer))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether what is compared are references alone.</summary>
    internal static bool IsByReference(params ReadOnlySpan<object?> comparers) => comparers.Length == 1 && comparers[0] is ReferenceEqualityComparer;

    /// <summary>Whether the reader stands at a comparer that can work as soon as it is read, and refers to nothing.</summary>
    internal static bool IsSettledNext(ref GraphReader reader)
    {
        byte code = reader.Wire.Peek();
        if (code == WireCode.Nil)
        {
            return true;
        }

        WireReader at = reader.Wire;
        return WireTypes.Of(code) == WireType.Array && at.ReadArrayHeader() > 0 && WireTypes.Of(at.Peek()) == WireType.Integer
            && reader.Table.Version(at.ReadInt32()).Plan.Type == typeof(StringComparer);
    }

    /// <summary>The plan of the framework's string comparers.</summary>
    internal static Plan StringComparers() => new PartsPlan<StringComparer>(
        [Part.Of<int>("code"), Part.Of<string>("culture"), Part.Of<int>("options")],
        static (w, comparer) =>
        {
            if (StringComparer.IsWellKnownOrdinalComparer(comparer, out bool ignoreCase))
            {
                Write(w, ignoreCase ? OrdinalIgnoreCase : Ordinal, null, 0);
            }
            else if (StringComparer.IsWellKnownCultureAwareComparer(comparer, out CompareInfo? info, out CompareOptions options))
            {
                Write(w, Culture, info.Name, (int)options);
            }
            else
            {
                throw Refuse.AType(comparer.GetType(), comparer);
            }
        },
        static (ref r) =>
        {
            int code = r.Wire.ReadInt32();
            string? culture = r.ReadString();
            int options = r.Wire.ReadInt32();
            return code switch
            {
                Ordinal => StringComparer.Ordinal,
                OrdinalIgnoreCase => StringComparer.OrdinalIgnoreCase,
                Culture => StringComparer.Create(CultureInfo.GetCultureInfo(culture ?? string.Empty), (CompareOptions)options),
                _ => throw new ArgumentException($"no comparer has code {code}"),
            };
        });

    /// <summary>The plan of the default equality comparer of a type.</summary>
    public static Plan Equality<T>() => new PartsPlan<EqualityComparer<T>>([], static (_, _) => { }, static (ref _) => EqualityComparer<T>.Default);

    /// <summary>The plan of the default comparer of a type.</summary>
    public static Plan Order<T>() => new PartsPlan<Comparer<T>>([], static (_, _) => { }, static (ref _) => Comparer<T>.Default);

    private static void Write(GraphWriter writer, int code, string? culture, int options)
    {
        writer.WriteInt32(code);
        writer.WriteString(culture);
        writer.WriteInt32(options);
    }
}
