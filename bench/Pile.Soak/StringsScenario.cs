using System;
using System.Threading;
using Pile.Soak.Baselines;

namespace Pile.Soak;

/// <summary>What a string of 32 ASCII characters costs, everything included.</summary>
internal static class StringsScenario
{
    internal static string[] Cases { get; } = ["32 chars"];

    internal static void Run(string name, SoakOptions options, Action<SoakRow> report)
    {
        int objects = options.Objects(10_000_000);
        var regions = new CountedRegions();
        using ObjectPile pile = ObjectPile.Create(new PileOptions { Regions = regions });
        Span<char> text = stackalloc char[32];
        for (int index = 0; index < objects; index++)
        {
            text.Fill('a');
            _ = index.TryFormat(text, out _, provider: System.Globalization.CultureInfo.InvariantCulture);
            _ = pile.PutString(text);
        }

        report(Row("filled", pile, objects, regions));

        // The background thread gives free segments back a few seconds after the last write.
        Thread.Sleep(TimeSpan.FromSeconds(5));
        report(Row("5 s later", pile, objects, regions));
    }

    private static SoakRow Row(string name, ObjectPile pile, int objects, CountedRegions regions)
    {
        PileStatistics statistics = pile.GetStatistics();
        return new SoakRow()
            .Add("case", name)
            .Add("objects", objects)
            .Add("used B/object", (double)statistics.UsedBytes / objects)
            .Add("resident B/object", (double)regions.ResidentBytes() / objects)
            .Add("table B/object", (double)statistics.TableBytes / objects)
            .Add("segment B/object", (double)statistics.SegmentBytes / objects);
    }
}
