using System.Collections.Generic;
using System.Globalization;
using Pile.Bench.Running;
using Pile.Cache;

namespace Pile.Bench.Mapped;

/// <summary>From the call of PileCache.Open to the first hit, in a fresh process: after a close and after a kill.</summary>
internal sealed class CacheReopens : IWorkload
{
    private const double NsOfMs = 1e6;
    private readonly Workplace _place;
    private readonly int _entries;
    private readonly PileTableKind _kind;
    private string _program = "";

    internal CacheReopens(BenchSettings settings, PileTableKind kind)
    {
        (_entries, _kind) = (settings.Objects, kind);
        _place = Workplace.OnDisk(settings, "cache");
        bool isDurable = kind == PileTableKind.Durable;
        string whose = isDurable ? "cache, durable table" : "cache";
        string what = string.Create(CultureInfo.InvariantCulture, $"{_entries:N0} entries, 8-byte keys, 100 B values: from the call of PileCache.Open until an entry was read, by a process just started; page cache warm. Pile.dll and Pile.Cache.dll as the packages have them. Ratio to 1 ms.");
        Rows =
        [
            Row.Slower($"{whose}: first hit after a close", "closed", "ms", 100, 20, what) with { Unit = "ms" },
            Row.Slower($"{whose}: first hit after kill -9", "killed", "ms", null, null, what + (isDurable ? " The index is built anew before, from all entries." : " Each entry's head is read once before.")) with { Unit = "ms" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        _program = Precompiled.Copy(_place.Of("precompiled"));
        CacheRun.Fill(_place.Of("cache"), _entries, _kind);
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        samples.Keep("ms", new Spent(1, 1));
        using (Child first = Start(samples, "closed"))
        {
            first.Kill();
        }

        using Child second = Start(samples, "killed");
        second.Close();
    }

    public void Dispose() => _place.Dispose();

    private Child Start(Samples samples, string series)
    {
        var child = new Child(_program, _place.Of("cache"), MappedChild.Cache, _entries.ToString(CultureInfo.InvariantCulture));
        samples.Keep(series, Told.ReadSpent(child) / NsOfMs);
        return child;
    }
}
