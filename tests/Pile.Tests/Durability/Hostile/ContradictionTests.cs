using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>Options that contradict the files, or one another: refused by name, with nothing changed.</summary>
public sealed class ContradictionTests : IDisposable
{
    private readonly TemporaryDirectory _place = new();

    public void Dispose() => _place.Dispose();

    [Fact]
    public void OptionsOfMemoryAreRefusedByFiles()
    {
        AssertRefused<ArgumentException>("MemoryLimitBytes", HostileDirectory.Options with { MemoryLimitBytes = 64 << 20 });
        AssertRefused<ArgumentException>("Promise", HostileDirectory.Options with { Promise = PilePromise.Memory });
        AssertRefused<ArgumentOutOfRangeException>("Promise", HostileDirectory.Options with { Promise = (PilePromise)7 });
        AssertRefused<ArgumentOutOfRangeException>("OpenMode", HostileDirectory.Options with { OpenMode = (PileOpenMode)7 });
        AssertRefused<ArgumentOutOfRangeException>("VerifyOnRead", HostileDirectory.Options with { VerifyOnRead = (PileVerifyOnRead)7 });
        AssertRefused<ArgumentOutOfRangeException>("DiskLimitBytes", HostileDirectory.Options with { DiskLimitBytes = (1 << 20) - 1 });
        AssertRefused<ArgumentOutOfRangeException>("DiskReserveBytes", HostileDirectory.Options with { DiskReserveBytes = -1 });
        AssertRefused<ArgumentOutOfRangeException>("FlushInterval", HostileDirectory.Options with { FlushInterval = TimeSpan.FromMilliseconds(9) });
        Assert.False(Directory.Exists(_place.Path));
    }

    [Fact]
    public void OptionsOfFilesAreRefusedInMemory()
    {
        foreach ((string name, PileOptions options) in new (string, PileOptions)[]
        {
            ("Promise", PileOptions.Tiny with { Promise = PilePromise.PowerSafe }),
            ("OpenMode", PileOptions.Tiny with { OpenMode = PileOpenMode.ReadOnly }),
            ("OpenMode", PileOptions.Tiny with { OpenMode = PileOpenMode.OpenExisting }),
            ("DiskLimitBytes", PileOptions.Tiny with { DiskLimitBytes = 1 << 20 }),
            ("DiskReserveBytes", PileOptions.Tiny with { DiskReserveBytes = 0 }),
        })
        {
            ArgumentException refused = Assert.Throws<ArgumentException>(() => ObjectPile.Create(options));
            Assert.Equal(name, refused.ParamName);
            Assert.Contains("ObjectPile.Open", refused.Message, StringComparison.Ordinal);
        }

        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { Promise = PilePromise.Memory });
        Assert.Null(pile.GetStatistics().DiskFreeBytes);
    }

    [Theory]
    [InlineData(PilePromise.ProcessSafe, PilePromise.PowerSafe)]
    [InlineData(PilePromise.PowerSafe, PilePromise.ProcessSafe)]
    public void AnotherPromiseThanTheFilesHaveIsRefused(PilePromise created, PilePromise asked)
    {
        using var directory = new HostileDirectory(created);
        SortedDictionary<string, string> before = directory.Everything();
        foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.OpenOrCreate, PileOpenMode.ReadOnly])
        {
            PileException refused = Assert.Throws<PileException>(() => ObjectPile.Open(directory.Path, HostileDirectory.Options with { Promise = asked, OpenMode = mode }));
            Assert.Equal(PileStatus.Format, refused.Status);
            Assert.Contains($"promises {created}, and Promise = {asked}", refused.Message, StringComparison.Ordinal);
            Assert.Equal(before, directory.Everything());
        }

        IOException there = Assert.Throws<IOException>(() => ObjectPile.Open(directory.Path, HostileDirectory.Options with { OpenMode = PileOpenMode.CreateNew }));
        Assert.Contains("CreateNew", there.Message, StringComparison.Ordinal);
        Assert.Equal(before, directory.Everything());
        _ = directory.RequireWhole();
    }

    [Fact]
    public void ALimitBelowWhatTheFilesTakeIsRefusedAndThatOfTheirLastOpenIsNot()
    {
        PileOptions options = HostileDirectory.Options with { DiskLimitBytes = 3 << 20, WritersMax = 2 };
        PilePointer[] put;
        using (ObjectPile pile = ObjectPile.Open(_place.Path, options))
        {
            put = [.. Enumerable.Range(0, 1800).Select(id => pile.PutBytes(Content.Make(id, 1, 1000)))];
        }

        foreach (bool hasTable in (bool[])[true, false])
        {
            if (!hasTable)
            {
                File.Delete(Assert.Single(Directory.GetFiles(_place.Path, "table.*")));
            }

            string[] before = Directory.GetFileSystemEntries(_place.Path, "*", SearchOption.AllDirectories);
            PileFullException refused = Assert.Throws<PileFullException>(() => ObjectPile.Open(_place.Path, options with { DiskLimitBytes = 1 << 20 }));
            Assert.Contains(_place.Path, refused.Message, StringComparison.Ordinal);
            Assert.Contains("DiskLimitBytes", refused.Message, StringComparison.Ordinal);
            Assert.Equal(before, Directory.GetFileSystemEntries(_place.Path, "*", SearchOption.AllDirectories));
            using ObjectPile pile = ObjectPile.Open(_place.Path, options);
            Assert.Equal(hasTable ? PileOpening.Clean : PileOpening.Crawled, pile.RecoveryReport().Opening);
            Assert.All(put, pointer => Assert.Equal(1000, pile.Get<byte[]>(pointer)!.Length));
        }
    }

    private void AssertRefused<TException>(string name, PileOptions options)
        where TException : ArgumentException
    {
        TException refused = Assert.Throws<TException>(() => ObjectPile.Open(_place.Path, options));
        Assert.Equal(name, refused.ParamName);
        Assert.Contains(name, refused.Message, StringComparison.Ordinal);
    }
}
