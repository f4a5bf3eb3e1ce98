// Who watches a table: as long as anybody does there is a ring, and whoever changes an entry tells it. Where nobody does, a change costs
// one look at a field. No interrupt of a thread ends a wait here: what is told has taken place, and who comes and goes is counted.
using System;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Primitives;

namespace Pile.Cache.Events;

/// <summary>Watches of one table. Thread-safe.</summary>
/// <param name="ringBytes">How many bytes of events are kept.</param>
internal sealed class TableWatchers(int ringBytes)
{
    private readonly Lock _gate = new();
    private volatile EventRing? _ring;
    private volatile DrawnVersions? _cleared;
    private int _count;
    private int _clears;
    private bool _isOver;

    /// <summary>What changes are told to; null when nobody watches. Looked at after the change took effect, under the lock of its chain.</summary>
    internal EventRing? Ring => _ring;

    /// <summary>Whether a Clear goes on: of what it is of, entries may still be met after its event.</summary>
    internal bool IsClearing => Volatile.Read(ref _clears) != 0;

    /// <summary>Notes that a Clear begins, ahead of its event.</summary>
    internal void BeginClear() => Interlocked.Increment(ref _clears);

    /// <summary>Ends <see cref="BeginClear"/>: nothing is left that it is of.</summary>
    internal void EndClear()
    {
        using (_gate.EnterAnyhow())
        {
            if (Interlocked.Decrement(ref _clears) == 0)
            {
                _cleared = null;
            }
        }
    }

    /// <summary>Whether a Clear was told that has not met all its entries yet.</summary>
    internal bool AwaitsWalk => _cleared is not null;

    /// <summary>Whether an entry of a version is gone for those who watch, though the walk has not met it yet: who heard that, and reads, must
    /// not find it again.</summary>
    internal bool IsCleared(ulong version) => _cleared is { } cleared && !cleared.IsBefore(version);

    /// <summary>Comes to watch.</summary>
    /// <returns>The ring; null when the table has ended.</returns>
    internal EventRing? Join()
    {
        using (_gate.EnterAnyhow())
        {
            if (_isOver)
            {
                return null;
            }

            _count++;
            _ring ??= new EventRing(ringBytes);
        }

        // Who did not see the ring has made its change by now: each later one is told.
        Interlocked.MemoryBarrierProcessWide();
        return _ring;
    }

    /// <summary>Leaves; with the last one the ring goes.</summary>
    internal void Leave()
    {
        using (_gate.EnterAnyhow())
        {
            if (--_count == 0)
            {
                _ring = null;
            }
        }
    }

    /// <summary>Ends what is told, with the table.</summary>
    internal void End()
    {
        using (_gate.EnterAnyhow())
        {
            _isOver = true;
            _ring?.End();
        }
    }

    /// <summary>Tells that all entries are gone. Whoever calls holds all writers.</summary>
    /// <param name="drawn">What their versions are among, where a walk has yet to meet them, between <see cref="BeginClear"/> and <see cref="EndClear"/>; else null.</param>
    /// <returns>What was told; null for nobody.</returns>
    internal EventRing? TellCleared(DrawnVersions? drawn = null)
    {
        EventRing? ring = _ring;
        if (ring is not null)
        {
            _cleared = drawn ?? _cleared;
            using (ring.Gate.EnterAnyhow())
            {
                ring.AddLocked(PileEventKinds.Cleared, default, default, default);
            }
        }

        return ring;
    }

    /// <summary>Keeps all from telling anything, and from coming to watch, until <see cref="EndTell"/>: what takes effect meanwhile takes effect at one
    /// moment of the events.</summary>
    internal void BeginTell()
    {
        _ = _gate.EnterAnyhow();
        _ring?.EnterAnyhow();
    }

    /// <summary>Tells something of all entries, and ends <see cref="BeginTell"/>.</summary>
    internal void EndTell(PileEventKinds kind, scoped ReadOnlySpan<byte> text)
    {
        if (_ring is { } ring)
        {
            ring.AddLocked(kind, default, default, text);
            ring.Gate.Exit();
        }

        _gate.Exit();
    }
}
