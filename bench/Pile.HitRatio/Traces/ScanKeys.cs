namespace Pile.HitRatio.Traces;

/// <summary>Popular keys, interrupted by scans: the first half of the keys by Zipf; after each tenth of the keys' number of such requests
/// a scan of a twentieth of it through the second half, one key after the other, from where the last scan ended.</summary>
internal sealed class ScanKeys(long keys, double exponent, ulong seed) : IKeySource
{
    internal const int KeysMin = 20;
    private readonly ZipfKeys _popular = new(keys / 2, exponent, seed);
    private readonly long _popularKeys = keys / 2;
    private readonly long _between = keys / 10;
    private readonly long _scanKeys = keys / 20;
    private long _step;
    private long _scanned;

    public long Next()
    {
        long step = _step;
        _step = (step + 1) % (_between + _scanKeys);
        return step < _between ? _popular.Next() : _popularKeys + (_scanned++ % (keys - _popularKeys));
    }
}
