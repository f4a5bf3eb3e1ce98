// What a pile does once its files have failed. A failed sync, or a page that the system could not write back, ends all writing and is noted in meta; and
// from then on no page is believed: the system takes such pages for written, lets them go when it needs memory, and reads them again as the device has
// them. Records are verified each time, which tells. Entries of the object table can't be: an older one is as good as today's, so that without the table nothing is read.
using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>Failures of the files of one pile. Thread-safe.</summary>
internal sealed class FailedFiles : IDisposable
{
    private const long NoNote = -1;
    private readonly HeapCore<DurableRecord> _core;
    private readonly PileDirectory _directory;
    private readonly List<StoreFile> _tables = [];
    private readonly ExtentSyncs _syncs;
    private readonly Lock _gate = new();
    private Timer? _looks;
    private long _noteDue = NoNote;
    private volatile FileCallException? _tableLoss;
    private volatile bool _isEnded;
    private volatile bool _isUnsure;
    private int _turn;

    /// <param name="core">The heap.</param>
    /// <param name="directory">Its files.</param>
    /// <param name="table">The file of its table; null for a pile that is read alone.</param>
    /// <param name="syncs">The syncs of its extents.</param>
    internal FailedFiles(HeapCore<DurableRecord> core, PileDirectory directory, TableFile? table, ExtentSyncs syncs)
    {
        (_core, _directory, _syncs) = (core, directory, syncs);
        if (table is not null)
        {
            _tables.Add(table.File);
        }
    }

    /// <summary>Whether a sync, or a question, was begun of which nobody knows how it ended: what it was told is lost.</summary>
    internal bool IsUnsure => _isUnsure || _syncs.IsUnsure;

    /// <summary>Asks for a file as for the table: the index of a cache's table.</summary>
    internal void Add(StoreFile file)
    {
        using Gates.Held held = _gate.EnterAnyhow();
        _tables.Add(file);
    }

    /// <summary>Asks for it no more.</summary>
    internal void Remove(StoreFile file)
    {
        using Gates.Held held = _gate.EnterAnyhow();
        _ = _tables.Remove(file);
    }

    /// <summary>Begins to ask the system, each second, whether it could write back what nobody syncs: the table, and the extents between commits.</summary>
    /// <param name="fail">Gets what failed.</param>
    internal void Begin(Action<Exception> fail)
    {
        AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        try
        {
            using Gates.Held held = _gate.EnterAnyhow();
            _looks = new Timer(_ => LookOn(fail), null, FileLimits.LookMs, Timeout.Infinite);
        }
        finally
        {
            flow?.Undo();
        }
    }

    /// <summary>Asks once, and notes what could not be noted before.</summary>
    internal void Look(Action<Exception> fail)
    {
        // Also while it is told: a close that comes meanwhile must know of it.
        using Gates.Held held = _gate.EnterAnyhow();
        if (_isEnded)
        {
            return;
        }

        try
        {
            NoteAgain();
            _turn = _turn + 1 < _tables.Count ? _turn + 1 : 0;
            RequireTables(ofDear: _turn);
            _syncs.RequireWritten(_directory.Extents);
        }
        catch (FileCallException failure)
        {
            fail(failure);
        }
    }

    // Set anew each time: one that waits for the device would have more and more of the pool's threads wait for it.
    private void LookOn(Action<Exception> fail)
    {
        using Gates.Held held = _gate.EnterAnyhow();
        try
        {
            Look(fail);
        }
        catch (OutOfMemoryException want)
        {
            // Of a thread of the pool: it would end the process. What was not asked is asked in a second; an answer that was lost is taken for the worst.
            if (IsUnsure)
            {
                fail(want);
            }
        }

        if (!_isEnded)
        {
            _ = _looks!.Change(FileLimits.LookMs, Timeout.Infinite);
        }
    }

    /// <summary>Asks once, where files are written, and refuses what goes by entries of a table that lost pages: they are older ones, and the cleaner takes for dead what they don't lead to.</summary>
    /// <exception cref="PilePoisonedException">It lost some.</exception>
    internal void RefuseLost(Action<Exception> fail)
    {
        if (!_directory.IsReadOnly)
        {
            Look(fail);
        }

        ThrowIfLost();
    }

    /// <summary>Refuses to list what a table leads to that lost pages.</summary>
    /// <exception cref="PilePoisonedException">It lost some.</exception>
    internal void ThrowIfLost()
    {
        if (_core.Touch!.IsLost)
        {
            _core.ThrowIfPoisoned(PileStatus.Poisoned);
        }
    }

