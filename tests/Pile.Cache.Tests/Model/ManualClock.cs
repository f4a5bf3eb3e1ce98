// A clock that tests move, forth and back.
// Time stamps are those of the system: waits are real.
using System;
using System.Threading;

namespace Pile.Cache.Tests.Model;

internal sealed class ManualClock : TimeProvider
{
    private long _ticks = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).UtcTicks;

    public override DateTimeOffset GetUtcNow() => new(Volatile.Read(ref _ticks), TimeSpan.Zero);

    internal void Move(TimeSpan span) => Interlocked.Add(ref _ticks, span.Ticks);
}
