using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Pile.Tests.Golden;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Damaged piles brought into new directories: what is whole is there under its pointer, what is not is told and gone.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class SalvageTests : IDisposable
{
    private const int RecordHeaderBytes = 24;
    private readonly TemporaryDirectory _directory = new();

    private static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1), WritersMax = 1 };

    private string Source => Path.Combine(_directory.Path, "source");

    private string Target => Path.Combine(_directory.Path, "target");

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void OfAWholePileNothingIsDropped()
    {
        using (ObjectPile pile = ObjectPile.Open(Source, GoldenContent.Options))
        {
            GoldenContent.Fill(pile);
        }

        Assert.Empty(Salvage().Dropped);
        using ObjectPile target = ObjectPile.Open(Target, GoldenContent.Options);
        GoldenContent.Require(target);
        Assert.Empty(target.Verify().Findings);
    }

    [Fact]
    public void AnObjectWhoseNewestValueIsDamagedIsDeletedAndDoesNotStepBack()
    {
        PilePointer pointer = default;
        Make(pile =>
        {
            pointer = pile.Put("the value of before");
            pile.Update(pointer, "the newest value, which will be damaged");
        });
        Flip("the newest value", 3);
        PileSalvageReport report = Salvage();
        Assert.Contains($"the object of slot {pointer.Slot} is lost", Assert.Single(report.Dropped).What, StringComparison.Ordinal);
        OpenTarget(target =>
        {
            Assert.False(target.TryLease(pointer, out _, out PileStatus status));
            Assert.Equal(PileStatus.Stale, status);

            // Its slot goes on with a higher generation.
            Assert.All(Enumerable.Range(0, 500).Select(index => target.Put(index)), put => Assert.NotEqual(pointer, put));
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AFileOfFloorsThatIsLostCostsNoObjectAndNoPointerOfBeforeTheClear(bool isThere)
    {
        PilePointer[] old = [];
        PilePointer pointer = default;
        Make(pile =>
        {
            old = [.. Enumerable.Range(0, 300).Select(index => pile.Put(index))];
            pile.Clear();
            pointer = pile.Put("put after the clear");
        });
        string floors = Path.Combine(Source, "floors.1");
        File.Delete(floors);
        if (isThere)
        {
            File.WriteAllBytes(floors, new byte[8192]);
        }

        PileDamageReport dropped = Assert.Single(Salvage().Dropped);
        Assert.Equal(floors, dropped.Path);
        OpenTarget(target =>
        {
            Assert.Equal("put after the clear", target.Get<string>(pointer));
            Assert.All(Enumerable.Range(0, 500).Select(index => target.Put(index)), put => Assert.DoesNotContain(put, old));
        });
    }

    [Fact]
    public void DamageOfAValueThatWasReplacedLosesNothing()
    {
        PilePointer pointer = default;
        Make(pile =>
        {
            pointer = pile.Put("the value of before");
            pile.Update(pointer, "the newest value");
        });
        Flip("the value of before", 3);
        Assert.Empty(Salvage().Dropped);
        OpenTarget(target => Assert.Equal("the newest value", target.Get<string>(pointer)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(20)]
    public void WhereHeadersAreDamagedTheRecordsBehindThemAreKept(int damaged)
    {
        List<PilePointer> pointers = [];
        PilePointer large = default;
        byte[] pages = [.. Enumerable.Range(0, 100_000).Select(static index => (byte)(index / 251))];
        Make(pile =>
        {
            pointers.AddRange(Enumerable.Range(0, 100).Select(index => pile.Put(TextOf(index))));
            large = pile.PutBytes(pages);
        });
        for (int index = 0; index < damaged; index++)
        {
            Flip(TextOf(40 + index), 10 - RecordHeaderBytes);
        }

        PileSalvageReport report = Salvage();
        Assert.Contains("without a record", Assert.Single(report.Dropped).What, StringComparison.Ordinal);
        OpenTarget(target =>
        {
            for (int index = 0; index < pointers.Count; index++)
            {
                Assert.Equal(index is < 40 || index >= 40 + damaged, target.TryGet(pointers[index], out string? text, out _));
                Assert.True(text is null || text == TextOf(index));
            }

            Assert.Equal(pages, target.Get<byte[]>(large));
        });
    }

    [Fact]
    public void OfADamagedBatchTheWholeMembersAreKept()
    {
        PilePointer[] pointers = [];
        Make(pile =>
        {
            using PileBatch batch = pile.BeginBatch();
            pointers = [.. Enumerable.Range(0, 30).Select(index => batch.Put(TextOf(index)))];
            batch.Commit();
        });
        Flip(TextOf(7), 2);
        Assert.Contains($"slot {pointers[7].Slot} is lost", Assert.Single(Salvage().Dropped).What, StringComparison.Ordinal);
        OpenTarget(target => Assert.Equal(pointers.Where(static (_, index) => index != 7), pointers.Where(pointer => target.TryGet<string>(pointer, out _, out _))));
    }

    [Fact]
    public void ADamagedLargeObjectIsDeleted()
    {
        PilePointer large = default;
        Make(pile => large = pile.PutBytes(Encoding.Latin1.GetBytes(string.Concat(Enumerable.Range(0, 1000).Select(TextOf)))));
        Flip(TextOf(500), 0);
        _ = Assert.Single(Salvage().Dropped);
        OpenTarget(target => Assert.False(target.TryLease(large, out _)));
    }

    [Fact]
    public void ACopyOfAPileThatIsReadAfterAPowerCutCountsThatRecovery()
    {
        GoldenTests.Unpack(Path.Combine("v1", "crash-powersafe.golden"), Source);
        using (ObjectPile pile = ObjectPile.Open(Source, GoldenContent.Options with { OpenMode = PileOpenMode.ReadOnly }))
        {
            _ = pile.CopyTo(Target, cancellationToken: TestContext.Current.CancellationToken);
        }

        using ObjectPile copy = ObjectPile.Open(Target, GoldenContent.Options);
        Assert.Equal(2, copy.RecoveryReport().Recoveries);
        GoldenContent.Require(copy);
    }

    private static string TextOf(int index) => $"this is the text of number {index:D6}, and no other";

    private void Make(Action<ObjectPile> fill)
    {
        using ObjectPile pile = ObjectPile.Open(Source, Options);
        fill(pile);
    }

    private PileSalvageReport Salvage() => PileSalvage.Run(Source, Target, cancellationToken: TestContext.Current.CancellationToken);

    private void OpenTarget(Action<ObjectPile> require)
    {
        using ObjectPile target = ObjectPile.Open(Target, Options with { OpenMode = PileOpenMode.OpenExisting });
        Assert.Empty(target.Verify().Findings);
        Assert.Empty(target.RecoveryReport().Damages);
        require(target);
        Assert.Empty(target.Verify().Findings);
    }

    /// <summary>Flips a bit, counted from where a text stands in the extents.</summary>
    private void Flip(string text, int offset)
    {
        foreach (string path in Directory.GetFiles(Path.Combine(Source, "extents")))
        {
            byte[] bytes = File.ReadAllBytes(path);
            int at = bytes.AsSpan().IndexOf(Encoding.Latin1.GetBytes(text));
            if (at >= 0)
            {
                using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite);
                file.Position = at + offset;
                file.WriteByte((byte)(bytes[at + offset] ^ 4));
                return;
            }
        }

        Assert.Fail($"'{text}' stands nowhere.");
    }
}
