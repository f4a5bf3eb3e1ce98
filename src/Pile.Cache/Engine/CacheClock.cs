// The time of a cache: ticks of UTC, from the provider that the cache was given.
// The system's own clock is asked directly, which saves two calls on every Set and on every read of an entry that expires.
using System;
using System.Runtime.CompilerServices;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Ticks of UTC.</summary>
internal sealed class CacheClock(TimeProvider provider)
{
    private TimeProvider? _foreign = ForeignOf(provider);

    /// <summary>The provider, for timers. Set before anybody is in the cache.</summary>
    internal TimeProvider Provider
    {
        get;
        set
        {
            field = value;
            _foreign = ForeignOf(value);
        }
    } = provider;

    /// <summary>Now, in ticks of UTC since the year 1.</summary>
    internal long Now
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _foreign is null ? UtcNow : _foreign.GetUtcNow().UtcTicks;
    }

    /// <summary>Milliseconds since 1970, as entries keep the time of their creation.</summary>
    internal static long ToMs(long ticks) =>
        long.Clamp((ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMillisecond, 0, KeyedHead.CreatedMsMax);

    /// <summary>Ticks of UTC of a creation time.</summary>
    internal static long ToTicks(long createdMs) => DateTime.UnixEpoch.Ticks + (createdMs * TimeSpan.TicksPerMillisecond);

    private static TimeProvider? ForeignOf(TimeProvider provider) => ReferenceEquals(provider, TimeProvider.System) ? null : provider;

    private static long UtcNow => TimeProvider.System.GetUtcNow().UtcTicks;
}
