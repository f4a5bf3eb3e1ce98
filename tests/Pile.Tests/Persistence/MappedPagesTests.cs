using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>How mapped files lie in the address space, and what is asked for their pages (decision 39).</summary>
public sealed class MappedPagesTests
{
    private const int ObjectBytes = 15_000;
    private const int ObjectsMax = 30_000;

    [Fact]
    public void DataIsAsFarFromAHugePageAsInItsFile()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc/self/maps");
        using var directory = new TemporaryDirectory();
        using ObjectPile pile = ObjectPile.Open(directory.Path);
        _ = pile.PutBytes(new byte[100]);
        string[] mapped = [.. File.ReadLines("/proc/self/maps").Where(line => line.Contains(directory.Path, StringComparison.Ordinal))];
        foreach (string part in new[] { "/extents/", "/table." })
        {
            // The last is the data: a page of rows, or of the header, may be mapped by itself at any place.
            (long address, long offset) = mapped.Where(line => line.Contains(part, StringComparison.Ordinal)).Select(Place).MaxBy(static place => place.Offset);
            Assert.Equal((part, 0L), (part, (address - offset) % Limits.HugePageBytes));
        }
    }

    [Fact]
    public void HugePagesAreAskedForUntilThePileOutgrowsHalfOfTheMemory()
    {
        using var directory = new TemporaryDirectory();
        var machine = new SmallMachine(6L * Limits.ExtentBytes);
        using ObjectPile pile = ObjectPile.Open(directory.Path, new PileOptions { Promise = PilePromise.ProcessSafe, Regions = machine });
        for (int objects = 0; objects < ObjectsMax && Wished(machine).Asked < 2; objects++)
        {
            _ = pile.PutBytes(new byte[ObjectBytes]);
        }

        Assert.Equal((2, 0), Wished(machine));
        for (int objects = 0; objects < ObjectsMax && Wished(machine).TakenBack == 0; objects++)
        {
            _ = pile.PutBytes(new byte[ObjectBytes]);
        }

        (nint first, _, _) = machine.Advice.First(static advice => advice.Wanted && advice.Bytes == Limits.ExtentBytes - ExtentFile.SmallDataBytes);
        (nint from, long bytes, _) = machine.Advice.Last(static advice => !advice.Wanted);
        Assert.Equal((2, 1), Wished(machine));
        Assert.True(from <= first && bytes >= 3L * Limits.ExtentBytes, $"taken back from {from - first} on, {bytes} bytes");
    }

    [Fact]
    public void APowerSafePileNeverAsks()
    {
        using var directory = new TemporaryDirectory();
        var machine = new SmallMachine(long.MaxValue);
        using ObjectPile pile = ObjectPile.Open(directory.Path, new PileOptions { Promise = PilePromise.PowerSafe, Regions = machine });
        _ = pile.PutBytes(new byte[100]);
        Assert.Equal((0, 0), Wished(machine));
    }

    [Fact]
    public void ACommitTakesWhatWasStoredOutOfThePageTableAndNothingIsLost()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc/self/smaps");
        const int Objects = 4_000;
        using var directory = new TemporaryDirectory();
        using ObjectPile pile = ObjectPile.Open(directory.Path, new PileOptions { Promise = PilePromise.PowerSafe, FlushInterval = TimeSpan.FromHours(1) });
        byte[] payload = new byte[1000];
        PilePointer[] pointers = [.. Enumerable.Range(0, Objects).Select(number =>
        {
            payload.AsSpan().Fill((byte)number);
            return pile.PutBytes(payload);
        })];

        // How many were mapped before is not asked: the pile may have flushed by itself meanwhile.
        pile.Commit();
        long after = MappedBytes(directory.Path);
        Assert.True(after < Objects * payload.Length / 4, $"{after} bytes are mapped after the commit");
        for (int number = 0; number < Objects; number++)
        {
            using PileLease lease = pile.Lease(pointers[number]);
            Assert.Equal(payload.Length, lease.Bytes.Length);
            Assert.False(lease.Bytes.ContainsAnyExcept((byte)number));
        }
    }

    /// <summary>What the system reads ahead lies in large pages, of which the first store dirties all: on a full device it ended the process where a page reached over a segment without
    /// space. Pages of segments come alone, those of large objects with what lies behind them, all of them small; also in a process that only reads, whose pages are there for the next.</summary>
    [Theory]
    [InlineData(PilePromise.PowerSafe)]
    [InlineData(PilePromise.ProcessSafe)]
    public void FilesAreReadBySmallPages(PilePromise promise)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc/self/smaps");
        using var directory = new TemporaryDirectory();
        for (int open = 0; open < 3; open++)
        {
            using ObjectPile pile = ObjectPile.Open(directory.Path, new PileOptions { Promise = promise, OpenMode = open == 2 ? PileOpenMode.ReadOnly : PileOpenMode.OpenOrCreate });
            if (open < 2)
            {
                _ = pile.PutBytes(new byte[100]);
                _ = pile.PutBytes(new byte[100_000]);
            }

            string[] flags = FlagsOfData(directory.Path);
            Assert.True(flags.Length >= 2, $"{flags.Length} mappings");
            Assert.All(flags, static line => Assert.True(line.Contains(" rr", StringComparison.Ordinal) || line.Contains(" sr", StringComparison.Ordinal), line));
            Assert.Contains(flags, static line => line.Contains(" rr", StringComparison.Ordinal));
            _ = Assert.Single(flags, static line => line.Contains(" sr", StringComparison.Ordinal));
        }
    }

    /// <summary>What the system says of each mapping of data.</summary>
    private static string[] FlagsOfData(string directory)
    {
        var flags = new List<string>();
        bool isData = false;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            bool isFirst = line.Contains('/', StringComparison.Ordinal);
            isData = isFirst ? line.Contains(directory + "/extents/", StringComparison.Ordinal) && Place(line).Offset >= ExtentHeader.ExtentPrefixBytes : isData && char.IsAsciiLetterUpper(line[0]);
            if (isData && line.StartsWith("VmFlags:", StringComparison.Ordinal))
            {
                flags.Add(line);
            }
        }

        return [.. flags];
    }

    /// <summary>Bytes of the extents that the process has in its page tables.</summary>
    private static long MappedBytes(string directory)
    {
        long bytes = 0;
        bool isExtent = false;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            // A mapping begins with its addresses, fields of it with their names.
            isExtent = line.Contains('/', StringComparison.Ordinal) ? line.Contains(directory + "/extents/", StringComparison.Ordinal) : isExtent && char.IsAsciiLetterUpper(line[0]);
            bytes += isExtent && line.StartsWith("Rss:", StringComparison.Ordinal)
                ? 1024 * long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture)
                : 0;
        }

        return bytes;
    }

    private static (int Asked, int TakenBack) Wished(SmallMachine machine) =>
        (machine.Advice.Count(static advice => advice.Wanted && advice.Bytes == Limits.ExtentBytes - ExtentFile.SmallDataBytes), machine.Advice.Count(static advice => !advice.Wanted));

    private static (long Address, long Offset) Place(string line)
    {
        string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return (long.Parse(fields[0].Split('-')[0], NumberStyles.HexNumber, CultureInfo.InvariantCulture), long.Parse(fields[2], NumberStyles.HexNumber, CultureInfo.InvariantCulture));
    }
}
