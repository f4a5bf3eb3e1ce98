// The tags of memory piles: 1 to 127, each held by one pile while there are any; then they are shared in turn.
// A pointer of another pile is caught whenever the tags differ. A pile that was imported has the tag of the one that was exported;
// 128 and above are piles' in files, and not counted here.
using System.Threading;

namespace Pile;

/// <summary>Hands out pile tags. Thread-safe.</summary>
internal static class PileTags
{
    private const int Last = 127;
    private static readonly Lock _gate = new();
    private static readonly int[] _holders = new int[Last + 1];
    private static int _cursor;

    /// <summary>A tag that the fewest piles hold, in turn, so that a tag just returned is not the next.</summary>
    internal static byte Take()
    {
        lock (_gate)
        {
            int best = 0;
            for (int step = 1; step <= Last; step++)
            {
                int tag = ((_cursor + step - 1) % Last) + 1;
                if (best == 0 || _holders[tag] < _holders[best])
                {
                    best = tag;
                }
            }

            _cursor = best;
            _holders[best]++;
            return (byte)best;
        }
    }

    /// <summary>Takes the tag of the pile that another one is made from: the same pointers are to hold in both.</summary>
    internal static byte Take(byte tag)
    {
        lock (_gate)
        {
            if (tag <= Last)
            {
                _holders[tag]++;
            }

            return tag;
        }
    }

    /// <summary>Tags held now, each as often as piles hold it. For tests.</summary>
    internal static int Held
    {
        get
        {
            lock (_gate)
            {
                int held = 0;
                foreach (int holders in _holders)
                {
                    held += holders;
                }

                return held;
            }
        }
    }

    /// <summary>Returns a tag.</summary>
    internal static void Return(byte tag)
    {
        lock (_gate)
        {
            if (tag <= Last)
            {
                _holders[tag]--;
            }
        }
    }
}
