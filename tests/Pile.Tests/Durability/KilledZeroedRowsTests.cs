using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability.Cuts;
using Pile.Tests.Durability.Hostile;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A pile whose process was killed, and whose rows of segments read as zeros: who does not go by its table, because the log alone is walked for reading and for a salvage, asks
/// it where segments are, and tells.</summary>
public sealed class KilledZeroedRowsTests
{
    private const int RowsBytes = ExtentHeader.CopyOffset - ExtentHeader.RowsOffset;

    private static PileOptions Options => new() { DiskLimitBytes = 512 << 20, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false };

    /// <summary>A pile whose process was killed, in this boot of the machine and over these very files: opened for writing its table is believed, for reading alone the log is walked.</summary>
    [Fact]
    public void AnOpenForReadingAloneOfAKilledPileTells()
    {
        using var files = new SimulatedFiles();
        List<PilePointer> pointers = [];
        SimulatedFiles killed;
        using (ObjectPile pile = CutLife.Open(files))
        {
            pointers.AddRange(Enumerable.Range(0, 3000).Select(_ => pile.PutBytes(new byte[100])));
            Assert.True(pile.Delete(pointers[9]));
            pointers.RemoveAt(9);
            killed = files.Fork();
        }

        using (killed)
        {
            PileOptions options = CutLife.Options(killed) with { OpenMode = PileOpenMode.ReadOnly };
            using (ObjectPile whole = ObjectPile.Open(CutLife.Directory, options))
            {
                Assert.Equal(pointers.Count, whole.Verify().Objects);
                Assert.Empty(whole.RecoveryReport().Damages);
            }

            using (StoreFile extent = killed.Open(Path.Combine(CutLife.Directory, StoreNames.Extents, StoreNames.OfExtent(1)), FileOpening.OpenExisting))
            {
                extent.Write(ExtentHeader.RowsOffset, new byte[RowsBytes]);
            }

            PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(CutLife.Directory, options));
            Assert.Contains("its row says that it holds nothing", refused.Message, StringComparison.Ordinal);
            using ObjectPile pile = ObjectPile.Open(CutLife.Directory, options with { AcceptLoss = true });
            Assert.Contains("for reading alone", pile.RecoveryReport().Reason, StringComparison.Ordinal);
            Assert.All(pointers, pointer => Assert.Equal(100, pile.Get<byte[]>(pointer).Length));
            Assert.Equal(pointers.Count, pile.Verify().Objects);
        }
    }

    /// <summary>Zeros from the rows on into the first segment, and a last one without a header, whose tombstones are missed: what was deleted was back.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASalvageOfAKilledPileTellsOfWhatHasNoHeaderEither(bool isLast)
    {
        using var copies = new TemporaryDirectory();
        string path = Directory.CreateDirectory(Path.Combine(copies.Path, "pile")).FullName;
        string found = Path.Combine(copies.Path, "found");
        List<long> headers = [];
        using (ObjectPile pile = ObjectPile.Open(path, Options))
        {
            List<PilePointer> pointers = [.. Enumerable.Range(0, 9000).Select(_ => pile.PutBytes(new byte[100]))];
            Assert.All(pointers.Skip(10), pointer => Assert.True(pile.Delete(pointer)));
            pile.Commit();
            HostileDirectory.Copy(path, found);
            headers.AddRange(pile.ListSegments().Where(static segment => segment.WrittenBytes > 0).Select(static segment => ExtentHeader.ExtentPrefixBytes + ((long)segment.Index * segment.Bytes)));
        }

        string extent = Path.Combine(found, "extents", "00000001");
        Overwrite(extent, ExtentHeader.RowsOffset, new byte[RowsBytes]);
        Overwrite(extent, headers[isLast ? headers.Count - 1 : 0], new byte[SegmentHeader.Bytes]);
        using (ObjectPile read = ObjectPile.Open(found, Options with { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true }))
        {
            Assert.Contains(read.RecoveryReport().Damages, static damage => damage.What.Contains("which is lost", StringComparison.Ordinal));
        }

        PileSalvageReport report = PileSalvage.Run(found, Path.Combine(copies.Path, "made"), cancellationToken: TestContext.Current.CancellationToken);
        Assert.Contains("neither its row nor its header can be read", Assert.Single(report.Dropped).What, StringComparison.Ordinal);
    }

    private static void Overwrite(string file, long offset, byte[] bytes)
    {
        using FileStream stream = File.OpenWrite(file);
        stream.Position = offset;
        stream.Write(bytes);
    }
}
