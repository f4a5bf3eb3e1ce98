using System.Threading;
using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions, of which the k-th call fails, or every call from the k-th on; counts what is mapped.</summary>
internal sealed class FailingRegions(int failAt, bool forEver) : RegionProvider
{
    private int _calls;
    private long _mappedBytes;

    /// <summary>Calls so far that could have failed.</summary>
    internal int Calls => Volatile.Read(ref _calls);

    /// <summary>Bytes mapped and not unmapped.</summary>
    internal long MappedBytes => Volatile.Read(ref _mappedBytes);

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        region = default;
        if (Fails() || !Default.TryMap(bytes, alignmentBytes, out region))
        {
            return false;
        }

        Interlocked.Add(ref _mappedBytes, bytes);
        return true;
    }

    internal override void Unmap(in Region region)
    {
        Interlocked.Add(ref _mappedBytes, -region.Bytes);
        Default.Unmap(region);
    }

    internal override bool TryPopulate(in Region region, long offset, long bytes) =>
        !Fails() && Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes)
    {
        if (!Fails())
        {
            Default.PreferHugePages(region, offset, bytes);
        }
    }

    internal override bool TryGiveBack(in Region region, long offset, long bytes) =>
        !Fails() && Default.TryGiveBack(region, offset, bytes);

    private bool Fails()
    {
        int call = Interlocked.Increment(ref _calls);
        return forEver ? call >= failAt : call == failAt;
    }
}
