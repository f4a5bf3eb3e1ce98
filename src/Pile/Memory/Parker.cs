// Parks a thread until another one unparks it: one permit, as java.util.concurrent.LockSupport has it. For the few places where many
// threads are told at once and the runtime's own locks take longer to wake them than what they wait for takes.
using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pile.Memory;

/// <summary>A place where one thread waits. One thread parks; any may unpark it.</summary>
internal abstract class Parker
{
    /// <summary>The form that this machine has: that of its kernel where its calls are known, else that of the runtime.</summary>
    internal static Parker Create() =>
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64 ? new LinuxParker() : new MonitorParker();

    /// <summary>Waits for the permit, and takes it. An interrupt of the thread does not end the wait, and is met by its next one.</summary>
    /// <param name="wait">How long at the most; infinite for as long as it takes.</param>
    /// <returns>False when the time is over.</returns>
    internal abstract bool Park(TimeSpan wait);

    /// <summary>Gives the permit, if it is not there yet. What the caller stored before, the parked thread sees.</summary>
    internal abstract void Unpark();

    /// <summary>What is left of a wait.</summary>
    /// <param name="wait">How long it is; infinite stays so.</param>
    /// <param name="begun">When it began.</param>
    /// <returns>Zero when nothing is.</returns>
    private protected static TimeSpan Left(TimeSpan wait, long begun)
    {
        if (wait == Timeout.InfiniteTimeSpan)
        {
            return wait;
        }

        TimeSpan left = wait - TimeProvider.System.GetElapsedTime(begun);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
