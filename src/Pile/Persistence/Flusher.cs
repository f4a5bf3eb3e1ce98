// Flushes: makes everything stored so far durable, numbers it, and lets many callers wait for one. The first caller that needs a
// flush runs it; who comes meanwhile waits for the next, which one of them runs for all (group commit); how long that one is held back for others is CommitGroup's to say. A thread of its own flushes in the background. A failed sync ends all writing: what the kernel dropped can't be had back by trying again.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Diagnostics;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>The flusher of one pile. Thread-safe.</summary>
internal sealed class Flusher : IDisposable
{
    private static readonly int _carriersMax = Environment.ProcessorCount - 1;
    private readonly FlushClock _clock;
    private readonly ILogFiles _log;
    private readonly TimeSpan _interval;
    private readonly CommitGroup _group = new(TimeProvider.System);
    private List<CommitWaiter> _waiting = [];
    private List<CommitWaiter>? _spare;
    private List<TaskCompletionSource> _tasks = [];
    private readonly Parker _parker = Parker.Create();
    private Thread? _thread;
    private Exception? _failure;
    private bool _isRunning;
    private bool _isWatching;
    private volatile bool _isWanted;
    private volatile bool _isStopped;

    /// <summary>Prepares a flusher; <see cref="Start"/> begins its thread.</summary>
    /// <param name="clock">Counts the flushes.</param>
    /// <param name="log">What is flushed.</param>
    /// <param name="interval">How often the thread flushes; infinite for only on demand.</param>
    /// <param name="time">The clock of <see cref="Age"/>; null for the system's.</param>
    internal Flusher(FlushClock clock, ILogFiles log, TimeSpan interval, TimeProvider? time = null)
    {
        _clock = clock;
        _log = log;
        _interval = interval;
        Age = new UnflushedAge(log, time ?? TimeProvider.System);
        clock.Wanted = () =>
        {
            _isWanted = true;
            Wake();
        };
    }

    /// <summary>Held by whoever looks at who waits and who runs a flush.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>The first failure, if one ended all writing.</summary>
    internal Exception? Failure => Volatile.Read(ref _failure);

    /// <summary>How long the oldest change has waited for a flush.</summary>
    internal UnflushedAge Age { get; }

    /// <summary>Ends all writing because of a failure elsewhere in the files.</summary>
    internal void Fail(Exception failure) => Fail(_clock.Started + 1, failure);

    /// <summary>Begins flushing in the background.</summary>
    internal void Start()
    {
        var thread = new Thread(RunInBackground) { IsBackground = true, Name = "Pile flusher" };
        thread.Start();
        _thread = thread;
    }

    /// <summary>Returns when everything stored before the call is durable.</summary>
    /// <exception cref="PilePoisonedException">A sync failed, now or before.</exception>
    /// <exception cref="InsufficientMemoryException">There is no managed memory for a flush; the next one covers what this one did not.</exception>
    internal void Commit()
    {
        long needed;
        CommitTurn turn;
        using (Gate.EnterAnyhow())
        {
            ThrowIfFailed();
            if (_isStopped)
            {
                Throw.Disposed();
            }

            needed = _clock.Started + 1;
            turn = JoinLocked();
        }

        Follow(turn);
        if (_clock.Completed < needed)
        {
            ThrowIfFailed();
            throw NoMemory();
        }
    }

    /// <summary>As <see cref="Commit"/>, without a thread that waits.</summary>
    internal Task CommitAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource done;
        using (Gate.EnterAnyhow())
        {
            if (Failure is { } failure)
            {
                return Task.FromException(_log.Poisoned(failure));
            }

            if (_isStopped)
            {
                Throw.Disposed();
            }

            done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _tasks.Add(done);
            _group.Add();
            if (!_isRunning && !IsWatchedLocked())
            {
                Wake();
            }
        }

