// What is done beside the users of a pile in files, by one thread: the recount after an open (HeapRecount), then the warm-up; from then
// on checkpoints when they are due and, if wanted, the scrub. It starts when there is something to do, and ends with the pile.
using System;
using System.Threading;
using Pile.Format;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>Upkeep of one pile in files. Thread-safe.</summary>
internal sealed class Upkeep : IDisposable
{
    private readonly HeapCore<DurableRecord> _core;
    private readonly DurableHeap _heap;
    private readonly PileOptions _options;
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly CancellationTokenSource _ending = new();
    private readonly Lock _gate = new();
    private Thread? _thread;
    private Scrubber? _scrubber;
    private volatile bool _isWarmUpDone;
    private volatile bool _isThreadMissing;

    /// <param name="core">The heap.</param>
    /// <param name="heap">Its files.</param>
    /// <param name="options">How much to do.</param>
    internal Upkeep(HeapCore<DurableRecord> core, DurableHeap heap, PileOptions options)
    {
        _core = core;
        _heap = heap;
        _options = options;
        Recounting = new HeapRecount(core, heap, _ending.Token);
    }

    /// <summary>The recount.</summary>
    internal HeapRecount Recounting { get; }

    /// <summary>Starts a thread; throws OutOfMemoryException where the process can't have another.</summary>
    internal Action<Thread> Starting { get; set; } = static thread => thread.Start();

    /// <summary>Whether the counters are exact, and all that was to be read ahead is read.</summary>
    internal bool IsWarm => _isWarmUpDone && _core.IsCountedWhole;

    /// <summary>Does on the calling thread what an open waits for: a recount that is short, a warm-up that was asked for.</summary>
    /// <param name="recount">It.</param>
    /// <param name="cancellationToken">Ends a warm-up that the open waits for.</param>
    internal void Begin(Recount recount, CancellationToken cancellationToken)
    {
        Recounting.Begin(recount);
        if (_core.OpenedSlots <= _options.RecountSlots)
        {
            Recounting.Run();
        }

        if (_options.WarmUp == PileWarmUp.Blocking)
        {
            WarmUp.Run(_core, cancellationToken);
        }

        _isWarmUpDone = _options.WarmUp != PileWarmUp.Background;
    }

    /// <summary>Begins what is left to do beside the users, if anything. Not before the pile was shown to who listens: an open's first
    /// calls need the cores.</summary>
    internal void Continue()
    {
        if (((Recounting.IsLeft && _options.RecountSlots >= 0) || !_isWarmUpDone || _options.ScrubBytesPerSecond > 0) && !TryStart())
        {
            // What others wait for; the rest when a flush finds a thread.
            UntilEnd(Recounting.Run);
        }
    }

    /// <summary>A flush completed: a checkpoint may be due.</summary>
    internal void Flushed()
    {
        if (_isThreadMissing || Recounting.IsReturnDue || _heap.Checkpoints.IsDue)
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
            Gates.Anyhow(thread.Join);
        }

        // A caller's count ends as soon, and none begins any more.
        Recounting.WaitForCallers();
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
                try
                {
                    var thread = new Thread(RunUntilEnd) { IsBackground = true, Name = "Pile upkeep" };
                    Starting(thread);
                    _thread = thread;
                    _isThreadMissing = false;
                }
                catch (OutOfMemoryException)
                {
                    // The process has no thread left, or no memory for one, and who asks here has to go on: the next flush asks again.
                    _isThreadMissing = true;
                }
            }

            return _thread is not null;
        }
    }

    private void RunUntilEnd()
    {
        try
        {
            UntilEnd(Run);
        }
        catch (OutOfMemoryException)
        {
            // It would end the process. Another thread is started by a later flush.
            using Gates.Held held = _gate.EnterAnyhow();
            _thread = null;
            _isThreadMissing = true;
        }
    }

    private void Run()
    {
        Recounting.Run();
        if (!_isWarmUpDone)
        {
            WarmUp.Run(_core, _ending.Token);
            _isWarmUpDone = true;
        }

        int waitMs = 0;
        while ((_options.ScrubBytesPerSecond > 0 || _heap.Checkpoints.AreWanted) && !_ending.IsCancellationRequested)
        {
            try
            {
                _ = _wake.WaitOne(waitMs);
                waitMs = FileLimits.LookMs;
                waitMs = Care();
            }
            catch (OutOfMemoryException)
            {
                // It would end the process; what is due then is due in a second, too.
                _ = Thread.Yield();
            }
        }
    }

    /// <summary>Does some of it, as far as that goes before the pile ends.</summary>
    internal static void UntilEnd(Action work)
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

    /// <summary>One round.</summary>
    /// <returns>Milliseconds until the next, unless one is asked for.</returns>
    private int Care()
    {
        if (_ending.IsCancellationRequested)
        {
            return 0;
        }

        if (_heap.Checkpoints.IsDue)
        {
            _ = _heap.Checkpoints.TryTake(_ending.Token);
        }

        if (Recounting.IsReturnDue)
        {
            Recounting.ReturnFreed();
        }

        if (_options.ScrubBytesPerSecond == 0)
        {
            return Timeout.Infinite;
        }

        _scrubber ??= new Scrubber(_core);
        _scrubber.Round(long.Max(1, _options.ScrubBytesPerSecond / (1000 / FileLimits.ScrubTickMs)));
        return FileLimits.ScrubTickMs;
    }
}
