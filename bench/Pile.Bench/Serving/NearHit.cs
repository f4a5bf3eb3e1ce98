using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>A hit of a near cache against one of a cache of the same entries, in one process. The server is there for the watch alone.</summary>
internal sealed class NearHit : IWorkload
{
    private const int Keys = 10_000;
    private readonly Workplace _place;
    private readonly ServedPile _pile;
    private readonly Pinned _client;
    private readonly int _reads;

    internal NearHit(BenchSettings settings)
    {
        _reads = settings.Quick ? 1_000_000 : 10_000_000;
        _place = Workplace.OnDisk(settings, "near-hit");
        _pile = ServedPile.InMemory(1, _place.FullName);
        _client = ServedPile.Client("near", _pile.Address, Keys.ToString(CultureInfo.InvariantCulture));
        _ = _client.Next();
        Rows =
        [
            Row.Slower("client: near-cache hit vs PileCache hit", "near", "cache", 1.1, null, "One thread on core 1, 10,000 entries in each, random keys of 16 chars, values of 100 bytes into the caller's memory, in turns of a twentieth."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare() => _ = Ask();

    public void Round(Samples samples)
    {
        double[] said = Ask();
        samples.Keep("near", new Spent(said[0], said[0]));
        samples.Keep("cache", new Spent(said[1], said[1]));
    }

    public void Dispose()
    {
        _client.Dispose();
        _pile.Dispose();
        _place.Dispose();
    }

    private double[] Ask() =>
        [.. _client.Ask(_reads.ToString(CultureInfo.InvariantCulture)).Split(' ').Select(static word => double.Parse(word, CultureInfo.InvariantCulture))];
}
