// Threads that do at once all that a cache can do, on keys of their own and keys that they share, with tables that come and go, clears, removals
// by tag and a clock that moves; held to a model after each call. Between rounds everything is compared, and a cache in files closed and opened.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

/// <summary>The stress.</summary>
internal sealed class StressRun : IDisposable
{
    private const int Threads = 4;
    private const int SharedKeys = 12;
    private const int StepsOfChaos = 1_000;
    private const int FailuresMax = 5;

    // What takes the longest is a table that is cleared under others.
    private static readonly TimeSpan _goesOnWithin = TimeSpan.FromMinutes(1);

    private readonly int _seed;
    private readonly ManualClock _clock = new();
    private readonly SimulatedFiles? _files;
    private readonly StressOwned[][] _owned;
    private readonly StressShared[] _shared;
    private readonly StressSides _sides;
    private readonly Lock _chaos = new();
    private readonly List<string> _failures = [];
    private readonly int[] _steps = new int[Threads];
    private volatile bool _hasFailed;
    private long _full;
    private int _round;
    private long _openedBytes;

    internal StressRun(int seed, StressSetting setting)
    {
        _seed = seed;
        Setting = setting;
        _files = setting.IsInFiles ? new SimulatedFiles() : null;
        _sides = new StressSides(this);
        _owned = [.. Enumerable.Range(0, Threads).Select(thread => Enumerable.Range(0, setting.Keys).Select(key => new StressOwned(this, (key * Threads) + thread, NameOf(key, thread))).ToArray())];
        _shared = [.. Enumerable.Range(0, SharedKeys).Select(key => new StressShared(this, -1 - key, $"shared {key}"))];
        Open();
    }

    internal StressSetting Setting { get; }

    internal StressClears Clears { get; } = new();

    internal PileCache Cache { get; private set; } = null!;

    internal PileTable<string, byte[]> Table { get; private set; } = null!;

    internal long Now => _clock.GetUtcNow().UtcTicks;

    /// <summary>Whether an entry that nobody has removed may be missing.</summary>
    internal bool MayMiss => Setting.MayLose && Setting.Kind == PileTableKind.Speculative;

    /// <summary>Calls that were made.</summary>
    internal long Calls { get; private set; }

    /// <summary>Entries of the table that left for room.</summary>
    internal long Evictions { get; private set; }

    /// <summary>Stores that found none.</summary>
    internal long Full => Volatile.Read(ref _full);

    /// <summary>Notes such a store.</summary>
    internal bool NoteFull()
    {
        _ = Interlocked.Increment(ref _full);
        return Setting.MayLose;
    }

    public void Dispose()
    {
        if (!_hasFailed)
        {
            Cache.Dispose();
            _files?.Dispose();
        }
    }

    internal static string TagOf(int tag) => $"tag {tag}";

    /// <summary>How long a value is to be.</summary>
    internal int BytesOf(Random random) => random.Next(100) switch
    {
        < 15 when Setting.HasLarge => random.Next(20_000, 120_000),
        < 20 when !Setting.MayLose || Setting.HasLarge => random.Next(4_000, 15_000),
        _ when Setting.MayLose => random.Next(StressValue.BytesMin, 3_000),
        _ => random.Next(StressValue.BytesMin, 300),
    };

    internal void Unless(bool holds, string at, string what)
    {
        if (!holds)
        {
            throw new ModelMismatchException(at, $"{Setting}, seed {_seed}, round {_round}: {what}");
        }
    }

    /// <summary>Removes. In a full pile a removal may find no room for its note: then nothing was changed.</summary>
    /// <returns>Whether it was done.</returns>
    internal bool TryRemove(Func<bool> remove, out bool wasThere)
    {
        wasThere = false;
        try
        {
            wasThere = remove();
            return true;
        }
        catch (PileFullException) when (NoteFull())
        {
            return false;
        }
    }