    /// <summary>Asks whether the table, and the indexes of a cache, could be written back: before what a flush covers is acknowledged, and before a copy of the table counts.</summary>
    /// <exception cref="FileCallException">One could not.</exception>
    internal void RequireTables() => RequireTables(ofDear: null);

    /// <param name="ofDear">Which one, beside the table, is asked of those that are asked dearly; null for all.</param>
    private void RequireTables(int? ofDear)
    {
        using Gates.Held held = _gate.EnterAnyhow();
        if (_tableLoss is { } loss && !_core.Touch!.IsLost)
        {
            // Who was told has not ended all writing yet, and nobody else is told.
            ExceptionDispatchInfo.Throw(loss);
        }

        try
        {
            for (int index = 0; index < _tables.Count; index++)
            {
                if (index == 0 || ofDear is null || ofDear == index || !_tables[index].IsAskedDearly)
                {
                    _tables[index].RequireWritten();
                }
            }
        }
        catch (FileCallException failure)
        {
            _tableLoss = failure;
            throw;
        }
        catch
        {
            _isUnsure = true;
            throw;
        }
    }

    /// <summary>Makes the table durable. A sync is told, as one who asks is, what befell its pages before.</summary>
    /// <exception cref="FileCallException">It failed: the table is lost.</exception>
    internal void SyncTable()
    {
        using Gates.Held held = _gate.EnterAnyhow();
        try
        {
            _tables[0].Sync();
        }
        catch (FileCallException failure)
        {
            _tableLoss = failure;
            throw;
        }
        catch
        {
            _isUnsure = true;
            throw;
        }
    }

    /// <summary>Ends all writing.</summary>
    internal void Poison(long flush, Exception failure)
    {
        _core.RefuseWrites(PileStatus.Poisoned);
        _core.ClosingWrites();
        if (failure is FileCallException { IsSync: false } || (failure is OutOfMemoryException && !IsUnsure))
        {
            // It failed alone, or was not made: what was stored is in the system's hands as before, and the next open goes on from it as after a kill.
            return;
        }

        // Not before the failure is known, with which reads are refused.
        if (_tableLoss is not null)
        {
            _core.Touch!.Lose();
        }
        else
        {
            _core.Touch!.Doubt();
        }

        NoteFailedSync(flush - 1);
    }

    /// <summary>Says in meta that above a flush nothing can be believed, for a sync has failed; above the lower one where that was said before.</summary>
    internal void NoteFailedSync(long flush)
    {
        try
        {
            WriteFailedSync(flush);
            Volatile.Write(ref _noteDue, NoNote);
        }
        catch (Exception failed) when (failed is FileCallException or OutOfMemoryException)
        {
            // The device takes nothing any more, or there is no memory to say it. It is tried again, each second and when the pile is closed. Else the next open finds
            // "not clean"; that this boot's pages can't be believed is lost with it, which docs/DURABILITY.md says.
            Volatile.Write(ref _noteDue, flush);
        }
    }

    // By itself, because what a lambda captures is allocated when its method begins.
    private void WriteFailedSync(long flush) =>
        _directory.WriteMeta(meta => meta with { TableTrusted = false, SyncFailedAboveFlush = meta.SyncFailedAboveFlush < 0 ? flush : long.Min(flush, meta.SyncFailedAboveFlush) });

    /// <summary>Notes what could not be noted.</summary>
    internal void NoteAgain()
    {
        if (Volatile.Read(ref _noteDue) is not NoNote and var flush)
        {
            NoteFailedSync(flush);
        }
    }

    /// <summary>The exception of calls after a failure.</summary>
    internal PilePoisonedException Poisoned(Exception failure) => new(
        $"'{_directory.FullPath}': {CauseOf(failure)} ({failure.Message.TrimEnd('.')}). What was flushed before is safe, {(_core.Touch!.IsLost ? "nothing can be read, for pages of its table of objects, or of an index of its cache, are lost," : "reads go on,")} and nothing can be written: close the pile, {WayOutOf(failure)}, and open it again.",
        _directory.FullPath,
        failure);

    private static string WayOutOf(Exception failure) => failure is OutOfMemoryException ? "give the process more memory" : "see to the device";

    private static string CauseOf(Exception failure) => failure is OutOfMemoryException
        ? "the process had no managed memory while its files were synced, so that nobody knows whether they are"
        : "a call of its files failed";

    /// <summary>Ends asking: none is under way afterwards.</summary>
    public void Dispose()
    {
        _isEnded = true;
        using Gates.Held held = _gate.EnterAnyhow();
        _looks?.Dispose();
    }
}
