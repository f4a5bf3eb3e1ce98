using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Pile.Tests;

/// <summary>Runs something on a thread of its own and brings its failure back.</summary>
internal sealed class OwnThread
{
    private readonly Thread _thread;
    private Exception? _failure;

    private OwnThread(Action work, string name)
    {
        _thread = new Thread(() => Run(work)) { IsBackground = true, Name = name };
        _thread.Start();
    }

    internal static OwnThread Start(Action work, string name = "test") => new(work, name);

    /// <summary>Returns once the thread waits for something, or has ended.</summary>
    /// <returns>False when the time ran out.</returns>
    internal bool Waits(TimeSpan time) => SpinWait.SpinUntil(() => (_thread.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0, time);

    /// <summary>Waits for the end; throws what the work threw.</summary>
    internal void Join()
    {
        _thread.Join();
        if (_failure is not null)
        {
            ExceptionDispatchInfo.Throw(_failure);
        }
    }

    private void Run(Action work)
    {
        try
        {
            work();
        }
        catch (Exception failure)
        {
            _failure = failure;
        }
    }
}
