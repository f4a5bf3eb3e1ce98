using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Cuts;

/// <summary>The life of one directory: opened, used, and ended by a power cut, a kill or a close, again and again; and meanwhile, at
/// random moments between and within operations, what a power cut there would leave is opened, compared, and used on.</summary>
internal sealed class CutLife(int seed)
{
    internal const string Directory = "/pile";

    // 0 is the life, 1 what a cut of it left, 2 what a cut of that one's recovery left, 3 what a cut of this recovery's recovery left.
    private const int DepthMax = 3;
    private const int RecoveryAgainOneIn = 12;
    private const int SnapshotOneIn = 4;
    private const int ImagesAtOnce = 512;
    private const int SalvageOneIn = 6;
    private static int _images;
    [ThreadStatic]
    private static CutLife? _ofThread;
    private readonly Random _random = new(seed);
    // Each with the last key that was noted then: pointers that are issued behind it are nothing to it.
    private readonly List<(SimulatedFiles Image, long LastKey)> _within = [];

    // What the life, and each image within it, is at: a failure's message.
    private readonly string?[] _at = new string?[DepthMax + 1];
    private readonly CutModel?[] _models = new CutModel?[DepthMax + 1];
    private CutPlan _plan = null!;
    private int _meanwhilePercent;
    private SimulatedFiles? _taken;
    private CutModel _takenOf = null!;
    private Random _takes = new(0);
    private int _chance;

    /// <summary>Power cuts whose outcome was opened and compared.</summary>
    internal int Images { get; private set; }

    /// <summary>Of these, such as came in the midst of a call, or of a recovery.</summary>
    internal int Within { get; private set; }

    /// <summary>Recoveries that began with a checkpoint and were held against a crawl.</summary>
    internal int FromCheckpoint { get; private set; }

    /// <summary>How often something was done while a commit or a checkpoint was at work.</summary>
    internal int Meanwhiles { get; private set; }

    /// <summary>Sessions that ended, or came to their end, before all was counted.</summary>
    internal int Uncounted { get; private set; }

    /// <summary>How often each point was passed.</summary>
    internal int[] PointsPassed { get; } = new int[Enum.GetValues<StopPoint>().Length];

    /// <summary>Lives a life of some sessions.</summary>
    internal void Run(int sessions, int steps)
    {
        _ofThread = this;
        _plan = new CutPlan(_random);
        _meanwhilePercent = _random.Next(2) * (1 << _random.Next(2, 7));
        try
        {
            var files = new SimulatedFiles();
            var model = new CutModel();
            CutEnd end = CutEnd.Closed;
            for (int session = 0; session < sessions; session++)
            {
                using ObjectPile pile = Begin(files, ref model, end, depth: 0, session);
                Use(pile, files, model, _random.Next(1, steps), depth: 0, session);
                (end, files) = End(pile, files, model, depth: 0, session);
            }

            files.Dispose();
        }
        catch (Exception failure)
        {
            throw Told(failure);
        }
        finally
        {
            _ofThread = null;
        }
    }

    /// <summary>Lives a short life, and opens everything that a power cut after any of its operations, or at any call of the files
    /// within one, may leave.</summary>
    /// <param name="steps">Operations.</param>
    /// <param name="cutsMax">More of one moment are an error: the life is not a small one.</param>
    internal void RunSmall(int steps, int cutsMax)
    {
        _plan = CutPlan.Small(_random);
        using var files = new SimulatedFiles();
        try
        {
            using ObjectPile pile = Open(files);
            CutModel model = new();
            var run = new CutRun(pile, model, _plan, _random) { Files = files, MeanwhilePercent = _meanwhilePercent, Done = () => CompareWithin(model, DepthMax - 1) };
            for (int step = 0; step < steps; step++)
            {
                Tell(0, 0, $"step {step} after {run.Last}");
                HashSet<string> seen = [];
                files.AtCall = _ => _within.AddRange(files.EnumerateCuts(cutsMax).Where(image => seen.Add(image.DurableSum())).Select(image => (image, model.LastKey)));
                run.Step();
                files.AtCall = null;
                Tell(0, 0, $"step {step}, {run.Last}, cut after");
                seen.Clear();
                foreach (SimulatedFiles image in files.EnumerateCuts(cutsMax).Where(image => seen.Add(image.DurableSum())))
                {
                    Compare(image, model, DepthMax - 1);
                }

                model.Require(pile);
            }
        }
        catch (Exception failure)
        {
            throw Told(failure);
        }
    }

    /// <summary>A moment within an operation of this thread, of those that the test build knows.</summary>
    internal static void AtPoint(StopPoint point)
    {
        if (_ofThread is { } life)
        {
            life.PointsPassed[(int)point]++;
            life.TakeOne(life._taken);
        }
    }

