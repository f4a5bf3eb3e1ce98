using System;
using System.Globalization;
using System.Linq;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>What a child told of its open; the last of its times is what the calling thread compiled in the open, the Get and the Put; the crawl's is part of the open's.</summary>
internal readonly record struct Told(PileOpening Opening, long Bytes, long CheckpointFlush, Spent Open, Spent Get, Spent Put, Spent Jit, Spent Crawl)
{
    /// <summary>The line that tells it.</summary>
    internal string Line => string.Join(' ', (string[])[Opening.ToString(), Number(Bytes), Number(CheckpointFlush), LineOf(Open), LineOf(Get), LineOf(Put), LineOf(Jit), LineOf(Crawl)]);

    /// <summary>Waits for it.</summary>
    internal static Told Read(Child child)
    {
        string[] words = child.Next();
        return new Told(
            Enum.Parse<PileOpening>(words[0]),
            long.Parse(words[1], CultureInfo.InvariantCulture),
            long.Parse(words[2], CultureInfo.InvariantCulture),
            SpentOf(words[3..5]),
            SpentOf(words[5..7]),
            SpentOf(words[7..9]),
            SpentOf(words[9..11]),
            SpentOf(words[11..13]));
    }

    /// <summary>Waits for a time alone.</summary>
    internal static Spent ReadSpent(Child child) => SpentOf(child.Next());

    /// <summary>A time as words.</summary>
    internal static string LineOf(Spent spent) => $"{Number(spent.WallNs)} {Number(spent.CpuNs)}";

    private static Spent SpentOf(string[] words)
    {
        double[] numbers = [.. words.Select(word => double.Parse(word, CultureInfo.InvariantCulture))];
        return new Spent(numbers[0], numbers[1]);
    }

    private static string Number(double number) => number.ToString("R", CultureInfo.InvariantCulture);
}
