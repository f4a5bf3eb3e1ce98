namespace Pile.HitRatio.Traces;

/// <summary>Keys whose popularity follows a power of their rank, each request by itself.</summary>
internal sealed class ZipfKeys(long keys, double exponent, ulong seed) : IKeySource
{
    private readonly ZipfSampler _sampler = new(keys, exponent);
    private readonly SplitMix _random = new(seed);

    public long Next() => _sampler.Next(_random) - 1;
}
