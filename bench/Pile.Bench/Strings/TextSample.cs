using System;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Strings;

/// <summary>Texts of one kind and length, all different, the same in every run.</summary>
internal sealed record TextSample(string Kind, int Chars, string[] Texts)
{
    private const int Count = 1000;
    private const int Seed = 7;

    /// <summary>Every kind in every length.</summary>
    internal static IReadOnlyList<TextSample> All { get; } =
    [
        .. Kinds().SelectMany(kind => new[] { 8, 32, 256 }.Select(chars => Make(kind.Name, chars, kind.Next))),
    ];

    private static IEnumerable<(string Name, Func<Random, char> Next)> Kinds() =>
    [
        ("ASCII", random => (char)random.Next(' ', '\u007F')),
        ("Latin-1 (1 of 8 above ASCII)", random => random.Next(8) == 0 ? (char)random.Next('\u00C0', '\u0100') : (char)random.Next('a', 'z')),
        ("Cyrillic", random => random.Next(6) == 0 ? ' ' : (char)random.Next('\u0410', '\u0450')),
        ("CJK", random => (char)random.Next('\u4E00', '\u9FA0')),
        ("mixed (ASCII, 1 of 16 CJK)", random => random.Next(16) == 0 ? (char)random.Next('\u4E00', '\u9FA0') : (char)random.Next('a', 'z')),
    ];

    private static TextSample Make(string kind, int chars, Func<Random, char> next)
    {
        var random = new Random(Seed);
        return new(kind, chars, [.. Enumerable.Range(0, Count).Select(_ => string.Create(chars, random, (span, source) =>
        {
            foreach (ref char c in span)
            {
                c = next(source);
            }
        }))]);
    }
}
