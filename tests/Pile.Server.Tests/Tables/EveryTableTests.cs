using System;
using System.Collections.Generic;
using Grpc.Core;
using Microsoft.Extensions.Logging.Abstractions;
using Pile.Cache;
using Pile.Server.Calls;
using Pile.Server.Leases;
using Pile.Server.Tables;
using Pile.Server.Watching;
using Xunit;

namespace Pile.Server.Tests.Tables;

/// <summary>What is done to one table after the other, where one of them fails.</summary>
public sealed class EveryTableTests : IDisposable
{
    private readonly PileCache _cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
    private readonly TableCatalogue _tables;
    private readonly List<string> _done = [];

    public EveryTableTests()
    {
        _tables = new TableCatalogue(_cache, new LeaseRoom(), new WatchRoom(), tablesMax: 5, NullLogger.Instance);
        foreach (string name in (string[])["a", "b", "c"])
        {
            _ = _tables.Create(name, new V1.TableOptions());
        }
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void ATableThatFailsKeepsNoOtherFromItAndIsTold()
    {
        RpcException told = Assert.Throws<RpcException>(() => EveryTable.Do(_tables.All, isServing: true, table => Do(table, () => throw CallFailure.Of(StatusCode.ResourceExhausted, PileStatus.Full, "No room."))));

        Assert.Equal(["a", "c", "default"], _done);
        Assert.Equal(StatusCode.ResourceExhausted, told.StatusCode);
        Assert.Equal(V1.PileStatus.Full, FailureInterceptor.DetailOf(told).Status);
        Assert.Equal("1 of 4 tables failed, and the others are done. The first was 'b': No room.", told.Status.Detail);
    }

    [Fact]
    public void AFailureThatNobodyHasForeseenStaysWhatItIsAfterAllOthersAreDone()
    {
        Assert.Equal("Odd.", Assert.Throws<InvalidOperationException>(() => EveryTable.Do(_tables.All, isServing: true, table => Do(table, () => throw new InvalidOperationException("Odd.")))).Message);

        Assert.Equal(["a", "c", "default"], _done);
    }

    [Fact]
    public void ATableThatIsDroppedMeanwhileIsNoFailure()
    {
        ServedTable[] all = [.. _tables.All];
        _ = _tables.Drop("b");

        EveryTable.Do(all, isServing: true, table => Do(table, () => table.Entries.Clear()));

        Assert.Equal(["a", "c", "default"], _done);
    }

    [Fact]
    public void ThatTheCacheWasClosedIsTold()
    {
        ServedTable[] all = [.. _tables.All];
        _cache.Dispose();

        RpcException told = Assert.Throws<RpcException>(() => EveryTable.Do(all, isServing: false, static table => table.Entries.Clear()));

        Assert.Equal(StatusCode.Unavailable, told.StatusCode);
    }

    private void Do(ServedTable table, Action ofB)
    {
        if (table.Name == "b")
        {
            ofB();
        }

        _done.Add(table.Name);
    }
}
