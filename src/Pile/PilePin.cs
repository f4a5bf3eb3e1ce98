// A hold on a stored object's bytes that may cross threads and awaits: counted on the segment, not on a thread's epoch.
// The cleaner passes over pinned segments, so a pin costs the memory of its whole segment while it lasts.
using System;
using System.Threading;
using Pile.Heap;
using Pile.Memory;

namespace Pile;

/// <summary>A pin on an object's stored bytes, for asynchronous and native consumers.</summary>
/// <remarks>Any thread may use and dispose it. The bytes are those of the moment it was taken: an update or a delete meanwhile
/// does not change them. A pin that is never disposed keeps its segment from reuse, and <see cref="ObjectPile.Dispose"/> reports
/// it. Taking one costs an object and two atomic additions.</remarks>
public sealed class PilePin : IDisposable
{
    private readonly ObjectPile _pile;
    private PinTarget _target;
    private NativeView? _view;
    private int _disposed;

    internal PilePin(ObjectPile pile) => _pile = pile;

    /// <summary>The stored bytes as memory. Valid until the pin is disposed, an <see cref="ObjectDisposedException"/> afterwards; the bytes
    /// never move, so that <see cref="ReadOnlyMemory{T}.Pin"/> costs nothing and its address may go to native code.</summary>
    /// <remarks>Those of a text are no UTF-8: Latin-1 (<see cref="PileKind.NarrowString"/>) or UTF-16 (<see cref="PileKind.WideString"/>), as <see cref="Kind"/> says.</remarks>
    /// <exception cref="ObjectDisposedException">The pin was disposed.</exception>
    public ReadOnlyMemory<byte> Memory
    {
        get
        {
            ThrowIfDisposed();
            NativeView? view = Volatile.Read(ref _view);
            if (view is null)
            {
                // One view for all threads, and none that an end meanwhile has not seen.
                NativeView made = new(_target.Address, _target.Bytes, nameof(PilePin));
                view = Interlocked.CompareExchange(ref _view, made, null) ?? made;
                if (Volatile.Read(ref _disposed) != 0)
                {
                    view.End();
                    ThrowIfDisposed();
                }
            }

            return view.Memory;
        }
    }

    /// <summary>The stored bytes, 8-byte aligned. Valid until the pin is disposed.</summary>
    /// <remarks>Of a text: as for <see cref="Memory"/>.</remarks>
    /// <exception cref="ObjectDisposedException">The pin was disposed.</exception>
    public ReadOnlySpan<byte> Bytes
    {
        get
        {
            ThrowIfDisposed();
            return NativeView.Span(_target.Address, _target.Bytes);
        }
    }

    /// <summary>Number of stored bytes.</summary>
    public int Length => _target.Bytes;

    /// <summary>How the object is stored.</summary>
    public PileKind Kind => (PileKind)_target.Code;

    /// <summary>Pins an object, once; the pin is there before, so that nothing is held which nobody could let go.</summary>
    internal PileStatus TryHold(ulong pointer) => _pile.Reads.TryPin(pointer, out _target);

    /// <summary>Ends the pin. Further calls do nothing.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            _view?.End();
            _pile.Reads.Unpin(_target);
        }
    }

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed) != 0, this);
}
