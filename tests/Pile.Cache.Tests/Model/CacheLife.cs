// The life of a cache whose table is durable, in the files of a simulated machine, beside a dictionary: entries that end, slide and have tags, with small
// values and large ones; the program's own objects in the same pile; commits and checkpoints among which others go on; closed, killed and cut between
// operations and within them, opens among them. What was committed is there, what was removed is not, and what neither covers is as it was once since.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class CacheLife
{
    private const int OwnOneIn = 6;
    private const int LimitBytes = 24 << 20;
    private const int MeanwhileMax = 5;
    private const int FreeBytesMin = 4 << 20;
    private static readonly PileTableOptions _options = new() { Kind = PileTableKind.Durable };

    private readonly int _seed;
    private readonly Random _random;
    private readonly OwnObjects _own;
    private readonly DurableKeys _keys;
    private readonly ManualClock _clock = new();
    private readonly List<(SimulatedFiles Files, bool IsCut, string Call)> _within = [];
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private MappedCache? _meanwhileOn;
    private bool _isMeanwhile;
    private SimulatedFiles? _taken;
    private int _chance;
    private string _at = "begin";

    internal CacheLife(int seed)
    {
        _seed = seed;
        _random = new Random(seed);
        _own = new OwnObjects(_random);
        _keys = new DurableKeys(_random, _clock);
    }

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
                CompareWithin(Step.Single, _keys.Known(), _own.Known());
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
            throw new ModelMismatchException(detector, $"seed {_seed}, {_at}: {failure.Message}", failure);
        }
    }

    private static PileTable<int, byte[]> Table(MappedCache mapped) => mapped.Table<int, byte[]>(_options);

    private void Do(MappedCache mapped)
    {
        Dictionary<int, (byte[] Value, DateTimeOffset End)> before = _keys.Known();
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
                _at += ", removal of a tag";
                _keys.RemoveByTag(Table(mapped));
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
                _keys.Cleared();
                _own.Cleared();
                done = () =>
                {
                    _keys.Flushed();
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
        if (_random.Next(OwnOneIn) == 0)
        {
            _own.Change(mapped.Cache.Pile);
            _at += ", an object of the program's";
        }
        else
        {
            _at += $", {_keys.Change(Table(mapped))}";
        }
    }

    /// <summary>Commits or takes a checkpoint, and goes on meanwhile as other threads do.</summary>
    private Action Commit(MappedCache mapped)
    {
        bool isDurable = true;
        _keys.Mark();
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
                _keys.FlushedToMark();
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
        _within.FindAll(static image => !image.IsCut).ForEach(static image => image.Files.Dispose());
        _ = _within.RemoveAll(static image => !image.IsCut);
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

        _keys.Cleared();
        return _keys.Flushed;
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
                    CompareCut(copy, Step.Single, _keys.Known(), _own.Known(), goesOn: true);
                }

                mapped.Dispose();
                break;
            default:
                _at = $"session {session}, closed";
                TakeFrom(files);
                mapped.Dispose();
                TakeNoMore();
                CompareWithin(Step.Single, _keys.Known(), _own.Known());
                _keys.Flushed();
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
        int only = _keys.CompareKilled(Table(mapped), before);
        only |= _own.Compare(mapped.Cache.Pile, ownBefore);
        ModelMismatchException.Unless(step == Step.Single || only != 3, "half", "some keys or objects are as before, and some as after");
    }

    private void CompareCut(SimulatedFiles files, Step step, Dictionary<int, (byte[] Value, DateTimeOffset End)> last, Dictionary<int, byte[]?> ownLast, bool goesOn)
    {
        using var mapped = new MappedCache(files, _clock, LimitBytes);
        _at += $", {mapped.Cache.Pile.RecoveryReport().Opening}";
        mapped.Verify();
        ModelMismatchException.Unless(mapped.Cache.Pile.RecoveryReport().Damages.Count == 0, "damage", string.Join("; ", mapped.Cache.Pile.RecoveryReport().Damages));
        _keys.CompareCut(Table(mapped), last, step is Step.Emptying or Step.EmptyingAll, goesOn);
        _own.CompareCut(mapped.Cache.Pile, ownLast, step == Step.EmptyingAll);
        if (goesOn)
        {
            _own.Take(mapped.Cache.Pile);
        }
    }

    private void Compare(MappedCache mapped)
    {
        mapped.Verify();
        _keys.Compare(Table(mapped));
        _ = _own.Compare(mapped.Cache.Pile);
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
