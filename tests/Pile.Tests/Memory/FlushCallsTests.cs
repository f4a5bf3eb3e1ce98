// The calls of files that a flush makes: none of them allocates, for a moment without managed memory would be told as a failure of the device.
// Of real files, through a real mapping.
using System;
using System.IO;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>Calls that flushes make of files.</summary>
public sealed class FlushCallsTests
{
    [Fact]
    public void WhatAFlushCallsAllocatesNothing()
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        using StoreFile file = FileProvider.Default.Open(Path.Combine(directory.Path, "file"), FileOpening.CreateNew);
        file.SetBytes(Limits.OsPageBytes);
        Assert.True(RegionProvider.Default.TryMap(Limits.OsPageBytes, Limits.OsPageBytes, out Region region));
        file.Map(region.Address, 0, Limits.OsPageBytes, writable: true);
        byte[] bytes = new byte[Limits.OsPageBytes];
        Flush();
        long before = GC.GetAllocatedBytesForCurrentThread();
        Flush();
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        RegionProvider.Default.Unmap(region);

        void Flush()
        {
            file.Write(0, bytes);
            file.Detach(region.Address, Limits.OsPageBytes);
            file.Sync();
            file.RequireWritten();
        }
    }
}
