using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Languages;

namespace Pile.Programs.Tests.Languages;

/// <summary>Products with values at which languages part: where integers, floats, lengths and moments get another form, and where a number, a
/// text or a date of a language ends.</summary>
internal static class Corpus
{
    private const int Seed = 1912;
    private const int RandomProducts = 100;

    private static readonly long[] _integers =
    [
        0, 1, -1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, int.MaxValue, int.MaxValue + 1L, uint.MaxValue, uint.MaxValue + 1L, -32, -33, -128, -129, -32768, -32769, int.MinValue, int.MinValue - 1L,
        (1L << 53) - 1, 1L << 53, (1L << 53) + 1, -(1L << 53) - 1, long.MaxValue - 1, long.MaxValue, long.MinValue,
    ];

    private static readonly double[] _floats =
        [0, -0.0, 1, -1, 100, 0.1, 1.5, 1e21, 1e300, double.Epsilon, double.MaxValue, double.MinValue, double.PositiveInfinity, double.NegativeInfinity, BitConverter.Int64BitsToDouble(0x7ff8_0000_0000_0000), 9007199254740993, 1.0 / 3, 16777217];

    // A duck of two chars, a composed and a decomposed letter, text from right to left, a joined family, the last code point, and all that escapes need.
    private static readonly string[] _texts =
        ["", "a", "\ud83e\udd86", "Zo\u00eb", "Zoe\u0308", "\u05e9\u05dc\u05d5\u05dd", "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67", "\udbff\udfff", "\0", "\"\\\n\r\t\u2028\ufeff", "null", "__proto", "7"];

    private static readonly int[] _lengths = [0, 1, 15, 16, 31, 32, 255, 256, 65535, 65536];

    private static readonly DateTime[] _moments =
    [
        DateTime.UnixEpoch, DateTime.UnixEpoch.AddTicks(1), DateTime.UnixEpoch.AddTicks(-1), DateTime.UnixEpoch.AddSeconds(uint.MaxValue), DateTime.UnixEpoch.AddSeconds(uint.MaxValue + 1L),
        DateTime.UnixEpoch.AddSeconds((1L << 34) - 1).AddTicks(9_999_999), DateTime.UnixEpoch.AddSeconds(1L << 34), new(1, 1, 1, 0, 0, 0, DateTimeKind.Utc), DateTime.SpecifyKind(DateTime.MaxValue, DateTimeKind.Utc),
        new DateTime(2026, 11, 22, 23, 59, 59, DateTimeKind.Utc).AddTicks(1_234_567),
    ];

    /// <summary>The products.</summary>
    internal static List<Product> All()
    {
        List<Product> all =
        [
            .. _integers.Select(static one => new Product { Id = one, Stock = { ["here"] = one, ["there"] = -one } }),
            .. _floats.Select(static one => new Product { Price = one }),
            .. _texts.Select(static one => new Product { Name = one, Note = one, Stock = { [one] = 1 }, Tags = { one, one } }),
            .. _lengths.Select(static length => new Product { Name = new string('n', length), Note = new string('\u00e4', length), Picture = new byte[length], Tags = [.. Enumerable.Repeat("t", length)] }),
            .. _moments.Select(static one => new Product { Changed = one }),
            new Product { Picture = new byte[5 << 20] }, // beyond the 4 MiB that the libraries of gRPC receive unless told otherwise
            new Product { Stock = Enumerable.Range(0, 70000).ToDictionary(static at => $"place {at}", static at => at * 7L) },
        ];
        var random = new Random(Seed);
        for (int at = 0; at < RandomProducts; at++)
        {
            all.Add(new Product
            {
                Id = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64),
                Name = Text(random),
                Price = BitConverter.Int64BitsToDouble(random.NextInt64(0x7fef_ffff_ffff_ffff)) * (random.Next(2) == 0 ? 1 : -1),
                Picture = random.Next(4) == 0 ? null : [.. Enumerable.Range(0, random.Next(600)).Select(_ => (byte)random.Next(256))],
                Note = random.Next(4) == 0 ? null : Text(random),
                Stock = Enumerable.Range(0, random.Next(20)).Select(place => $"{place} {Text(random)}").ToDictionary(static place => place, _ => random.NextInt64() >> random.Next(64)),
                Tags = [.. Enumerable.Range(0, random.Next(20)).Select(_ => Text(random))],
                Changed = new DateTime(random.NextInt64(DateTime.MaxValue.Ticks), DateTimeKind.Utc),
            });
        }

        foreach (Product product in all.Where(static product => product.Changed.Kind != DateTimeKind.Utc))
        {
            product.Changed = DateTime.UnixEpoch;
        }

        return all;
    }

    private static string Text(Random random)
    {
        var text = new StringBuilder();
        for (int left = random.Next(40); left > 0; left--)
        {
            int code = random.Next(3) switch { 0 => random.Next(0x80), 1 => random.Next(0xd800), _ => random.Next(0xe000, 0x11_0000) };
            _ = text.Append(new Rune(code).ToString());
        }

        return text.ToString();
    }
}
