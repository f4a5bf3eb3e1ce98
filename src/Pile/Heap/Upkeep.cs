// What is done beside the users of a pile in files, by one thread: the recount after an open, then the warm-up; from then on
// checkpoints when they are due and, if wanted, the scrub. It starts when there is something to do, and ends with the pile.
using System;
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Diagnostics;
using Pile.Epochs;
using Pile.Format;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Upkeep of one pile in files. Thread-safe.</summary>
/// <param name="core">The heap.</param>
/// <param name="heap">Its files.</param>
/// <param name="options">How much to do.</param>
internal sealed class Upkeep(HeapCore<DurableRecord> core, DurableHeap heap, PileOptions options) : IDisposable
{
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly CancellationTokenSource _ending = new();
    private readonly Lock _gate = new();

    // Held by a caller that counts, so that the end waits for it.
    private readonly Lock _counting = new();
    private Thread? _thread;
    private Recount? _recount;
    private volatile bool _isWarmUpDone;
    private volatile bool _isAwaited;
    private volatile bool _isThreadMissing;
    private volatile bool _isReturnDue;

    /// <summary>Removes what the open has left that nothing refers to any more: a large file takes the system a while. Done with the recount;
    /// where the pile ends before, by the next open.</summary>
    internal Action Leftovers { get; set; } = static () => { };

    /// <summary>Starts a thread; throws OutOfMemoryException where the process can't have another.</summary>
    internal Action<Thread> Starting { get; set; } = static thread => thread.Start();

    /// <summary>What is done between two stretches of slots that are counted, with nothing held: by tests.</summary>
    internal Action Between { get; set; } = static () => { };

    /// <summary>Entries that the recount found to be damaged.</summary>
    internal long TableDamages { get; private set; }

    /// <summary>Whether the counters are exact, and all that was to be read ahead is read.</summary>
    internal bool IsWarm => _isWarmUpDone && core.IsCountedWhole;

    /// <summary>Does on the calling thread what an open waits for: a recount that is short, a warm-up that was asked for.</summary>
    /// <param name="recount">It.</param>
    /// <param name="cancellationToken">Ends a warm-up that the open waits for.</param>
    internal void Begin(Recount recount, CancellationToken cancellationToken)
    {
        _recount = recount;
        if (core.OpenedSlots <= options.RecountSlots)
        {
            RunRecount();
        }

        if (options.WarmUp == PileWarmUp.Blocking)
        {
            WarmUp(cancellationToken);
        }

        _isWarmUpDone = options.WarmUp != PileWarmUp.Background;
    }

    /// <summary>Begins what is left to do beside the users, if anything. Not before the pile was shown to who listens: an open's first
    /// calls need the cores.</summary>
    internal void Continue()
    {
        if (((_recount is not null && options.RecountSlots >= 0) || !_isWarmUpDone || options.ScrubBytesPerSecond > 0) && !TryStart())
        {
            // What others wait for; the rest when a flush finds a thread.
            UntilEnd(RunRecount);
        }
    }

    /// <summary>Somebody waits for the recount: what is left of it is done on all cores.</summary>
    internal void CountFaster() => _isAwaited = true;

    /// <summary>The same, and where none has begun it the calling thread does it. Within a call that Dispose waits for.</summary>
    internal void CountNow()
    {
        CountFaster();
        using (_counting.EnterAnyhow())
        {
            if (!_ending.IsCancellationRequested)
            {
                UntilEnd(RunRecount);
            }
        }
    }

    /// <summary>A flush completed: a checkpoint may be due.</summary>
    internal void Flushed()
    {
        if (_isThreadMissing || _isReturnDue || heap.Checkpoints.IsDue)
        {
            _ = TryStart();
            _ = _wake.Set();
        }
    }