    internal static PileOptions Options(SimulatedFiles files) => PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 2 << 20,
        WritersMax = 1,
        FlushInterval = TimeSpan.FromHours(1),
        TimeProvider = new SteppingTime(),
    };

    /// <summary>Opens a directory. Its background flushes are off: what waits for one is told at the next commit.</summary>
    /// <param name="files">The files.</param>
    /// <param name="countsLater">Whether what lives is counted when somebody waits for it, by the thread that does.</param>
    internal static ObjectPile Open(SimulatedFiles files, bool countsLater = false)
    {
        PileOptions options = Options(files);
        ObjectPile pile = ObjectPile.Open(Directory, countsLater ? options with { RecountSlots = -1 } : options);
        pile.Durable!.Core.Log.Flushes.Wanted = static () => { };
        pile.Core.CountFaster = pile.Durable.Upkeep.Recounting.CountNow;
        return pile;
    }

    /// <summary>Begins a session: opens what the one before has left, and compares it.</summary>
    private ObjectPile Begin(SimulatedFiles files, ref CutModel model, CutEnd before, int depth, int session, long lastKey = long.MaxValue)
    {
        _models[depth] = model;
        Tell(depth, session, $"open after {before}");
        if (depth < DepthMax)
        {
            TakeWithin(files, model, chance: 24);
        }

        bool hasCheckpoint = before == CutEnd.Cut && files.Exists(Directory) && files.List(Directory).Any(static name => name.StartsWith("checkpoint", StringComparison.Ordinal));
        bool countsLater = depth < DepthMax && _plan.CountsLater && _random.Next(2) == 0;
        using SimulatedFiles? twin = before == CutEnd.Cut && !countsLater && (hasCheckpoint || _random.Next(RecoveryAgainOneIn) == 0) ? files.Fork() : null;
        ObjectPile pile = Open(files, countsLater);
        try
        {
            TakeNoMore();
            model.Note($"open after {before}: {pile.RecoveryReport().Opening}, {pile.Durable!.Directory.Meta.RecoveryCount} recoveries{(pile.Core.IsCountedWhole ? string.Empty : ", not counted")}");
            FromCheckpoint += CutTables.RequireSame(pile, twin) ? 1 : 0;
            Tell(depth, session, $"open after {before}, cut within");
            CompareWithin(model, depth);
            Tell(depth, session, $"compare after {before}, {pile.RecoveryReport().Opening}");
            if (before == CutEnd.Cut)
            {
                _models[depth] = model = model.Compare(pile, lastKey);
            }
            else
            {
                // What a kill has left is all that was done, and no more durable than before.
                model.Require(pile);
            }

            ModelMismatchException.Unless(pile.RecoveryReport().Damages.Count == 0, "damage", string.Join("; ", pile.RecoveryReport().Damages));
            if (!countsLater && _random.Next(RecoveryAgainOneIn) == 0)
            {
                Tell(depth, session, "recovered again");
                CutTables.RequireSameAgain(pile, files);
            }

            return pile;
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }

    private void Use(ObjectPile pile, SimulatedFiles files, CutModel model, int steps, int depth, int session)
    {
        CutModel at = model;
        string last = string.Empty;
        int step = 0;
        CutRun run = null!;
        run = new CutRun(pile, model, _plan, _random)
        {
            Files = files,
            MeanwhilePercent = _meanwhilePercent,
            Done = () =>
            {
                last = $"step {step}, {run.Last}";
                Tell(depth, session, $"{last}, cut within");
                TakeNoMore();
                CompareWithin(at, depth);
                Tell(depth, session, last);
            },
        };
        files.AtCall = call =>
        {
            TakeOne(files);
            run.AtCall(call);
        };
        for (; step < steps; step++)
        {
            if (depth < DepthMax - 1 && _random.Next(8) == 0)
            {
                BeginToTake(files, model, chance: 4);
            }

            Tell(depth, session, $"step {step} after {run.Last}");
            run.Step();
            if (depth < DepthMax - 1 && _random.Next(depth == 0 ? 3 : 12) == 0)
            {
                Tell(depth, session, $"{last}, cut after");
                Compare(files.PowerCut(_random), model, depth);
            }
            else if (_random.Next(4) == 0)
            {
                files.Snapshot();
            }
        }

        files.AtCall = null;
        Meanwhiles += run.Meanwhiles;
        Uncounted += pile.Core.IsCountedWhole ? 0 : 1;
        if (_random.Next(4) == 0)
        {
            pile.Core.WaitCounted();
        }

        model.Require(pile);
    }

    /// <summary>Takes what cuts within the next calls would leave, for <see cref="CompareWithin"/>.</summary>
    private void TakeWithin(SimulatedFiles files, CutModel model, int chance)
    {
        BeginToTake(files, model, chance);
        files.AtCall = _ => TakeOne(files);
    }

    // Numbers of their own: how many calls a close makes depends on whether a thread has begun to wait.
    private void BeginToTake(SimulatedFiles files, CutModel model, int chance) => (_taken, _takenOf, _takes, _chance) = (files, model, new Random(_random.Next()), chance);

    // A thread of the pile that calls the files now holds the gate, and takes none behind this: it would be compared with what was done later.
    private void TakeNoMore()
    {
        if (_taken is { } files)
        {
            lock (files.Gate)
            {
                _taken = null;
            }
        }
    }

    /// <summary>Takes one now and then, if the files are those that are to be cut: threads of a life around this one call theirs.</summary>
    private void TakeOne(SimulatedFiles? files)
    {
        if (files is null || files != _taken)
        {
            return;
        }

        if (_takes.Next(_chance) == 0)
        {
            _within.Add((files.PowerCut(_takes), _takenOf.LastKey));
        }
        else if (_takes.Next(SnapshotOneIn) == 0)
        {
            files.Snapshot();
        }
    }

    private void CompareWithin(CutModel model, int depth)
    {
        (SimulatedFiles Image, long LastKey)[] taken = [.. _within];
        _within.Clear();
        foreach ((SimulatedFiles image, long lastKey) in taken)
        {
            Within++;
            Compare(image, model, depth, lastKey);
        }
    }

    /// <summary>Each open starts threads, and hardly anything lies in the collector's heap that would have it run: the runtime looks for each
    /// thread that its finalizer ends in a list of all, and falls behind for ever.</summary>
    private static void EndThreads()
    {
        if (Interlocked.Increment(ref _images) % ImagesAtOnce == 0)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    /// <summary>Opens what a cut has left, compares it, and goes on with it a little.</summary>
    private void Compare(SimulatedFiles files, CutModel model, int depth, long lastKey = long.MaxValue)
    {
        Images++;
        EndThreads();
        if (_random.Next(SalvageOneIn) == 0)
        {
            CompareSalvage(files, model, depth, lastKey);
        }

        CutEnd end = CutEnd.Cut;
        for (int last = _random.Next(4) == 0 ? 1 : 0, session = 0; session <= last; session++)
        {
            using ObjectPile pile = Begin(files, ref model, end, depth + 1, session, session == 0 ? lastKey : long.MaxValue);
            if (session < last)
            {
                Use(pile, files, model, _random.Next(1, 16), depth + 1, session);
                (end, files) = End(pile, files, model, depth + 1, session);
            }
        }

        files.Dispose();
        (_at[depth + 1], _models[depth + 1]) = (null, null);
    }

    /// <summary>Opens what a cut has left as a salvage does, which asks the table only for segments, and compares it: nothing that was deleted may be back.</summary>
    private void CompareSalvage(SimulatedFiles files, CutModel model, int depth, long lastKey)
    {
        if (!files.Exists(Path.Combine(Directory, StoreNames.Meta)))
        {
            return;
        }

        Tell(depth + 1, 0, "salvage");
        using ObjectPile salvaged = ObjectPile.Open(Directory, Options(files) with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true, BuildsTable = true });
        _ = model.Compare(salvaged, lastKey);
    }

    private ModelMismatchException Told(Exception failure)
    {
        string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name;
        return new ModelMismatchException(detector, $"seed {seed}, {string.Join("; in it ", _at.Where(static at => at is not null))}: {failure.Message}\nWhat was done:\n{CutPast.TextOf(Array.FindLast(_models, static model => model is not null)?.Past)}", failure);
    }

    private void Tell(int depth, int session, string what) =>
        _at[depth] = string.Create(CultureInfo.InvariantCulture, $"session {session}, {what}");

    /// <summary>Ends a session; the pile is still open, but what it does from here on reaches nobody.</summary>
    private (CutEnd End, SimulatedFiles Files) End(ObjectPile pile, SimulatedFiles files, CutModel model, int depth, int session)
    {
        switch (_random.Next(4))
        {
            case 0:
                Tell(depth, session, "close, cut within");
                if (depth < DepthMax)
                {
                    TakeWithin(files, model, chance: 8);
                }

                pile.Dispose();
                TakeNoMore();
                CompareWithin(model, depth);
                model.Committed();
                return (CutEnd.Closed, LostTable.Perhaps(files, Directory, _random));
            case 1:
                SimulatedFiles killed = files.Fork();
                pile.Dispose();
                files.Dispose();
                return (CutEnd.Killed, LostTable.Perhaps(killed, Directory, _random));
            default:
                SimulatedFiles cut = files.PowerCut(_random);
                pile.Dispose();
                files.Dispose();
                return (CutEnd.Cut, cut);
        }
    }
}
