// The recount of a pile in files after an open, put to work on its heap: which counters become exact when it ends, and what waited for
// it. By the thread of Upkeep, by who waits for it, or on all cores then. What one slot counts for is Recount's to say.
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

/// <summary>Recount of one pile in files. Thread-safe.</summary>
/// <param name="core">The heap.</param>
/// <param name="heap">Its files.</param>
/// <param name="ending">Ends it, with the pile.</param>
internal sealed class HeapRecount(HeapCore<DurableRecord> core, DurableHeap heap, CancellationToken ending)
{
    // Held by a caller that counts, so that the end waits for it.
    private readonly Lock _counting = new();

    // Held by a core that adds what it counted to what the others did.
    private readonly Lock _adding = new();
    private Recount? _recount;
    private volatile bool _isAwaited;
    private volatile bool _isReturnDue;
    private volatile bool _isLeftWanted;
    private int _leftReturns;

    /// <summary>Removes what the open has left that nothing refers to any more: a large file takes the system a while. Done with the recount;
    /// where the pile ends before, by the next open.</summary>
    internal Action Leftovers { get; set; } = static () => { };

    /// <summary>What is done between two stretches of slots that are counted, with nothing held: by tests.</summary>
    internal Action Between { get; set; } = static () => { };

    /// <summary>Entries that the recount found to be damaged.</summary>
    internal long TableDamages { get; private set; }

    /// <summary>Whether nobody has begun it yet.</summary>
    internal bool IsLeft => _recount is not null;

    /// <summary>Whether pages of large objects that were freed before the open are to be returned once a flush has covered that.</summary>
    internal bool IsReturnDue => _isReturnDue;

    /// <summary>Takes over what is to be counted. Once, before anybody waits for it.</summary>
    internal void Begin(Recount recount) => _recount = recount;

    /// <summary>Somebody waits for the recount: what is left of it is done on all cores.</summary>
    internal void CountFaster() => _isAwaited = true;

    /// <summary>The same, and where none has begun it the calling thread does it. Within a call that Dispose waits for.</summary>
    internal void CountNow()
    {
        CountFaster();
        using (_counting.EnterAnyhow())
        {
            if (!ending.IsCancellationRequested)
            {
                Upkeep.UntilEnd(Run);
            }
        }
    }

    /// <summary>Waits for a caller that counts. Once the pile ends, so that none begins any more.</summary>
    internal void WaitForCallers() => _counting.EnterAnyhow().Dispose();

    /// <summary>Counts what is left to count, unless somebody does.</summary>
    internal void Run()
    {
        if (Interlocked.Exchange(ref _recount, null) is not { } recount)
        {
            return;
        }

        Leftovers();
        CountedChunks chunks = core.Counting!;
        CountChunks(recount, chunks, isAlone: true);
        if (!ending.IsCancellationRequested && _isAwaited)
        {
            try
            {
                AllCores.Share(core.OpenedSlots, FileLimits.TablePieceSlots, () =>
                {
                    Recount share = recount.Share();
                    CountChunks(share, chunks, isAlone: false);
                    using (_adding.EnterAnyhow())
                    {
                        recount.Add(share);
                    }
                });
            }
            catch (OutOfMemoryException)
            {
                // No memory to share it: whoever had some has ended, and what is left is counted here, for others wait for it.
                CountChunks(recount, chunks, isAlone: false);
            }
        }

        if (!ending.IsCancellationRequested)
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
        TryReturnLeft();
    }

    /// <summary>Returns the space that nothing counts, and that this open has not taken by now, once all is counted and no damage was met: the rows of segments
    /// that hold what lives say the same when they read as zeros, and what they hold is whole until its space goes. Once, by who opens the pile.</summary>
    internal void ReturnLeft()
    {
        _isLeftWanted = true;
        TryReturnLeft();
    }

    private void TryReturnLeft()
    {
        // Two threads, each of which has set one of the two and looks at the other behind a full fence: at least one sees both.
        Interlocked.MemoryBarrier();
        if (_isLeftWanted && core.IsCountedWhole && Interlocked.Exchange(ref _leftReturns, 1) == 0
            && TableDamages == 0 && heap.Report.Damages.Count == 0 && core.WriteRefusal == PileStatus.Ok)
        {
            core.Pool.Left.Trim(ending);
        }
    }

    /// <summary>Returns the pages of large objects that were freed before the open, once no power cut brings these back.</summary>
    internal void ReturnFreed()
    {
        bool isWanted = !ending.IsCancellationRequested && !heap.Directory.IsReadOnly;
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
        while (!(isAlone && _isAwaited) && !ending.IsCancellationRequested && chunks.TryTake(out uint first, out uint end))
        {
            for (uint slot = first; slot < end && !ending.IsCancellationRequested; slot++)
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
        // The role, because it holds the survivors' writer, whose counts these become. Whatever interrupts a caller whose count it is: others wait for it.
        Gates.Anyhow(core.Cleaner.EnterRole);
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
            core.Pool.Left.EndHold();

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
