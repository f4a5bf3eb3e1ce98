using System.Threading;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class SyncBehindTests
{
    [Fact]
    public void EachFileIsSyncedOnceBeforeTheWaitForThemEnds()
    {
        using var files = new SimulatedFiles();
        int syncs = 0;
        files.AtCall = _ => Interlocked.Increment(ref syncs);
        using StoreFile one = files.Open("/one", FileOpening.CreateNew);
        using StoreFile other = files.Open("/other", FileOpening.CreateNew);
        syncs = 0;
        using var behind = new SyncBehind();
        behind.Add(one);
        behind.Add(other);
        behind.Complete();
        Assert.Equal(2, syncs);
    }

    [Fact]
    public void WhatKeptAFileFromItIsThrownWhereTheEndIsWaitedFor()
    {
        using var files = new SimulatedFiles();
        using StoreFile file = files.Open("/file", FileOpening.CreateNew);
        files.AtCall = static path => throw new FileCallException("fdatasync", path, "the test wants it so", FileFailure.Other);
        using var behind = new SyncBehind();
        behind.Add(file);
        Assert.Contains("/file", Assert.Throws<FileCallException>(behind.Complete).Path, System.StringComparison.Ordinal);
        files.AtCall = null;
    }

    [Fact]
    public void WithoutAWaitItEndsWithItsWriter()
    {
        using var files = new SimulatedFiles();
        int syncs = 0;
        using StoreFile file = files.Open("/file", FileOpening.CreateNew);
        files.AtCall = _ => Interlocked.Increment(ref syncs);
        using (var behind = new SyncBehind())
        {
            behind.Add(file);
        }

        Assert.Equal(1, syncs);
    }
}