        return done.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Ends the thread. Commits that wait get their flush first.</summary>
    internal void Stop()
    {
        _isStopped = true;
        Wake();
        if (_thread is { } thread && thread != Thread.CurrentThread)
        {
            Gates.Anyhow(thread.Join);
        }

        // A caller of Commit may be running one, or about to: the files stay open for it. One more flush is for whoever waits without a thread.
        while (true)
        {
            CommitTurn turn;
            using (Gate.EnterAnyhow())
            {
                if (!_isRunning && _waiting.Count == 0 && _tasks.Count == 0)
                {
                    return;
                }

                turn = JoinLocked();
            }

            Follow(turn);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Stop();

    private void Wake() => _parker.Unpark();

    private void RunInBackground()
    {
        TimeSpan wait = _interval;
        while (!_isStopped)
        {
            bool isAsked = _parker.Park(wait);
            using (Gate.EnterAnyhow())
            {
                if (!IsDueLocked(isAsked, out wait))
                {
                    continue;
                }

                BeginLocked();
            }

            // Without memory who waits does so still, and has woken this thread again.
            if (TryTakeLists() is { } lists)
            {
                Run(lists);
            }

            using (Gate.EnterAnyhow())
            {
                // Those who were told will be back: who waits already need not be woken for them.
                _isWatching = !_isRunning && _group.IsGathering && _waiting.Count == 0;
                wait = _isWatching ? _group.Patience : _interval;
            }
        }
    }

    /// <summary>Whether the flusher's own thread has to run a flush now.</summary>
    /// <param name="isAsked">Whether somebody woke it; else the time was over.</param>
    /// <param name="wait">How long it waits when it has not.</param>
    private bool IsDueLocked(bool isAsked, out TimeSpan wait)
    {
        bool hasWatched = _isWatching;
        _isWatching = false;
        wait = _interval;
        if (_isRunning)
        {
            return false;
        }

        if (_tasks.Count == 0)
        {
            // Who woke it for a flush that another has run meanwhile wants no more.
            return Failure is null && (_isWanted || (!isAsked && !hasWatched && Age.LookForAny()));
        }

        // A failure elsewhere may have come behind those who wait: there is nothing to flush then, but they are to be told.
        if (Failure is null && _group.IsGathering)
        {
            _isWatching = _waiting.Count == 0;
            wait = _isWatching ? _group.Patience : _interval;
            return false;
        }

        if (hasWatched && !isAsked)
        {
            _group.GiveUp();
        }

        return true;
    }

    /// <summary>Whether somebody waits for those who are expected, and begins the flush when its time has come.</summary>
    private bool IsWatchedLocked() => _group.IsGathering && (_isWatching || _waiting.Count > 0);

    /// <summary>Joins the group of the next flush.</summary>
    /// <returns>What the caller does, by <see cref="Follow"/>, without the lock.</returns>
    private CommitTurn JoinLocked()
    {
        _group.Add();
        if (!_isRunning && !_group.IsGathering)
        {
            BeginLocked();
            return CommitTurn.Lead;
        }

        CommitTurn turn = !_isRunning && _waiting.Count == 0 ? CommitTurn.Watch : CommitTurn.None;
        _waiting.Add(CommitWaiter.Mine);
        return turn;
    }

    /// <summary>Waits until the flush of the group has ended, or runs it when that is the caller's turn. Who is told to return takes no lock, which all the others want at that moment.</summary>
    private void Follow(CommitTurn turn)
    {
        while (turn is CommitTurn.None or CommitTurn.Watch)
        {
            turn = turn == CommitTurn.Watch ? Watch(CommitWaiter.Mine) : CommitWaiter.Mine.Wait(Timeout.InfiniteTimeSpan);
        }

        if (turn == CommitTurn.Lead)
        {
            Run(TryTakeLists() ?? throw NoMemory());
        }
    }

    /// <summary>Waits for the others who are expected, and begins without them when they do not come.</summary>
    private CommitTurn Watch(CommitWaiter self)
    {
        TimeSpan patience;
        using (Gate.EnterAnyhow())
        {
            patience = _group.Patience;
        }

        CommitTurn turn = self.Wait(patience);
        using (Gate.EnterAnyhow())
        {
            if (turn == CommitTurn.None && !_isRunning && _waiting.Remove(self))
            {
                _group.GiveUp();
                BeginLocked();
                turn = CommitTurn.Lead;
            }
        }

        return turn;
    }

    /// <summary>Makes the caller the one who runs the next flush: nobody else begins one before <see cref="Run"/> has ended.</summary>
    private void BeginLocked() => _isRunning = true;

    /// <summary>Runs one flush for all who wait. By whoever was made the one to, without the lock.</summary>
    private void Run((List<CommitWaiter> Waiters, List<TaskCompletionSource> Tasks) lists)
    {
        (List<CommitWaiter> waiters, List<TaskCompletionSource> tasks) = lists;
        long flush = 0;
        int group;
        using (Gate.EnterAnyhow())
        {
            (waiters, _waiting) = (_waiting, waiters);
            (tasks, _tasks) = _tasks.Count > 0 ? (_tasks, tasks) : (tasks, _tasks);
            group = _group.Begin();
            if (Failure is null)
            {
                // Before it begins: whoever wants one later wants the next.
                _isWanted = false;
                flush = _clock.Begin();
            }
        }

        OutOfMemoryException? want = flush > 0 ? Flush(flush) : null;
        using (Gate.EnterAnyhow())
        {
            _group.End(group);
            EndRun();
        }

        CommitWaiter.TellAll(waiters, _carriersMax);
        CommitWaiter.TellAll(tasks, Failure, want, _log);
        waiters.Clear();
        Volatile.Write(ref _spare, waiters);
    }

    /// <summary>What <see cref="Run"/> needs for those who come meanwhile; null where there is no memory: then another is to run it.</summary>
    private (List<CommitWaiter> Waiters, List<TaskCompletionSource> Tasks)? TryTakeLists()
    {
        try
        {
            return (Interlocked.Exchange(ref _spare, null) ?? [], []);
        }
        catch (OutOfMemoryException)
        {
            EndRun();
            return null;
        }
    }

    /// <returns>The want of memory for which it is not complete, and nothing has failed; else null.</returns>
    private OutOfMemoryException? Flush(long flush)
    {
        try
        {
            Age.Flush(flush);
            if (Failure is null)
            {
                _clock.Complete(flush);
                _log.Flushed();
            }
        }
        catch (OutOfMemoryException want) when (!_log.IsUnsure)
        {
            // Nothing was acknowledged, and no sync is in doubt: the next flush does it all. What is left to do behind a complete one is done then, too.
            _clock.End(flush);
            return _clock.Completed < flush ? want : null;
        }
#pragma warning disable CA1031 // Whatever ended a flush: from now on every write and commit says so, with the first failure inside.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(flush, exception);
        }

        return null;
    }

    private static InsufficientMemoryException NoMemory() => new("There is no memory to run a flush: what was stored is not durable by it. Commit again.");

    private void Fail(long flush, Exception failure)
    {
        // Each failed sync is noted, whatever failed before it: after another failure the next open goes on as after a kill.
        bool isFirst = Interlocked.CompareExchange(ref _failure, failure, null) is null;
        if (isFirst || failure is not FileCallException { IsSync: false })
        {
            _log.Poison(flush, failure);
            EventsAside.TellFlushFailed(flush, failure);
        }
    }

    /// <summary>Ends what <see cref="BeginLocked"/> began, and has the next flush run, or watched for, by one of those who wait for it already.</summary>
    private void EndRun()
    {
        using Gates.Held held = Gate.EnterAnyhow();
        _isRunning = false;
        if (_waiting.Count > 0 && _group.IsGathering)
        {
            _waiting[0].Tell(CommitTurn.Watch);
        }
        else if (_waiting.Count > 0)
        {
            CommitWaiter next = _waiting[0];
            _waiting.RemoveAt(0);
            BeginLocked();
            next.Tell(CommitTurn.Lead);
        }
        else if (_tasks.Count > 0 || _isWanted)
        {
            Wake();
        }
    }

    private void ThrowIfFailed()
    {
        if (Failure is { } failure)
        {
            throw _log.Poisoned(failure);
        }
    }
}
