namespace Pile.HitRatio.Traces;

/// <summary>Twelve loops at once, over a half of the keys, a quarter, and so on; each request takes the next key of one of them, drawn
/// evenly. A pure loop that is larger than the cache would be missed by all; these tell which are kept whole.</summary>
internal sealed class LoopKeys : IKeySource
{
    internal const int Loops = 12;
    internal const int KeysMin = 1 << Loops;
    private readonly long[] _first = new long[Loops];
    private readonly long[] _keys = new long[Loops];
    private readonly long[] _next = new long[Loops];
    private readonly SplitMix _random;

    internal LoopKeys(long keys, ulong seed)
    {
        _random = new SplitMix(seed);
        long first = 0;
        for (int loop = 0; loop < Loops; loop++)
        {
            _first[loop] = first;
            _keys[loop] = keys >> (loop + 1);
            first += _keys[loop];
        }
    }

    public long Next()
    {
        int loop = _random.NextBelow(Loops);
        long key = _first[loop] + _next[loop];
        _next[loop] = (_next[loop] + 1) % _keys[loop];
        return key;
    }
}
