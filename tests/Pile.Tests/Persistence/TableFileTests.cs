using System;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class TableFileTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ATableIsCreatedFoundAndRemovedByItsNumber(bool real)
    {
        using var store = new StoreSample(real);
        using PileDirectory directory = store.Open();
        Assert.False(directory.HasTable(12));
        directory.CreateTable(12, 8192).Dispose();
        using (StoreFile file = directory.CreateTable(7, 4096))
        {
            Assert.Equal(4096 + 4096, file.Bytes);
        }

        Assert.Throws<FileCallException>(() => directory.CreateTable(7, 4096));
        Assert.True(directory.HasTable(7) && directory.HasTable(12));
        Assert.True(directory.TryOpenTable(12, Limits.SlotsMax, out StoreFile? table, out _));
        Assert.Equal(4096 + 8192, table.Bytes);
        table.Dispose();
        directory.DeleteOtherTables(kept: 7);
        Assert.True(directory.HasTable(7));
        Assert.False(directory.HasTable(12));
        Assert.False(directory.TryOpenTable(12, Limits.SlotsMax, out _, out string? problem));
        Assert.Contains("table.12", problem, StringComparison.Ordinal);
    }

    [Fact]
    public void OtherNamesAreNoTables()
    {
        using var store = new StoreSample();
        using PileDirectory directory = store.Open();
        string[] names = ["table.", "table.x", "table.01", "table.-1", "table.4294967296", "tables.1"];
        foreach (string name in names)
        {
            store.Write(store.In(name), 0, [1]);
        }

        directory.DeleteOtherTables(kept: 2);
        Assert.All(names, name => Assert.True(store.Files.Exists(store.In(name))));
    }

    [Fact]
    public void ATableThatCannotBeUsedSaysWhy()
    {
        using var store = new StoreSample();
        using PileDirectory directory = store.Open();
        directory.CreateTable(1, 4096).Dispose();
        store.Copy(store.In("table.1"), store.In("table.2"));
        Assert.Contains("copy of table 1", ProblemOf(directory, 2), StringComparison.Ordinal);
        WriteHeader(store, new TableHeader(5, 2));
        Assert.Contains("another pile", ProblemOf(directory, 2), StringComparison.Ordinal);
        WriteHeader(store, new TableHeader(StoreSample.Identity, 2) { Features = FormatFeatures.Current with { Incompatible = 1 } });
        Assert.Contains("newer version", Assert.Throws<PileFormatException>(() => ProblemOf(directory, 2)).Message, StringComparison.Ordinal);
        store.Flip(store.In("table.2"), 60);
        Assert.Contains("checksum", ProblemOf(directory, 2), StringComparison.Ordinal);
        store.Resize(store.In("table.2"), 100);
        Assert.Contains("ends before", ProblemOf(directory, 2), StringComparison.Ordinal);
        Assert.True(directory.TryOpenTable(1, Limits.SlotsMax, out StoreFile? table, out _));
        table.Dispose();
    }

    [Fact]
    public void ATableIsThereAfterAPowerCutOnceItsCreationHasReturned()
    {
        using var store = new StoreSample();
        using PileDirectory directory = store.Open();
        directory.CreateTable(1, 4096).Dispose();

        foreach (SimulatedFiles cut in store.Simulated.EnumerateCuts(100_000))
        {
            using (cut)
            {
                using PileDirectory again = store.Open(cut, PileOpenMode.OpenExisting);
                Assert.True(again.TryOpenTable(1, Limits.SlotsMax, out StoreFile? table, out string? problem), problem);
                Assert.Equal(8192, table.Bytes);
                table.Dispose();
            }
        }
    }

    [Fact]
    public void AReaderOpensTablesForReading()
    {
        using var store = new StoreSample();
        using (PileDirectory directory = store.Open())
        {
            directory.CreateTable(1, 4096).Dispose();
        }

        using PileDirectory reader = store.Open(PileOpenMode.ReadOnly);
        Assert.True(reader.TryOpenTable(1, Limits.SlotsMax, out StoreFile? table, out _));
        Assert.Equal(FileFailure.Denied, Assert.Throws<FileCallException>(() => table.Write(0, [1])).Failure);
        table.Dispose();
    }

    private static void WriteHeader(StoreSample store, in TableHeader header)
    {
        byte[] bytes = new byte[TableHeader.Bytes];
        header.Write(bytes);
        store.Write(store.In("table.2"), 0, bytes);
    }

    private static string ProblemOf(PileDirectory directory, uint number)
    {
        Assert.False(directory.TryOpenTable(number, Limits.SlotsMax, out StoreFile? file, out string? problem));
        Assert.Null(file);
        return problem;
    }
}
