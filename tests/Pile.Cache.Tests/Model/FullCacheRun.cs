// Fills a cache with what cannot be evicted until nothing more fits, and takes all of it out again: whatever limit, sizes, writers and kind of pile there
// are, a full cache can be emptied. Everything is drawn from the seed.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class FullCacheRun
{
    private const int Refusals = 60;
    private const int RefusalsASize = 6;
    private const string Directory = "/cache";
    private static readonly int[] _sizes = [10, 100, 1000, 30_000, 200_000];
    private static readonly string[] _tags = ["a", "b"];

    private readonly Random _random;
    private readonly SimulatedFiles? _files;
    private readonly PileOptions _pile;
    private readonly PileCacheOptions _options;
    private readonly int _sizeMax;
    private readonly Way _way;
    private readonly HashSet<int>[] _keys;
    private readonly List<PilePointer> _pointers = [];

    internal FullCacheRun(int seed)
    {
        _random = new Random(seed);
        bool isTiny = _random.Next(3) != 0;
        _files = _random.Next(5) != 0 ? new SimulatedFiles() : null;
        _pile = (isTiny ? PileOptions.Tiny with { MemoryLimitBytes = null } : new PileOptions()) with
        {
            Files = _files ?? new PileOptions().Files,
            FlushInterval = _random.Next(2) == 0 ? TimeSpan.FromHours(1) : TimeSpan.FromMilliseconds(20),
            WritersMax = 1 + _random.Next(3),

            // On a busy machine a flush may take longer than a removal waits for it: it waits for so many looks.
            TimeProvider = new SteppingTime(TimeSpan.FromMicroseconds(1)),
        };
        _options = new PileCacheOptions
        {
            MemoryLimitBytes = isTiny ? (3 << 20) + _random.Next(3 << 20) : (16 << 20) + _random.Next(24 << 20),
            BackgroundCleaning = _random.Next(3) == 0,
        };
        _sizeMax = _sizes[_random.Next(_sizes.Length)];
        _way = (Way)_random.Next(4);
        _keys = [.. Enumerable.Range(0, 1 + _random.Next(3)).Select(static _ => new HashSet<int>())];
    }

    // What is done beside plain Sets of new keys.
    private enum Way
    {
        Plain,
        ObjectsOfTheProgram,
        ReplacedThenOpenedAgain,
        TaggedAndEnding,
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"limit {_options.MemoryLimitBytes:N0}, values up to {_sizeMax:N0}, {_way}, {_keys.Length} tables, {_pile.WritersMax} writers, files {_files is not null}, keeper {_options.BackgroundCleaning}, flush {_pile.FlushInterval}";

    /// <summary>Fills and empties it once.</summary>
    internal void Run()
    {
        using SimulatedFiles? files = _files;
        PileCache cache = Open();
        try
        {
            PileTable<int, byte[]>[] tables = Tables(cache);
            Fill(cache, tables, _random.Next(2) == 0 ? cache.GetOrCreateTable<int, byte[]>("speculative") : null);
            if (_way == Way.ReplacedThenOpenedAgain && _files is not null)
            {
                cache.Dispose();
                cache = Open();
                tables = Tables(cache);
            }

            Empty(cache, tables);
            PileVerifyReport report = cache.Pile.Verify();
            ModelMismatchException.Unless(report.IsGood, "verify", string.Join("; ", report.Findings));
        }
        finally
        {
            cache.Dispose();
        }
    }

    private PileCache Open() => _files is null ? PileCache.Create(_options, _pile) : PileCache.Open(Directory, _options, _pile);

    private PileTable<int, byte[]>[] Tables(PileCache cache) =>
        [.. Enumerable.Range(0, _keys.Length).Select(number => cache.GetOrCreateTable<int, byte[]>($"t{number}", new PileTableOptions { Kind = PileTableKind.Durable }))];

    private void Fill(PileCache cache, PileTable<int, byte[]>[] tables, PileTable<int, byte[]>? speculative)
    {
        int refused = 0;
        for (int number = 0; refused < Refusals; number++)
        {
            // Ever smaller ones as there is less room.
            int table = _random.Next(tables.Length);
            byte[] value = new byte[_random.Next(int.Max(1, _sizeMax >> (refused / RefusalsASize)))];
            if (_way == Way.ObjectsOfTheProgram && _random.Next(4) == 0)
            {
                if (cache.Pile.TryPutBytes(value, out PilePointer pointer) == PileStatus.Ok)
                {
                    _pointers.Add(pointer);
                }
                else
                {
                    refused++;
                }
            }
            else if (speculative is not null && _random.Next(8) == 0)
            {
                _ = speculative.Set(number, value);
            }
            else if (KeyOf(number) is var key && tables[table].Set(key, value, TermsOf()).IsStored)
            {
                _ = _keys[table].Add(key);
            }
            else
            {
                refused++;
            }
        }
    }

    private int KeyOf(int number) => _way == Way.ReplacedThenOpenedAgain ? _random.Next(number + 1) : number;

    private PileEntryOptions TermsOf() => _way == Way.TaggedAndEnding && _random.Next(3) == 0
        ? new PileEntryOptions { Tags = [_tags[_random.Next(2)]], TimeToLive = _random.Next(2) == 0 ? TimeSpan.FromHours(5) : null }
        : default;

    private void Empty(PileCache cache, PileTable<int, byte[]>[] tables)
    {
        foreach (PilePointer pointer in _pointers)
        {
            ModelMismatchException.Unless(cache.Pile.Delete(pointer), "delete", "the object is not there");
        }

        for (int table = 0; table < tables.Length; table++)
        {
            int[] keys = [.. _keys[table]];
            if (_random.Next(2) == 0)
            {
                _random.Shuffle(keys);
            }

            for (int index = 0; index < keys.Length; index++)
            {
                long begun = TimeProvider.System.GetTimestamp();
                try
                {
                    ModelMismatchException.Unless(tables[table].Remove(keys[index]), "remove", $"table {table} has no key {keys[index]}");
                }
                catch (PileFullException full)
                {
                    throw new ModelMismatchException("full", $"{index:N0} of {keys.Length:N0} were removed; the next took {TimeProvider.System.GetElapsedTime(begun)}; {cache.Pile.GetStatistics()}", full);
                }
            }

            ModelMismatchException.Unless(tables[table].Count == 0, "count", $"table {table} has {tables[table].Count} entries");
        }
    }
}
