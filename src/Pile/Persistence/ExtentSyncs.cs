// Syncs of a pile's extents by those who share its files: the flusher, the count after an open, Clear. The system tells of a failed write once for each
// open file, to whoever asks first, and takes the pages for written: who asks next, before that failure has ended all writing, would
// acknowledge what is not on the device.
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>Syncs of the extents of one pile. Thread-safe: one at a time.</summary>
internal sealed class ExtentSyncs
{
    private readonly Lock _gate = new();
    private FileCallException? _failure;
    private int _turn;
    private volatile bool _isUnsure;

    /// <summary>Whether a sync, or a question, was begun of which nobody knows how it ended: it threw something else than its failure.</summary>
    internal bool IsUnsure => _isUnsure;

    /// <summary>Asks whether the system could write back what was stored in the extents; those that are asked dearly one in each call, in turn. Who has been told of a failure is
    /// told no more.</summary>
    /// <exception cref="FileCallException">It could not.</exception>
    internal void RequireWritten(IReadOnlyList<ExtentFile> extents)
    {
        if (!_gate.TryEnter())
        {
            // A sync is under way, and will be told.
            return;
        }

        try
        {
            _turn = _turn + 1 < extents.Count ? _turn + 1 : 0;
            for (int index = 0; index < extents.Count && _failure is null; index++)
            {
                if (index == _turn || !extents[index].IsAskedDearly)
                {
                    extents[index].RequireWritten();
                }
            }
        }
        catch (FileCallException failure)
        {
            _failure = failure;
            throw;
        }
        catch
        {
            _isUnsure = true;
            throw;
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>Returns when what was stored in the extents before is durable.</summary>
    /// <exception cref="FileCallException">A sync failed, now or before.</exception>
    internal void Sync(IReadOnlyList<ExtentFile> extents)
    {
        using (_gate.EnterAnyhow())
        {
            if (_failure is { } failed)
            {
                ExceptionDispatchInfo.Throw(failed);
            }

            try
            {
                for (int index = 0; index < extents.Count && !Fault.SyncSkipped; index++)
                {
                    extents[index].Sync();
                }
            }
            catch (FileCallException failure)
            {
                _failure = failure;
                throw;
            }
            catch
            {
                _isUnsure = true;
                throw;
            }
        }
    }
}
