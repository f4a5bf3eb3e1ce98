using System.Threading;
using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions, or others, of which the k-th call fails, or every call from the k-th on; counts what is mapped.</summary>
internal sealed class FailingRegions(int failAt, bool forEver, RegionProvider? regions = null) : RegionProvider
{
    private readonly RegionProvider _regions = regions ?? Default;
    private int _calls;
    private long _mappedBytes;

    /// <summary>Calls so far that could have failed.</summary>
    internal int Calls => Volatile.Read(ref _calls);

    /// <summary>Bytes mapped and not unmapped.</summary>
    internal long MappedBytes => Volatile.Read(ref _mappedBytes);

    internal override bool ReservesFreely => _regions.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        region = default;
        return !Fails() && _regions.TryMap(bytes, alignmentBytes, out region) && Count(bytes);
    }

    internal override bool TryReserve(long bytes, long alignmentBytes, out Region region)
    {
        region = default;
        return !Fails() && _regions.TryReserve(bytes, alignmentBytes, out region) && Count(bytes);
    }

    internal override bool TryOpen(in Region region, long offset, long bytes) => !Fails() && _regions.TryOpen(region, offset, bytes);

    internal override bool TryBack(int extent, int extents, int segmentBytes, in Region region) =>
        !Fails() && _regions.TryBack(extent, extents, segmentBytes, region);

    internal override void Unmap(in Region region)
    {
        Interlocked.Add(ref _mappedBytes, -region.Bytes);
        _regions.Unmap(region);
    }

    internal override bool TryPopulate(in Region region, long offset, long bytes) =>
        !Fails() && _regions.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes)
    {
        if (!Fails())
        {
            _regions.PreferHugePages(region, offset, bytes);
        }
    }

    internal override bool TryGiveBack(in Region region, long offset, long bytes) =>
        !Fails() && _regions.TryGiveBack(region, offset, bytes);

    private bool Count(long bytes)
    {
        Interlocked.Add(ref _mappedBytes, bytes);
        return true;
    }

    private bool Fails()
    {
        int call = Interlocked.Increment(ref _calls);
        return forEver ? call >= failAt : call == failAt;
    }
}
