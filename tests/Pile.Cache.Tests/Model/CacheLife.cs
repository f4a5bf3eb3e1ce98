// The life of a cache whose table is durable, in the files of a simulated machine, beside a dictionary: entries that end, slide and have tags, with small
// values and large ones; the program's own objects in the same pile; commits and checkpoints among which others go on; closed, killed and cut between
// operations and within them, opens among them. What was committed is there, what was removed is not, and what neither covers is as it was once since.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class CacheLife(int seed)
{
    private const int Keys = 120;
    private const int TagCount = 3;
    private const int LimitBytes = 24 << 20;
    private const int LargeBytesMin = 16_000;
    private const int MeanwhileMax = 5;
    private const int FreeBytesMin = 4 << 20;
    private static readonly PileTableOptions _options = new() { Kind = PileTableKind.Durable };

    private readonly Random _random = new(seed);
    private readonly OwnObjects _own = new(new Random(seed));
    private readonly ManualClock _clock = new();
    private readonly KeyStates _states = new();
    private readonly List<(SimulatedFiles Files, bool IsCut, string Call)> _within = [];
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private Dictionary<int, (byte[] Value, DateTimeOffset End)> _model = [];
    private MappedCache? _meanwhileOn;
    private bool _isMeanwhile;
    private SimulatedFiles? _taken;
    private int _chance;
    private string _at = "begin";

    /// <summary>What an operation changes: one thing, or many whole or not at all. What empties is durable when it has returned.</summary>
    private enum Step
    {
        Single,
        Whole,
        Emptying,
        EmptyingAll,
    }

    /// <summary>Kills and cuts within operations whose outcome was opened and compared.</summary>
    internal int Within { get; private set; }

    /// <summary>Cuts and kills between operations.</summary>
    internal int Between { get; private set; }

    /// <summary>How often something was done while a commit or a checkpoint was at work.</summary>
    internal int Meanwhiles { get; private set; }

    internal void Run(int sessions, int steps)
    {
        try
        {
            var files = new SimulatedFiles();
            for (int session = 0; session < sessions; session++)
            {
                _at = $"session {session}, open";
                TakeFrom(files);
                using var mapped = new MappedCache(files, _clock, LimitBytes);
                TakeNoMore();
                Compare(mapped);
                CompareWithin(Step.Single, _model, _own.Known());
                for (int step = _random.Next(1, steps); step > 0; step--)
                {
                    _at = $"session {session}, {step} steps before its end";
                    Do(mapped);
                }

                Compare(mapped);
                files = End(mapped, files, session);
            }

            files.Dispose();
        }
        catch (Exception failure)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name;
            throw new ModelMismatchException(detector, $"seed {seed}, {_at}: {failure.Message}", failure);
        }
    }

    private static PileTable<int, byte[]> Table(MappedCache mapped) => mapped.Table<int, byte[]>(_options);

    private static bool HasTag(byte[] value, int tag) => value[0] == tag + 1;

    private void Do(MappedCache mapped)
    {
        var before = new Dictionary<int, (byte[] Value, DateTimeOffset End)>(_model);
        Dictionary<int, byte[]?> ownBefore = _own.Known();
        Step step = Step.Single;
        Action done = static () => { };
        int choice = _random.Next(1000);
        if (_random.Next(choice >= 900 ? 3 : 12) == 0)
        {
            TakeFrom(mapped.Files);
        }

        switch (choice)
        {
            case < 900:
                ChangeOne(mapped);
                break;
            case < 940:
                done = Commit(mapped);
                break;
            case < 960:
                step = Step.Whole;
                RemoveByTag(mapped);
                break;
            case < 975:
                _at += ", tick";
                mapped.Tick();
                break;
            case < 985:
                _at += ", compact";
                _ = mapped.Cache.Pile.Compact(1.05, default);
                break;
            case < 995:
                _clock.Move(TimeSpan.FromSeconds(_random.Next(100)));
                break;
            case < 998:
                step = Step.Emptying;
                done = Empty(mapped, choice == 997);
                break;
            default:
                step = Step.EmptyingAll;
                _at += ", clear of the pile";
                mapped.Cache.Pile.Clear();
                _model = [];
                _own.Cleared();
                done = () =>
                {
                    _states.Flushed();
                    _own.Flushed();
                };
                break;
        }

        TakeNoMore();
        CompareWithin(step, before, ownBefore);
        done();
    }

    private void ChangeOne(MappedCache mapped)
    {
        PileTable<int, byte[]> table = Table(mapped);
        int key = _random.Next(Keys);
        int choice = _random.Next(100);
        switch (choice)
        {
            case < 45:
                Set(table, key, choice);
                break;
            case < 60:
                _at += $", remove {key}";
                _ = table.Remove(key);
                Note(key, default);
                break;
            case < 85:
                _at += $", read {key}";
                Read(table, key);
                break;
            default:
                _at += ", an object of the program's";
                _own.Change(mapped.Cache.Pile);
                break;
        }
    }

    private void Set(PileTable<int, byte[]> table, int key, int choice)
    {
        _at += $", set {key}";
        byte[] value = new byte[_random.Next(8) == 0 ? _random.Next(LargeBytesMin, 2 * LargeBytesMin) : _random.Next(1, 200)];
        _random.NextBytes(value);
        int tag = _random.Next(4) == 0 ? _random.Next(TagCount) : -1;
        value[0] = (byte)(tag + 1);
        TimeSpan? life = _random.Next(4) == 0 ? TimeSpan.FromSeconds(_random.Next(1, 500)) : null;
        var options = new PileEntryOptions
        {
            TimeToLive = life,
            SlidingExpiration = _random.Next(3) == 0 ? TimeSpan.FromDays(100) : null,
            Tags = tag < 0 ? null : [$"tag {tag}"],
        };
        bool isThere = IsThere(key);
        PileSetResult result = choice switch
        {
            < 5 => table.Add(key, value, options),
            < 10 => table.Replace(key, value, options),
            _ => table.Set(key, value, options),
        };
        ModelMismatchException.Unless(result.Outcome != PileSetOutcome.Full, "full", "a Set was refused");
        ModelMismatchException.Unless(result.IsStored == (choice >= 10 || choice < 5 != isThere), "outcome", $"{result}, and the key was {(isThere ? "there" : "not there")}");
        if (result.IsStored)
        {
            Note(key, (value, life is null ? DateTimeOffset.MaxValue : _clock.GetUtcNow() + life.Value));
        }
    }

    private void Read(PileTable<int, byte[]> table, int key)
    {
        bool isFound = table.TryGet(key, out byte[]? value);
        ModelMismatchException.Unless(isFound == IsThere(key) && (!isFound || _model[key].Value.AsSpan().SequenceEqual(value)), isFound ? "risen" : "lost", $"key {key}");
    }

    private void RemoveByTag(MappedCache mapped)
    {
        int tag = _random.Next(TagCount);
        _at += $", removal of tag {tag}";
        Table(mapped).RemoveByTag($"tag {tag}");
        foreach (int key in _model.Where(item => HasTag(item.Value.Value, tag)).Select(static item => item.Key).ToList())
        {
            Note(key, default);
        }

        _states.NoteGone(value => HasTag(value, tag));
    }

    /// <summary>Commits or takes a checkpoint, and goes on meanwhile as other threads do.</summary>
    private Action Commit(MappedCache mapped)
    {
        bool isDurable = true;
        _states.Mark();
        _own.Mark();
        _meanwhileOn = _random.Next(2) == 0 ? mapped : null;
        mapped.Files.AtCall = call =>
        {
            Take(call);
            AtCall(call);
        };
        if (_random.Next(4) == 0)
        {
            _at += ", checkpoint";
            isDurable = mapped.Cache.Pile.Durable!.Checkpoints.TryTake(CancellationToken.None);
        }
        else
        {
            _at += ", commit";
            mapped.Cache.Pile.Commit();
        }

        mapped.Files.AtCall = null;
        _meanwhileOn = null;
        return () =>
        {
            if (isDurable)
            {
                _states.FlushedToMark();
                _own.FlushedToMark();
            }
        };
    }

    /// <summary>Goes on at calls that are made without a lock that a writer needs.</summary>
    private void AtCall(string call)
    {
        bool isOpen = call.Contains("checkpoint", StringComparison.Ordinal)
            || (call.StartsWith("fdatasync", StringComparison.Ordinal) && call.Contains("extent", StringComparison.Ordinal));
        if (_meanwhileOn is not { } mapped || _isMeanwhile || !isOpen || Environment.CurrentManagedThreadId != _thread || _random.Next(3) != 0)
        {
            return;
        }

        // A large value's Set waits for the flush that this call is of, after an open and where there is no room.
        HeapCore<DurableRecord> core = mapped.Cache.Pile.Durable!.Core;
        if (!core.Log.Flushes.HasCovered(core.Large.NeededFlush) || core.Budget.FreeBytes < FreeBytesMin)
        {
            return;
        }

        // Others that hold a lock may be waiting to call the files: not with the files held, then.
        mapped.Files.Gate.Exit();
        if (mapped.Files.Gate.IsHeldByCurrentThread)
        {
            mapped.Files.Gate.Enter();
            return;
        }

        // What a kill leaves from here on is neither as before the commit nor as after it.
        string at = _at;
        _isMeanwhile = true;
        _within.RemoveAll(static image => !image.IsCut);
        for (int count = _random.Next(1, MeanwhileMax); count > 0; count--)
        {
            _at = $"{at}, meanwhile at {call}";
            ChangeOne(mapped);
        }

        Meanwhiles++;
        mapped.Files.Gate.Enter();
        _at = at;
        _isMeanwhile = false;
    }

    private Action Empty(MappedCache mapped, bool drops)
    {
        _at += drops ? ", drop" : ", clear";
        if (drops)
        {
            _ = mapped.Cache.DropTable("table");
        }
        else
        {
            Table(mapped).Clear();
        }

        _model = [];
        return _states.Flushed;
    }

    private SimulatedFiles End(MappedCache mapped, SimulatedFiles files, int session)
    {
        SimulatedFiles next = files;
        switch (_random.Next(3))
        {
            case 0:
                _at = $"session {session}, killed";
                Between++;
                next = files.Fork();
                mapped.Dispose();
                break;
            case 1:
                _at = $"session {session}, cut";
                Between++;
                next = files.PowerCut(_random);
                using (SimulatedFiles copy = next.Fork())
                {
                    CompareCut(copy, Step.Single, _model, _own.Known(), goesOn: true);
                }

                mapped.Dispose();
                break;
            default:
                _at = $"session {session}, closed";
                TakeFrom(files);
                mapped.Dispose();
                TakeNoMore();
                CompareWithin(Step.Single, _model, _own.Known());
                _states.Flushed();
                _own.Flushed();
                break;
        }

        if (next != files)
        {
            files.Dispose();
        }

        return next;
    }

    private void CompareWithin(Step step, Dictionary<int, (byte[] Value, DateTimeOffset End)> before, Dictionary<int, byte[]?> ownBefore)
    {
        string at = _at;
        foreach ((SimulatedFiles files, bool isCut, string call) in _within)
        {
            _at = $"{at}, {(isCut ? "cut" : "killed")} at {call}";
            Within++;
            if (isCut)
            {
                CompareCut(files, step, before, ownBefore, goesOn: false);
            }
            else
            {
                CompareKilled(files, step, before, ownBefore);
            }

            files.Dispose();
        }

        _within.Clear();
        _at = at;
    }

    /// <summary>Each key shows what it did before the operation or after it, and where that is whole or not at all, all of them the one or all the other.</summary>
    private void CompareKilled(SimulatedFiles files, Step step, Dictionary<int, (byte[] Value, DateTimeOffset End)> before, Dictionary<int, byte[]?> ownBefore)
    {
        using var mapped = new MappedCache(files, _clock, LimitBytes);
        _at += $", {mapped.Cache.Pile.RecoveryReport().Opening}";
        mapped.Verify();
        PileTable<int, byte[]> table = Table(mapped);
        int only = 0;
        for (int key = 0; key < Keys; key++)
        {
            byte[]? shown = table.TryGet(key, out byte[]? value) ? value : null;
            bool isBefore = Shows(shown, before, key);
            bool isAfter = Shows(shown, _model, key);
            ModelMismatchException.Unless(isBefore || isAfter, shown is null ? "lost" : "risen", $"key {key} shows what it was neither before nor after");
            only |= isBefore == isAfter ? 0 : isBefore ? 1 : 2;
        }

        only |= _own.Compare(mapped.Cache.Pile, ownBefore);
        ModelMismatchException.Unless(step == Step.Single || only != 3, "half", "some keys or objects are as before, and some as after");
    }

    private void CompareCut(SimulatedFiles files, Step step, Dictionary<int, (byte[] Value, DateTimeOffset End)> last, Dictionary<int, byte[]?> ownLast, bool goesOn)
    {
        using var mapped = new MappedCache(files, _clock, LimitBytes);
        _at += $", {mapped.Cache.Pile.RecoveryReport().Opening}";
        mapped.Verify();
        ModelMismatchException.Unless(mapped.Cache.Pile.RecoveryReport().Damages.Count == 0, "damage", string.Join("; ", mapped.Cache.Pile.RecoveryReport().Damages));
        Dictionary<int, (byte[] Value, DateTimeOffset End)> found = TableComparison.Cut(Table(mapped), last, _states, Keys, _clock.GetUtcNow(), step is Step.Emptying or Step.EmptyingAll);
        _own.CompareCut(mapped.Cache.Pile, ownLast, step == Step.EmptyingAll);
        if (goesOn)
        {
            _model = found;
            _states.Flushed();
            _own.Take(mapped.Cache.Pile);
        }
    }

    private void Compare(MappedCache mapped)
    {
        mapped.Verify();
        TableComparison.Exact(Table(mapped), _model, Keys, _clock.GetUtcNow(), lossMax: 0);
        _ = _own.Compare(mapped.Cache.Pile);
    }

    private bool IsThere(int key) => _model.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) && held.End > _clock.GetUtcNow();

    private bool Shows(byte[]? shown, Dictionary<int, (byte[] Value, DateTimeOffset End)> model, int key)
    {
        bool isThere = model.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) && held.End > _clock.GetUtcNow();
        return isThere ? shown is not null && held.Value.AsSpan().SequenceEqual(shown) : shown is null;
    }

    private void Note(int key, (byte[] Value, DateTimeOffset End) after)
    {
        _states.Note(key, _model.GetValueOrDefault(key), after);
        if (after.Value is null)
        {
            _ = _model.Remove(key);
        }
        else
        {
            _model[key] = after;
        }
    }

    private void TakeFrom(SimulatedFiles files)
    {
        _taken = files;
        _chance = _random.Next(1, 12);
        files.AtCall = Take;
    }

    private void TakeNoMore()
    {
        if (_taken is { } files)
        {
            files.AtCall = null;
        }

        _taken = null;
    }

    /// <summary>Takes what a kill or a cut at this call would leave: each is an open. At a call of another thread this one goes on meanwhile, and what was copied would be
    /// no moment of it.</summary>
    private void Take(string call)
    {
        if (_taken is { } files && Environment.CurrentManagedThreadId == _thread && --_chance == 0)
        {
            bool isCut = _isMeanwhile || _random.Next(2) == 0;
            _within.Add((isCut ? files.PowerCut(_random) : files.Fork(), isCut, call));
            _taken = null;
        }
    }
}
