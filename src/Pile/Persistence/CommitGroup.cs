// Decides how long a flush that callers wait for is held back for those who will want it too. Callers who commit again and again,
// as servers' requests do, come back soon after a flush has told them so; one that began with the first of them would leave the rest
// to the next one, and each would be half full. So as many are expected as were served, or waited, when the last flush ended; they are
// waited for as long as that flush took, and where they did not come, nobody waits for the next few.
using System;

namespace Pile.Persistence;

/// <summary>The expectations of one flusher. Under its lock.</summary>
/// <param name="time">The clock: the machine's own, for what is measured is the device.</param>
internal sealed class CommitGroup(TimeProvider time)
{
    private const int SkipsMax = 64;
    private int _expected = 1;
    private int _skipsLeft;
    private int _skips;
    private long _begun;
    private TimeSpan _lasted;
    private long _ended;

    /// <summary>Callers that wait for the next flush.</summary>
    internal int Waiting { get; private set; }

    /// <summary>How long those who are expected are waited for, from now.</summary>
    internal TimeSpan Patience => TimeSpan.FromTicks(long.Max(0, (_lasted - time.GetElapsedTime(_ended)).Ticks));

    /// <summary>Whether the next flush is worth more when it begins later.</summary>
    internal bool IsGathering => Waiting < _expected && Patience > TimeSpan.Zero;

    /// <summary>Counts a caller.</summary>
    internal void Add()
    {
        Waiting++;
        if (Waiting == _expected && _expected > 1)
        {
            _skips = 0;
        }
    }

    /// <summary>The time is over, and not all have come.</summary>
    internal void GiveUp()
    {
        _skips = int.Min(SkipsMax, (_skips * 2) + 1);

        // And the one that begins now.
        _skipsLeft = _skips + 1;
    }

    /// <summary>A flush begins, for all who wait.</summary>
    /// <returns>How many they are.</returns>
    internal int Begin()
    {
        int served = Waiting;
        Waiting = 0;
        _begun = time.GetTimestamp();
        return served;
    }

    /// <summary>It has ended.</summary>
    /// <param name="served">For how many.</param>
    internal void End(int served)
    {
        _ended = time.GetTimestamp();
        _lasted = time.GetElapsedTime(_begun, _ended);
        _expected = _skipsLeft > 0 || served == 0 ? 1 : served + Waiting;
        _skipsLeft = int.Max(0, _skipsLeft - 1);
    }
}
