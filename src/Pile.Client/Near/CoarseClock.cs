// The system's coarse clock: a number that each timer interrupt sets, read without a look at the processor's counter, at a fifth of the price of an
// exact time stamp. It lags behind by up to the time between two interrupts, 1 to 16 ms.
using System;

namespace Pile.Client.Near;

/// <summary>Milliseconds that pass at the pace of time stamps and lag behind them.</summary>
/// <param name="time">What the client was given; of another than the system's, time stamps are made coarse.</param>
internal readonly struct CoarseClock(TimeProvider time)
{
    private const long StepMs = 16;
    private readonly TimeProvider? _foreign = ReferenceEquals(time, TimeProvider.System) ? null : time;

    /// <summary>Milliseconds since some moment.</summary>
    internal long NowMs => _foreign is null ? Environment.TickCount64 : CoarsenedMs(_foreign);

    private static long CoarsenedMs(TimeProvider time) => (long)time.GetElapsedTime(0, time.GetTimestamp()).TotalMilliseconds / StepMs * StepMs;
}
