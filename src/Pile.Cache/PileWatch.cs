// A reader of a table's events: a channel's reader, as programs know it, that waits for nobody and says what it has missed.
// Events are kept by the table, once for all who watch it; this holds a place among them.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Pile.Cache.Events;
using Pile.Cache.Keys;

namespace Pile.Cache;

/// <summary>The events of a table from one moment on, in the order in which they took effect. Made by <see cref="PileTableWatches.Watch"/>.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <remarks>All members are thread-safe; each event goes to one of several readers. It ends when the table is dropped or the
/// cache disposed and what was told before is read, or when it is disposed; <see cref="Completion"/> is done by the read that meets the end.</remarks>
public sealed class PileWatch<TKey> : ChannelReader<PileTableEvent<TKey>>, IDisposable
    where TKey : notnull
{
    private readonly ObjectPile _pile;
    private readonly TableWatchers _watchers;
    private readonly EventRing _ring;
    private readonly PileEventKinds _kinds;
    private readonly Lock _reading = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private EventCursor _cursor;
    private byte[] _key = new byte[CacheLimits.KeyBytesOnStack];
    private bool _isAfterUnknown;
    private bool _isDisposed;

    internal PileWatch(ObjectPile pile, TableWatchers watchers, EventRing ring, PileWatchOptions options)
    {
        _pile = pile;
        _watchers = watchers;
        _ring = ring;
        _kinds = options.Kinds;
        _cursor = ring.Begin(options.After, out bool isKnown);
        _isAfterUnknown = !isKnown;
    }

    /// <inheritdoc/>
    public override Task Completion => _completion.Task;

    /// <summary>The place up to which events were read: those after it are still to come. That of its beginning before the first.</summary>
    public PileEventPosition Position
    {
        get
        {
            lock (_reading)
            {
                return new PileEventPosition(_ring.Stream, _cursor.Number - 1);
            }
        }
    }

    /// <inheritdoc/>
    /// <remarks>Takes a lock for the length of a copy of the key; allocates the key alone.</remarks>
    public override bool TryRead([MaybeNullWhen(false)] out PileTableEvent<TKey> item)
    {
        lock (_reading)
        {
            if (_isAfterUnknown && !_isDisposed)
            {
                _isAfterUnknown = false;
                item = new PileTableEvent<TKey> { Kind = PileEventKinds.Lost, LostCount = -1, Position = Position };
                return true;
            }

            while (!_isDisposed && _ring.TryRead(ref _cursor, ref _key, out EventFacts facts))
            {
                if ((facts.Kind & (_kinds | PileEventKinds.Lost)) != 0)
                {
                    item = EventOf(facts);
                    return true;
                }
            }

            CompleteIfOver();
            item = default;
            return false;
        }
    }

    /// <inheritdoc/>
    /// <remarks>True also when what there is turns out to be of kinds that are not wanted.</remarks>
    public override async ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Task? more;
            lock (_reading)
            {
                if (_isAfterUnknown && !_isDisposed)
                {
                    return true;
                }

                more = _isDisposed ? null : _ring.Beyond(_cursor);
                if (more is null)
                {
                    _ = _completion.TrySetResult();
                    return false;
                }

                if (more.IsCompleted)
                {
                    return true;
                }
            }

            await more.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Ends the watch. Who waits is told that there is no more.</summary>
    public void Dispose()
    {
        lock (_reading)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
        }

        _watchers.Leave();
        _ring.Wake();
        _ = _completion.TrySetResult();
    }

    private PileTableEvent<TKey> EventOf(in EventFacts facts)
    {
        var told = new PileTableEvent<TKey>
        {
            Kind = facts.Kind,
            Version = facts.Version,
            Former = facts.Former,
            LostCount = facts.Lost,
            Position = new PileEventPosition(_ring.Stream, facts.Number),
        };
        ReadOnlySpan<byte> key = _key.AsSpan(0, facts.KeyBytes);
        return facts.Kind switch
        {
            PileEventKinds.TagRemoved => told with { Tag = key.IsEmpty ? null : TextKey.Read(key) },
            PileEventKinds.Cleared or PileEventKinds.Lost => told,
            _ => told with { Key = KeyOf(key) },
        };
    }

    private TKey? KeyOf(ReadOnlySpan<byte> key)
    {
        try
        {
            return KeyCodec<TKey>.Decode(_pile, key);
        }
        catch (PileException unreadable) when (unreadable.Status is PileStatus.UnknownType or PileStatus.TypeMismatch or PileStatus.Corrupted)
        {
            // Of before the last start, of a type that the program has not used yet: the version tells which entry it was.
            return default;
        }
    }

    private void CompleteIfOver()
    {
        if (_isDisposed || _ring.Beyond(_cursor) is null)
        {
            _ = _completion.TrySetResult();
        }
    }
}