    /// <summary>A round.</summary>
    internal void Round(int steps)
    {
        _round++;
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() => WorkOrFail(number, steps)) { IsBackground = true })];
        Array.ForEach(threads, static thread => thread.Start());
        for (long before = -1; !HaveEnded(threads);)
        {
            // A full pile takes its time for each call; one in which nobody goes on is at its end.
            long now = _steps.Sum(static step => (long)step);
            _hasFailed |= now == before;
            Unless(now != before, "no end", $"of {steps} steps threads have made {string.Join(", ", _steps)}");
            before = now;
        }

        Unless(_failures.Count == 0, "threads", string.Join(Environment.NewLine, _failures));
        try
        {
            Rest();
        }
        catch
        {
            // What is wrong here may keep a close from its end.
            _hasFailed = true;
            throw;
        }
    }

    /// <summary>Removes all, and looks what is left.</summary>
    internal void Empty()
    {
        _sides.Drop();
        bool isEmpty = true;
        foreach (string name in _owned.SelectMany(static keys => keys).Select(static key => key.Name).Concat(_shared.Select(static key => key.Name)))
        {
            isEmpty &= TryRemove(() => Table.Remove(name), out _);
        }

        if (!isEmpty)
        {
            return;
        }

        PileCacheStatistics left = Table.GetStatistics();
        Unless(left is { Entries: 0, EntryBytes: 0 } && !Table.Enumerate().Any(), "empty", $"{left.Entries} entries and {left.EntryBytes} bytes behind the removal of all");
        Verify();
    }

    private static bool HaveEnded(Thread[] threads)
    {
        long started = TimeProvider.System.GetTimestamp();
        return Array.TrueForAll(threads, thread => _goesOnWithin - TimeProvider.System.GetElapsedTime(started) is var left && left > TimeSpan.Zero && thread.Join(left));
    }

    private static string NameOf(int key, int thread) => (key % 3) switch
    {
        0 => $"{key}.{thread}",
        1 => $"{key}.{thread}{new string('x', key % 400)}",
        _ => $"\u043a\u043b\u044e\u0447 {key}.{thread}",
    };

    private void Open()
    {
        var options = new PileCacheOptions { MemoryLimitBytes = (long)Setting.LimitMiB << 20, TimeProvider = _clock };
        Cache = _files is null ? PileCache.Create(options, PileOptions.Tiny) : PileCache.Open(MappedCache.Directory, options, MappedCache.Options(_files));
        Table = Cache.GetOrCreateTable<string, byte[]>("table", new PileTableOptions { Kind = Setting.Kind });
        _openedBytes = Cache.GetStatistics().UsedBytes;
    }

    private void WorkOrFail(int number, int steps)
    {
        try
        {
            Work(number, steps);
        }
        catch (Exception failure)
        {
            lock (_failures)
            {
                _hasFailed = true;
                if (_failures.Count < FailuresMax)
                {
                    _failures.Add($"thread {number}: {failure}");
                }
            }
        }
    }

    private void Work(int number, int steps)
    {
        var random = new Random((_seed * 10_000) + (_round * 10) + number);
        int step = 0;
        for (; step < steps && !_hasFailed; step++)
        {
            Volatile.Write(ref _steps[number], step);
            switch (random.Next(100))
            {
                case < 50:
                    _owned[number][random.Next(Setting.Keys)].Own(random);
                    break;
                case < 75:
                    _owned[random.Next(Threads)][random.Next(random.Next(2) == 0 ? 20 : Setting.Keys)].Read(random);
                    break;
                case < 95:
                    _shared[random.Next(SharedKeys)].Call(random);
                    break;
                case < 98:
                    _sides.Use(random);
                    break;
                default:
                    _clock.Move(TimeSpan.FromMilliseconds(random.Next(3)));
                    break;
            }

            if (random.Next(StepsOfChaos) == 0 && _chaos.TryEnter())
            {
                try
                {
                    Chaos(random);
                }
                catch (PileFullException) when (NoteFull())
                {
                }
                finally
                {
                    _chaos.Exit();
                }
            }
        }

        lock (_failures)
        {
            Calls += step;
        }
    }

    private void Chaos(Random random)
    {
        switch (random.Next(100))
        {
            case < 2:
                KeyOrder.Change[] clears = Array.ConvertAll(_shared, static key => key.BeginClear());
                Clears.Do(StressClears.All, Table.Clear);
                for (int key = 0; key < clears.Length; key++)
                {
                    _shared[key].EndClear(clears[key]);
                }

                break;
            case < 40:
                int tag = random.Next(StressClears.Tags);
                Clears.Do(tag, () => (random.Next(2) == 0 ? Table.RemoveByTag : (Action<string>)Cache.RemoveByTag)(TagOf(tag)));
                break;
            case < 65:
                _sides.Next(random);
                break;
            case < 70:
                var seen = new HashSet<string>();
                Unless(Table.Enumerate().All(entry => seen.Add(entry.Key)), "enumerate", "a key came twice");
                break;
            case < 72:
                _ = Cache.Pile.Compact();
                break;
            default:
                PileCacheStatistics statistics = Cache.GetStatistics();

                // An open takes what is there, whatever the limit (decision 37). Where it, or the limit set behind it, left less than the reserve, the cleaner and who
                // deletes may each have a segment beyond, to give more back (MemoryLimitBytes).
                long beyond = _openedBytes + (RoomLimits.CleanerReserveSegments * Limits.SegmentBytesMin) > statistics.MemoryLimitBytes ? 2 * Limits.SegmentBytesMin : 0;
                long most = long.Max(statistics.MemoryLimitBytes, _openedBytes) + beyond;
                Unless(statistics.UsedBytes <= most, "limit", $"{statistics.UsedBytes:N0} of {statistics.MemoryLimitBytes:N0} bytes, {_openedBytes:N0} when it was opened");
                Unless(statistics.EvictableBytes >= 0, "evictable", $"{statistics.EvictableBytes:N0} bytes");
                break;
        }
    }

    private void Rest()
    {
        Compare();
        Verify();
        Evictions += Setting.IsInFiles || _round == 1 ? Table.GetStatistics().Evictions : Table.GetStatistics().Evictions - Evictions;
        if (Setting.IsInFiles)
        {
            Dictionary<string, byte[]> before = Table.Enumerate().ToDictionary(static entry => entry.Key, static entry => entry.Value);
            _sides.Drop();
            Cache.Dispose();
            Open();
            Unless(Cache.Recovery.All(static table => table.IsKept), "open", string.Join("; ", Cache.Recovery));
            string[] missing = [.. before.Keys.Where(name => !Table.ContainsKey(name))];
            Unless(missing.Length == 0 || MayMiss, "open", $"{missing.Length} of {before.Count} entries are missing: {string.Join(", ", missing.Take(10).Select(name => $"'{name}' {_owned.SelectMany(static keys => keys).FirstOrDefault(key => key.Name == name)}"))}; {string.Join("; ", Cache.Recovery)}");
            foreach ((string name, byte[] value) in before)
            {
                bool isThere = Table.TryGet(name, out byte[]? now);
                Unless(isThere ? now.AsSpan().SequenceEqual(value) : MayMiss, "open", $"'{name}' there {isThere}");
            }

            Unless(Table.Enumerate().All(entry => before.ContainsKey(entry.Key)), "open", "an entry came that was not there before");
            Compare();
        }
    }

    private void Compare()
    {
        Dictionary<string, byte[]> listed = Table.Enumerate().ToDictionary(static entry => entry.Key, static entry => entry.Value);
        foreach (StressOwned key in _owned.SelectMany(static keys => keys))
        {
            key.Rest(listed.GetValueOrDefault(key.Name));
        }

        PileCacheStatistics statistics = Table.GetStatistics();
        Unless(MayMiss || statistics.Entries >= listed.Count, "count", $"{statistics.Entries} entries, {listed.Count} listed");
    }

    private void Verify()
    {
        PileVerifyReport report = Cache.Pile.Verify();
        Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
    }
}
