// Tells cleaning that gains room from cleaning that only shuffles: packing segments that are nearly full frees one for each
// that it fills, for ever, when what is left at the ends of segments is more than what a pass may leave alone.
using Pile.Primitives;

namespace Pile.Cleaning;

/// <summary>Watches the room that one caller's passes leave. Not thread-safe.</summary>
internal struct GainWatch
{
    private long _best;
    private int _vain;
    private bool _started;

    /// <summary>Notes the room after a pass.</summary>
    /// <param name="roomBytes">What <see cref="Cleaner{TFormat}.RoomBytes"/> says.</param>
    /// <returns>False when several passes in a row have left no more room than there was before them.</returns>
    internal bool IsWorth(long roomBytes)
    {
        if (_started && roomBytes <= _best)
        {
            return ++_vain < RoomLimits.VainPassesMax;
        }

        _started = true;
        _best = roomBytes;
        _vain = 0;
        return true;
    }
}