    /// <summary>Ends the thread. May be called again.</summary>
    internal void Stop()
    {
        Thread? thread;
        using (_gate.EnterAnyhow())
        {
            _ending.Cancel();
            thread = _thread;
        }

        _ = _wake.Set();
        if (thread is not null && thread != Thread.CurrentThread)
        {
            thread.Join();
        }

        // A caller's count ends as soon, and none begins any more.
        _counting.EnterAnyhow().Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Stop();
        _wake.Dispose();
        _ending.Dispose();
    }

    private bool TryStart()
    {
        using (_gate.EnterAnyhow())
        {
            if (_thread is null && !_ending.IsCancellationRequested)
            {
                var thread = new Thread(() => UntilEnd(Run)) { IsBackground = true, Name = "Pile upkeep" };
                try
                {
                    Starting(thread);
                    _thread = thread;
                    _isThreadMissing = false;
                }
                catch (OutOfMemoryException)
                {
                    // The process has no thread left, and who asks here has to go on: the next flush asks again.
                    _isThreadMissing = true;
                }
            }

            return _thread is not null;
        }
    }

    private void Run()
    {
        RunRecount();
        if (!_isWarmUpDone)
        {
            WarmUp(_ending.Token);
            _isWarmUpDone = true;
        }

        Care();
    }

    private static void UntilEnd(Action work)
    {
        try
        {
            work();
        }
        catch (Exception failure) when (failure is OperationCanceledException or ObjectDisposedException or PilePoisonedException)
        {
            // The pile ends, or can't be written any more: neither needs upkeep.
        }
    }

    private void Care()
    {
        var scrubber = new Scrubber(core);
        bool isScrubbing = options.ScrubBytesPerSecond > 0;
        while ((isScrubbing || heap.Checkpoints.AreWanted) && !_ending.IsCancellationRequested)
        {
            if (heap.Checkpoints.IsDue)
            {
                _ = heap.Checkpoints.TryTake(_ending.Token);
            }

            if (_isReturnDue)
            {
                ReturnFreed();
            }

            _ = _wake.WaitOne(isScrubbing ? FileLimits.ScrubTickMs : Timeout.Infinite);
            if (isScrubbing && !_ending.IsCancellationRequested)
            {
                scrubber.Round(long.Max(1, options.ScrubBytesPerSecond / (1000 / FileLimits.ScrubTickMs)));
            }
        }
    }

