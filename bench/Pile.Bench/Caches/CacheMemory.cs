using System;
using System.Collections.Generic;
using System.Globalization;
using Pile.Bench.Mapped;
using Pile.Bench.Running;

namespace Pile.Bench.Caches;

/// <summary>Resident memory of a whole process for each entry, ours and a Redis: after the load, and after replacements.</summary>
internal sealed class CacheMemory : IWorkload
{
    private readonly Workplace _place;
    private readonly string _program = RedisServer.Find();
    private readonly int _entries;
    private int _round;

    internal CacheMemory(BenchSettings settings)
    {
        _entries = settings.Objects;
        _place = Workplace.OnDisk(settings, "memory");
        string what = string.Create(CultureInfo.InvariantCulture, $"resident bytes of the process, by the kernel, over {_entries:N0} entries of 12-byte keys and 100 B values, the same in both. Theirs: {RedisServer.Describe(_program)}, no persistence.");
        string replaced = what + " Replaced: three times as many SETs as there are entries, of random keys, in the same order in both.";
        Rows =
        [
            Row.Slower("cache: bytes per entry vs Redis, after the load", "memory", "redis", 0.85, 0.79, what) with { Unit = "B" },
            Row.Slower("cache: bytes per entry vs Redis, after replacements", "memory-replaced", "redis-replaced", 1.0, 0.92, replaced) with { Unit = "B" },
            Row.Slower("cache in files: bytes per entry vs Redis, after the load", "files", "redis", 0.95, null, what) with { Unit = "B" },
            Row.Slower("cache in files: bytes per entry vs Redis, after replacements", "files-replaced", "redis-replaced", 1.15, null, replaced + " In files: ProcessSafe; PowerSafe holds what waits for a flush beside it.") with { Unit = "B" },
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        // Every process is fresh, and memory needs no warm-up.
    }

    public void Round(Samples samples)
    {
        _round++;
        Ours(samples, "memory", MappedChild.CacheInMemory, "-");
        Ours(samples, "files", MappedChild.CacheInFiles, _place.Of(string.Create(CultureInfo.InvariantCulture, $"cache-{_round}")));
        Theirs(samples);
    }

    public void Dispose() => _place.Dispose();

    private void Ours(Samples samples, string series, string how, string directory)
    {
        using var child = new Child(AppContext.BaseDirectory, directory, how, _entries.ToString(CultureInfo.InvariantCulture));
        _ = child.Next();
        Keep(samples, series, child.Id);
        child.Go();
        _ = child.Next();
        Keep(samples, series + "-replaced", child.Id);
    }

    private void Theirs(Samples samples)
    {
        using var redis = new RedisServer(_program, _place.Of(string.Create(CultureInfo.InvariantCulture, $"redis-{_round}")), isDurable: false);
        using var client = new RedisClient(redis.Socket);
        foreach (string series in (string[])["redis", "redis-replaced"])
        {
            foreach (long[] keys in CacheEntries.Groups(_entries, isReplacing: series != "redis"))
            {
                client.SetMany(keys, CacheEntries.WriteKey, CacheEntries.Value);
            }

            Keep(samples, series, redis.Id);
        }
    }

    private void Keep(Samples samples, string series, int process)
    {
        double bytes = Resident.BytesOf(process) / (double)_entries;
        samples.Keep(series, new Spent(bytes, bytes));
    }
}
