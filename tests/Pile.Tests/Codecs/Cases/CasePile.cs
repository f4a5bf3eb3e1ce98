using System;
using Pile.Codecs;
using Pile.Format;
using Pile.Tests.Codecs.Graphs;
using Xunit;

namespace Pile.Tests.Codecs.Cases;

/// <summary>A pile that uses one kind of plan, reached by its public surface; what comes back is held against what went in by
/// <see cref="GraphComparer"/>, and the bytes against <see cref="WireWalk"/>.</summary>
internal sealed class CasePile : IDisposable
{
    private readonly CheckedPile _checked;

    internal CasePile(string plan, long limitBytes = 64 << 20) =>
        _checked = new CheckedPile(PileOptions.Tiny with { Plans = Enum.Parse<PlanMode>(plan), MemoryLimitBytes = limitBytes });

    internal ObjectPile It => _checked.It;

    public void Dispose() => _checked.Dispose();

    /// <summary>Puts a value and gets it back, twice: the copy must be equal, and so must the copy's copy.</summary>
    internal T Back<T>(T value)
        where T : notnull
    {
        T first = Once(value);
        Assert.Null(GraphComparer.Difference(value, first));
        Assert.Null(GraphComparer.Difference(value, Once(first)));
        return first;
    }

    /// <summary>Puts a value as object, so that no lane of raw bytes takes it, and gets it back.</summary>
    internal T BackAsObject<T>(T value)
        where T : notnull => (T)Back<object>(value);

    /// <summary>The bytes of a value.</summary>
    internal byte[] BytesOf<T>(T value)
        where T : notnull
    {
        PilePointer pointer = It.Put(value);
        using PileLease lease = It.Lease(pointer);
        return lease.Bytes.ToArray();
    }

    /// <summary>Puts what must be refused.</summary>
    internal PileRefusedException Refused(object value)
    {
        long before = It.GetStatistics().Objects;
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => It.Put(value));
        Assert.Equal(before, It.GetStatistics().Objects);
        Assert.Equal(PileStatus.Refused, refused.Status);
        return refused;
    }

    private T Once<T>(T value)
        where T : notnull
    {
        PilePointer pointer = It.Put(value);
        using (PileLease lease = It.Lease(pointer))
        {
            if (lease.Code == RecordCode.Typed)
            {
                Assert.InRange(WireWalk.DepthOf(lease.Bytes), 0, WireWalk.DepthMax);
            }
        }

        T got = It.Get<T>(pointer);
        Assert.True(It.Delete(pointer));
        return got;
    }
}