    /// <summary>Touches a word of each page of the table, then of each segment, the newest first.</summary>
    private void WarmUp(CancellationToken cancellationToken)
    {
        const int WordsOfPage = Limits.OsPageBytes / Limits.WordBytes;
        const int WordsOfStep = (int)(FileLimits.ScrubStepBytes / Limits.WordBytes);
        ulong touched = 0;
        for (uint slot = 0; slot < core.Slots.HighWater; slot += WordsOfPage)
        {
            if (slot % WordsOfStep == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            touched |= core.Table.Read(slot);
        }

        var segments = new Segment[core.Directory.Count];
        long[] ages = new long[segments.Length];
        for (int index = 0; index < segments.Length; index++)
        {
            // As they are now: writers give segments new numbers meanwhile.
            segments[index] = core.Directory[index];
            ages[index] = -segments[index].Sequence;
        }

        Array.Sort(ages, segments);
        foreach (Segment segment in segments)
        {
            cancellationToken.ThrowIfCancellationRequested();
            for (int words = 0; segment.State is SegmentState.Sealed && words < segment.WrittenBytes / Limits.WordBytes; words += WordsOfPage)
            {
                touched |= core.Directory.Space.ReadWord(segment.Location + words);
            }
        }

        // What was read is used for something, so that it is read.
        GC.KeepAlive(touched);
    }

    private void RunRecount()
    {
        if (Interlocked.Exchange(ref _recount, null) is not { } recount)
        {
            return;
        }

        Leftovers();
        CountedChunks chunks = core.Counting!;
        CountChunks(recount, chunks, isAlone: true);
        if (!_ending.IsCancellationRequested && _isAwaited)
        {
            AllCores.Share(core.OpenedSlots, FileLimits.TablePieceSlots, () =>
            {
                Recount share = recount.Share();
                CountChunks(share, chunks, isAlone: false);
                using (_gate.EnterAnyhow())
                {
                    recount.Add(share);
                }
            });
        }

        if (!_ending.IsCancellationRequested)
        {
            Conclude(recount);
        }

        if (TableDamages > 0 && !heap.Directory.IsReadOnly)
        {
            // The log has what the table lost: the next open builds it anew, of all of it.
            _ = heap.TryFiles(() =>
            {
                // How far segments go is said before: a crawl goes by it.
                heap.SyncExtents();
                heap.Directory.WriteMeta(static meta => meta with { TableTrusted = false, CheckpointFile = 0 });
            });
            EventsAside.Tell(EventLevel.Error, () => PileEventSource.Log.TableDamaged(core.Tag, TableDamages));
        }

        core.Counted.Set();
        ReturnFreed();
    }

    /// <summary>Returns the pages of large objects that were freed before the open, once no power cut brings these back.</summary>
    private void ReturnFreed()
    {
        bool isWanted = !_ending.IsCancellationRequested && !heap.Directory.IsReadOnly;
        _isReturnDue = isWanted && !core.Log.Flushes.HasCovered(core.Large.NeededFlush);
        if (isWanted && !_isReturnDue)
        {
            core.Large.TrimLeft();
        }
    }

    /// <summary>Counts one chunk of slots after the other; alone only until somebody waits for the end.</summary>
    private void CountChunks(Recount recount, CountedChunks chunks, bool isAlone)
    {
        bool isReadOnly = heap.Directory.IsReadOnly;
        EpochLine line = EpochLine.Current;
        while (!(isAlone && _isAwaited) && !_ending.IsCancellationRequested && chunks.TryTake(out uint first, out uint end))
        {
            for (uint slot = first; slot < end && !_ending.IsCancellationRequested; slot++)
            {
                if (slot == first || slot % FileLimits.RecountAhead == 0)
                {
                    Between();
                    recount.Prefetch(slot, uint.Min(end, slot + FileLimits.RecountAhead));
                }

                if (isReadOnly)
                {
                    // Nobody changes a slot; stripes would only pass between the cores.
                    _ = recount.Count(slot, chunks: null);
                    continue;
                }

                // The stripe keeps the slot's users out, the epoch the record where its entry leads to: the cleaner, who takes no stripe, may be moving it.
                long held = core.Stripes!.Enter(slot, line, core.Epochs.IdWord);
                try
                {
                    ulong version = recount.Count(slot, chunks);
                    ref ulong newest = ref core.Stripes.NewestVersionOf(slot);
                    newest = ulong.Max(newest, version);
                }
                finally
                {
                    line.Leave(held);
                    core.Stripes.Exit(slot);
                }
            }
        }
    }

    private void Conclude(Recount recount)
    {
        // The role, because it holds the survivors' writer, whose counts these become.
        core.Cleaner.EnterRole();
        try
        {
            core.Writers.Survivors.CountRestored(core.OpenEnds?.Lengthen(core.Regions) ?? 0);
            for (int index = 0; index < core.Directory.Count; index++)
            {
                Segment segment = core.Directory[index];
                if (segment.Sequence <= core.OpenedSequence && segment.State == SegmentState.Sealed)
                {
                    core.Writers.Survivors.Dead.Add(index, segment.WrittenBytes - recount.LiveOf(index));
                }
            }

            core.Writers.CountRestored(recount.Objects);
            core.CountSchemas(recount.Internals, recount.InternalBytes);
            if (recount.Damaged > 0)
            {
                core.Large.DisputeAll();
            }

            core.Large.AwaitsCount = false;

            // Before all counts as counted: a checkpoint may be due then.
            TableDamages = recount.Damaged;
            core.CountedSlots = long.MaxValue;
            core.Pool.Sequences.Uncounted = recount.Damaged > 0 || core.AwaitsOwner ? core.OpenedSequence : 0;
        }
        finally
        {
            core.Cleaner.ExitRole();
        }
    }
}
