// The background thread of a pile: woken when a segment is taken and few are free, otherwise looking around now and then.
// It starts with the pile's first segments, or what only it does, not with the pile, and holds no strong reference while it waits,
// so that a forgotten pile can be collected.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Diagnostics;
using Pile.Primitives;

namespace Pile.Cleaning;

/// <summary>Runs a pile's housekeeping. Thread-safe.</summary>
internal sealed class Keeper : IDisposable
{
    private readonly AutoResetEvent _signal = new(initialState: false);
    private readonly StopFlag _stop = new();
    private IHousekeeping? _work;
    private Thread? _thread;
    private int _takes;

    /// <summary>The failure that ended the thread, if one did: a defect, kept to be shown.</summary>
    internal Exception? Failure => _stop.Failure;

    /// <summary>Whether the thread has begun.</summary>
    internal bool IsAtWork => Volatile.Read(ref _thread) is not null;

    /// <summary>Held while the thread is started, by whoever needs it first: a writer, which has just taken a segment.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>Held during each step of the work: whoever takes it sees no step half done.</summary>
    internal Lock Working => _stop.Working;

    /// <summary>Gives the thread its work; without it <see cref="Wake"/> does nothing.</summary>
    internal void Serve(IHousekeeping work) => _work = work;

    /// <summary>There may be something to do: another segment was taken.</summary>
    internal void Wake() => WakeUnless(Interlocked.Increment(ref _takes) < RoomLimits.KeeperStartsAtTakes);

    /// <summary>There is something to do, however few segments were taken.</summary>
    internal void WakeNow() => WakeUnless(isTooEarly: false);

    /// <summary>There is, or will be, something that nobody else does: it looks around from now on.</summary>
    internal void Begin()
    {
        if (!IsAtWork)
        {
            WakeNow();
        }
    }

    /// <summary>Ends the thread.</summary>
    internal void Stop(bool wait)
    {
        // Who asks a second time may be a finalizer, behind that of what is waited on.
        bool isAsked = _stop.Requested;
        _stop.Requested = true;
        if (!isAsked)
        {
            _signal.Set();
        }

        if (wait && StartedThread() is { } thread && thread != Thread.CurrentThread)
        {
            Gates.Anyhow(thread.Join);
        }
    }

    /// <summary>Ends the thread and frees what it waited on.</summary>
    public void Dispose()
    {
        Stop(wait: true);
        _signal.Dispose();
    }

    private void WakeUnless(bool isTooEarly)
    {
        // A pile that never takes more than a few segments, and has nothing that only the thread does, needs none.
        if (_work is not null && (IsAtWork || (!isTooEarly && TryStart())))
        {
            _signal.Set();
        }
    }

    /// <summary>The thread, where there is one; not while it is being started, when it may be at work already.</summary>
    private Thread? StartedThread()
    {
        using (Gate.EnterAnyhow())
        {
            return _thread;
        }
    }

    private bool TryStart()
    {
        using (Gate.EnterAnyhow())
        {
            if (_thread is null && !_stop.Requested)
            {
                try
                {
                    Thread thread = NewThread(new WeakReference<IHousekeeping>(_work!), _signal, _stop);
                    thread.Start();
                    Volatile.Write(ref _thread, thread);
                }
                catch (OutOfMemoryException)
                {
                    // The process has no thread left, or no memory for one, and a writer is held here: writers clean for themselves until the next wake-up gets one.
                }
            }
        }

        return _thread is not null;
    }

    // By itself, because what a lambda captures is allocated when its method begins.
    private static Thread NewThread(WeakReference<IHousekeeping> weak, AutoResetEvent signal, StopFlag stop) =>
        new(() => Run(weak, signal, stop)) { IsBackground = true, Name = "Pile keeper" };

    private static void Run(WeakReference<IHousekeeping> weak, AutoResetEvent signal, StopFlag stop)
    {
        int waitMs = RoomLimits.KeeperTickMs;
        while (waitMs >= 0 && !stop.Requested)
        {
            try
            {
                bool woken = signal.WaitOne(waitMs);
                waitMs = stop.Requested ? -1 : Step(weak, stop, woken);
            }
            catch (OutOfMemoryException)
            {
                // In a step, or in the wait itself. The program may have memory again, and this exception would end it.
                _ = Thread.Yield();
            }
        }
    }

    /// <summary>One step of the work, in a frame of its own: the waiting frame must not keep the pile reachable.</summary>
    /// <returns>How long to wait for the next, or -1 to end.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Step(WeakReference<IHousekeeping> weak, StopFlag stop, bool woken)
    {
        if (!weak.TryGetTarget(out IHousekeeping? work))
        {
            return -1;
        }

        try
        {
            while (!stop.Working.TryEnter(RoomLimits.KeeperTickMs))
            {
                // A verification may take long; who ends the pile waits for this thread.
                if (stop.Requested)
                {
                    return -1;
                }
            }

            try
            {
                LockOrder.Enter(LockRank.KeeperStep);
                return work.Tick(woken) ? RoomLimits.KeeperIdleTickMs : RoomLimits.KeeperTickMs;
            }
            finally
            {
                LockOrder.Exit(LockRank.KeeperStep);
                stop.Working.Exit();
            }
        }
        catch (Exception failure) when (failure is not OutOfMemoryException)
        {
            // A defect: shown by Verify and as an event. The pile goes on, writers clean for themselves.
            stop.Failure = failure;
            PileEventSource.Log.KeeperFailed(failure.ToString());
            return -1;
        }
    }

    /// <summary>Shared with the thread, which must not hold the keeper itself.</summary>
    private sealed class StopFlag
    {
        private volatile bool _requested;

        internal bool Requested
        {
            get => _requested;
            set => _requested = value;
        }

        internal Lock Working { get; } = new();

        internal Exception? Failure { get; set; }
    }
}
