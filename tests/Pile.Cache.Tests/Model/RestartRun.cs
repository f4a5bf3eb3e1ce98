// The life of a cache in files beside a dictionary: opened, used, closed, killed, cut, again and again; and meanwhile, within operations,
// opens and closes, what a kill at that moment would leave is opened and compared. Nothing is evicted: the limit is far away.
// A clean stop and a kill between two operations lose nothing; a kill within one may lose the chains that it was changing, of a speculative
// table. A durable one loses nothing by a kill, and by a power cut nothing that was flushed; it is cleared and dropped whole or not at all.
using System;
using System.Collections.Generic;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class RestartRun(int seed, PileTableKind kind = PileTableKind.Speculative)
{
    private const int Keys = 1500;
    private const int EntriesOfChain = 64;

    [ThreadStatic]
    private static RestartRun? _ofThread;

    private readonly Random _random = new(seed);
    private readonly ManualClock _clock = new();
    private readonly List<SimulatedFiles> _within = [];
    private Dictionary<int, (byte[] Value, DateTimeOffset End)> _model = [];
    private readonly List<SimulatedFiles> _cutWithin = [];
    private readonly KeyStates _states = new();
    private SimulatedFiles? _taken;
    private bool _isFlushed;
    private int _chance;
    private StopPoint _from;
    private int _images;
    private string _at = "begin";

    /// <summary>How often each point was passed.</summary>
    internal int[] PointsPassed { get; } = new int[Enum.GetValues<StopPoint>().Length];

    /// <summary>Kills within operations whose outcome was opened and compared.</summary>
    internal int Within { get; private set; }

    /// <summary>A moment within an operation of this thread, of those that the test build knows.</summary>
    internal static void AtPoint(StopPoint point)
    {
        if (_ofThread is { } run)
        {
            run.PointsPassed[(int)point]++;
            if (point >= run._from)
            {
                run.Take();
            }
        }
    }

    /// <summary>Lives.</summary>
    internal void Run(int sessions, int steps)
    {
        _ofThread = this;
        try
        {
            var files = new SimulatedFiles();
            bool isKept = true;
            for (int session = 0; session < sessions; session++)
            {
                _at = $"session {session}, open";
                TakeFrom(files);
                using var mapped = new MappedCache(files, _clock, 24 << 20);
                TakeNoMore();
                if (!isKept)
                {
                    _model = [];
                }

                PileTable<int, byte[]> table = Compare(mapped, _model, lossMax: 0);
                CompareWithin(_model, key: -1, default);
                if (IsDurable)
                {
                    mapped.Cache.Pile.Commit();
                    _states.Flushed();
                }

                for (int step = _random.Next(1, steps); step > 0; step--)
                {
                    table = Step(mapped, table, files, $"session {session}, {step} steps before its end");
                }

                mapped.Verify();
                (files, isKept) = End(mapped, files, session);
            }

            files.Dispose();
        }
        catch (Exception failure) when (failure is not ModelMismatchException)
        {
            throw new InvalidOperationException($"seed {seed}, {_at}: {failure.Message}", failure);
        }
        catch (ModelMismatchException failure)
        {
            throw new ModelMismatchException(failure.Detector, $"seed {seed}, {_at}: {failure.Message}");
        }
        finally
        {
            _ofThread = null;
        }
    }

    private PileTable<int, byte[]> Step(MappedCache mapped, PileTable<int, byte[]> table, SimulatedFiles files, string when)
    {
        int key = _random.Next(Keys);
        int choice = _random.Next(1000);
        (byte[] Value, DateTimeOffset End) after = default;
        Dictionary<int, (byte[] Value, DateTimeOffset End)> before = _model;
        if (_random.Next(choice is >= 805 and < 820 ? 4 : 20) == 0)
        {
            TakeFrom(files, _random.Next(2) == 0 ? default : StopPoint.CacheAppended);
        }

        if (choice < 600)
        {
            _at = $"{when}, set {key}";
            byte[] value = new byte[_random.Next(40) == 0 ? _random.Next(12_000, 40_000) : _random.Next(200)];
            _random.NextBytes(value);
            TimeSpan life = TimeSpan.FromSeconds(_random.Next(1, 2000));
            after = (value, _clock.GetUtcNow() + life);
            ModelMismatchException.Unless(table.Set(key, value, new PileEntryOptions { TimeToLive = life }).IsStored, "full", "a Set was refused");
        }
        else if (choice < 800)
        {
            _at = $"{when}, remove {key}";
            _ = table.Remove(key);
        }
        else
        {
            key = -1;
            table = Other(mapped, table, when, choice);
        }

        TakeNoMore();
        if (key >= 0)
        {
            _ = _states.Note(key, before.GetValueOrDefault(key), after);
        }

        CompareWithin(before, key, after);
        if (_isFlushed)
        {
            _states.Flushed();
            _isFlushed = false;
        }

        if (key >= 0 && after.Value is not null)
        {
            _model[key] = after;
        }
        else
        {
            _ = _model.Remove(key);
        }

        return table;
    }

    private PileTable<int, byte[]> Other(MappedCache mapped, PileTable<int, byte[]> table, string when, int choice)
    {
        switch (choice)
        {
            case 800:
                _at = $"{when}, drop";
                _ = mapped.Cache.DropTable("table");
                _model = [];
                TakeNoMore();
                _isFlushed = true;
                return Table(mapped);
            case 801:
                _at = $"{when}, clear of the table";
                table.Clear();
                _model = [];
                _isFlushed = true;
                return table;
            case 802:
                _at = $"{when}, clear of the pile";
                mapped.Cache.Pile.Clear();
                _model = [];
                _isFlushed = true;
                return table;
            case < 805:
                _at = $"{when}, remove many";
                for (int item = _random.Next(10); item < Keys; item += item % 10 == 0 ? 2 : 1)
                {
                    _ = table.Remove(item);
                    _ = _states.Note(item, _model.GetValueOrDefault(item), default);
                    _ = _model.Remove(item);
                }

                TakeNoMore();
                DiscardWithin();
                TakeFrom(mapped.Files, StopPoint.CacheCellsTaken, images: 6);
                mapped.Tick();
                return table;
            case < 812:
                _at = $"{when}, set many";
                for (int item = 0; item < Keys / 2; item++)
                {
                    (int some, byte[] filler) = (_random.Next(Keys), [(byte)item, (byte)(item >> 8)]);
                    ModelMismatchException.Unless(table.Set(some, filler).IsStored, "full", "a Set was refused");
                    _ = _states.Note(some, _model.GetValueOrDefault(some), (filler, DateTimeOffset.MaxValue));
                    _model[some] = (filler, DateTimeOffset.MaxValue);
                }

                TakeNoMore();
                DiscardWithin();
                return table;
            case < 820:
                _at = $"{when}, tick";
                mapped.Tick();
                return table;
            case < 830:
                _at = $"{when}, compact";
                _ = mapped.Cache.Pile.Compact(1.05, default);
                return table;
            case < 840:
                _at = $"{when}, commit";
                mapped.Cache.Pile.Commit();
                _isFlushed = true;
                return table;
            case < 860:
                _clock.Move(TimeSpan.FromSeconds(_random.Next(60)));
                return table;
            default:
                int key = _random.Next(Keys);
                bool isThere = _model.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) && held.End > _clock.GetUtcNow();
                bool isFound = table.TryGet(key, out byte[]? value);
                ModelMismatchException.Unless(isFound == isThere && (!isThere || held.Value.AsSpan().SequenceEqual(value)), "read", $"key {key}");
                return table;
        }
    }

    private (SimulatedFiles Files, bool IsKept) End(MappedCache mapped, SimulatedFiles files, int session)
    {
        SimulatedFiles next = files;
        bool isKept = true;
        switch (_random.Next(4))
        {
            case 0:
                _at = $"session {session}, killed";
                next = files.Fork();
                break;
            case 1:
                _at = $"session {session}, cut";
                next = files.PowerCut(_random);
                isKept = IsDurable;
                TakeAfterCut(next);
                break;
            default:
                _at = $"session {session}, closed";
                TakeFrom(files);
                break;
        }

        mapped.Dispose();
        TakeNoMore();
        CompareWithin(_model, key: -1, default);
        if (next != files)
        {
            files.Dispose();
        }

        return (next, isKept);
    }

    /// <summary>Opens what a kill within the last operation has left: the operation's key is as before, as after, or gone.</summary>
    private void CompareWithin(Dictionary<int, (byte[] Value, DateTimeOffset End)> before, int key, (byte[] Value, DateTimeOffset End) after)
    {
        string at = _at;
        foreach (SimulatedFiles files in _within)
        {
            _at = $"{at}, killed within";
            Within++;
            using (var mapped = new MappedCache(files, _clock, 24 << 20))
            {
                var expected = new Dictionary<int, (byte[] Value, DateTimeOffset End)>(before);
                bool isCleared = before != _model;
                PileTable<int, byte[]> table = Table(mapped);
                _ = table.TryGet(key, out byte[]? found);
                bool isAfter = found is not null && after.Value is not null && after.Value.AsSpan().SequenceEqual(found);
                if (key >= 0 && isAfter)
                {
                    expected[key] = after;
                }
                else if (key >= 0 && found is null && (!IsDurable || after.Value is null))
                {
                    _ = expected.Remove(key);
                }

                // Chains were cut off in the midst of a change, or the whole table in the midst of its end: of a durable one all or nothing.
                bool isGone = isCleared && IsDurable && table.Count == 0;
                _ = Compare(mapped, isGone ? [] : expected, IsDurable ? 0 : isCleared ? expected.Count : EntriesOfChain);
            }

            files.Dispose();
        }

        _within.Clear();
        foreach (SimulatedFiles files in _cutWithin)
        {
            _at = $"{at}, cut within";
            Within++;
            _ = CompareCut(files, before, mayBeEmpty: before != _model);
            files.Dispose();
        }

        _cutWithin.Clear();
        _at = at;
    }

    /// <summary>Looks at what a power cut has left of a durable table, and goes on from there.</summary>
    private void TakeAfterCut(SimulatedFiles files)
    {
        if (IsDurable)
        {
            using SimulatedFiles copy = files.Fork();
            _model = CompareCut(copy, _model, mayBeEmpty: false);
            _states.Flushed();
        }
    }

    /// <summary>Opens what a power cut has left: each key is as at the last flush, or as it was since.</summary>
    /// <returns>What is there.</returns>
    private Dictionary<int, (byte[] Value, DateTimeOffset End)> CompareCut(SimulatedFiles files, Dictionary<int, (byte[] Value, DateTimeOffset End)> last, bool mayBeEmpty)
    {
        using var mapped = new MappedCache(files, _clock, 24 << 20);
        mapped.Verify();
        return TableComparison.Cut(Table(mapped), last, _states, Keys, _clock.GetUtcNow(), mayBeEmpty);
    }

    /// <summary>Forgets kills within what is no single operation.</summary>
    private void DiscardWithin()
    {
        _within.ForEach(static files => files.Dispose());
        _within.Clear();
        _cutWithin.ForEach(static files => files.Dispose());
        _cutWithin.Clear();
    }

    private PileTable<int, byte[]> Compare(MappedCache mapped, Dictionary<int, (byte[] Value, DateTimeOffset End)> expected, int lossMax)
    {
        mapped.Verify();
        PileTable<int, byte[]> table = Table(mapped);
        TableComparison.Exact(table, expected, Keys, _clock.GetUtcNow(), lossMax);
        return table;
    }

    private bool IsDurable => kind == PileTableKind.Durable;

    private PileTable<int, byte[]> Table(MappedCache mapped) => mapped.Table<int, byte[]>(new PileTableOptions { Kind = kind });

    private void TakeFrom(SimulatedFiles files, StopPoint from = default, int images = 1)
    {
        _from = from;
        _images = images;
        _taken = files;
        _chance = _random.Next(1, 12);
        files.AtCall = _ => Take();
    }

    private void TakeNoMore()
    {
        if (_taken is { } files)
        {
            files.AtCall = null;
        }

        _taken = null;
    }

    private void Take()
    {
        // Not within a comparison, and seldom: each is an open.
        if (_taken is { } files && --_chance == 0)
        {
            if (IsDurable && _random.Next(3) == 0)
            {
                _cutWithin.Add(files.PowerCut(_random));
            }
            else
            {
                _within.Add(files.Fork());
            }

            _chance = _random.Next(1, 12);
            if (--_images == 0)
            {
                TakeNoMore();
            }
        }
    }
}
