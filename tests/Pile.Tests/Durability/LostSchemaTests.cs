using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Pile.Codecs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Tests.Codecs;
using Pile.Tests.Durability.Cuts;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Piles that have lost the schema record of a type whose objects are there: they are no other type's objects, then or later.</summary>
public sealed class LostSchemaTests
{
    private const string Extent = CutLife.Directory + "/extents/00000001";

    private SimulatedFiles Killed { get; set; } = null!;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheNumberOfADamagedSchemaIsNoOtherTypes(bool isKilled)
    {
        using var before = new SimulatedFiles();
        PilePointer old = Fill(before);
        using SimulatedFiles files = isKilled ? Killed : before.Fork();
        Damage(files, nameof(Person));
        PilePointer put = default;
        for (int opens = 0; opens < 3; opens++)
        {
            using ObjectPile pile = CutLife.Open(files);
            Assert.Contains("objects of a type may be unreadable", Assert.Single(pile.RecoveryReport().Damages).What, StringComparison.Ordinal);
            put = opens == 0 ? pile.Put(new Invoice { Payee = "Ada", Cents = 77 }) : put;
            RequireLost(pile, old);
            Assert.Equal(77, pile.Get<Invoice>(put).Cents);
        }
    }

    /// <summary>Zeroed rows are written again by the count, and the old schema is there again with the next open, beside that of what was put meanwhile.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASchemaThatIsFoundAgainIsThereBesideTheOneOfMeanwhile(bool isSameType)
    {
        using var files = new SimulatedFiles();
        PilePointer old = Fill(files);
        using (StoreFile file = files.Open(Extent, FileOpening.OpenExisting))
        {
            file.Write(ExtentHeader.RowsOffset, new byte[ExtentHeader.CopyOffset - ExtentHeader.RowsOffset]);
        }

        PilePointer put;
        using (ObjectPile pile = CutLife.Open(files))
        {
            Assert.NotEqual(0, pile.GetStatistics().TableDamages);
            put = isSameType ? pile.Put(new Person { Name = "Grace" }) : pile.Put(new Invoice { Cents = 77 });
        }

        for (int opens = 0; opens < 2; opens++)
        {
            using ObjectPile pile = CutLife.Open(files);
            Assert.Empty(pile.RecoveryReport().Damages);
            Assert.Equal("Ada", pile.Get<Person>(old).Name);
            Assert.Equal(isSameType ? "Grace" : "77", isSameType ? pile.Get<Person>(put).Name : $"{pile.Get<Invoice>(put).Cents}");
            Assert.Equal("Alan", pile.Get<Person>(pile.Put(new Person { Name = "Alan" })).Name);
        }
    }

    /// <summary>Of files that do not say how far numbers were issued.</summary>
    [Fact]
    public void FilesOfBeforeHaveAGapBehindWhatIsFound()
    {
        using var before = new SimulatedFiles();
        PilePointer old;
        using (ObjectPile pile = CutLife.Open(before))
        {
            old = pile.Put(new Person { Name = "Ada" });
            pile.Durable!.Directory.WriteMeta(static meta => meta with { TypeNumberBound = 0 });
            Killed = before.Fork();
        }

        using SimulatedFiles files = Killed;
        Damage(files, nameof(Person));
        for (int opens = 0; opens < 2; opens++)
        {
            using ObjectPile pile = CutLife.Open(files);
            Assert.Equal(77, pile.Get<Invoice>(pile.Put(new Invoice { Cents = 77 })).Cents);
            Assert.Equal([CodecLimits.TypeNumbersLostMax + 1], NumbersOf(pile));
            RequireLost(pile, old);
        }
    }

    [Fact]
    public void NumbersGoOnWithoutAGapUnlessTheProcessIsKilled()
    {
        using var before = new SimulatedFiles();
        _ = Fill(before);
        using (ObjectPile pile = CutLife.Open(before))
        {
            _ = pile.Put(new Invoice());
            Assert.Equal([1, 2], NumbersOf(pile));
            Killed = before.Fork();
            _ = pile.Put(new Outer());
            Assert.Equal([1, 2, 3, 4], NumbersOf(pile));
        }

        using (ObjectPile pile = CutLife.Open(before))
        {
            Assert.Equal(5u, pile.Durable!.Directory.Meta.TypeNumberBound);
        }

        using SimulatedFiles files = Killed;
        using ObjectPile killed = CutLife.Open(files);
        _ = killed.Put(new Outer());
        Assert.All(NumbersOf(killed).Skip(2), static number => Assert.InRange(number, 3, 40));
    }

    [Fact]
    public void ATypeThatNamesALostOneIsPutUnderAnotherNumber()
    {
        using var files = new SimulatedFiles();
        PilePointer old;
        using (ObjectPile pile = CutLife.Open(files))
        {
            old = pile.Put(new Outer { Inner = new Inner { Value = 1 } });
        }

        Damage(files, $"+{nameof(Inner)}");
        using ObjectPile opened = CutLife.Open(files);
        Assert.Equal(2, opened.Get<Outer>(opened.Put(new Outer { Inner = new Inner { Value = 2 } })).Inner.Value);
        Assert.Throws<PileCorruptedException>(() => opened.Get<Outer>(old));
        Assert.Equal(3, opened.StoredTypes().Count);
    }

    /// <summary>As builds of before left them: another type was given the number, and then the old schema was found again.</summary>
    [Fact]
    public void OfTwoSchemasOfOneNumberNeitherIsBelievedAndAllElseIsThere()
    {
        using var files = new SimulatedFiles();
        PilePointer old = Fill(files);
        PilePointer text;
        using (ObjectPile pile = CutLife.Open(files))
        {
            text = pile.Put("text");
            var other = new GraphStore();
            _ = other.Write(new Invoice());
            Assert.Equal(PileStatus.Ok, new HeapSchemas<DurableRecord>((HeapCore<DurableRecord>)pile.Core).Keep(Assert.Single(other.Schemas)));
        }

        for (int opens = 0; opens < 2; opens++)
        {
            using ObjectPile pile = CutLife.Open(files);
            Assert.Contains("type 1, of which two schemas are stored", Assert.Single(pile.RecoveryReport().Damages).What, StringComparison.Ordinal);
            RequireLost(pile, old);
            Assert.Equal("text", pile.Get<string>(text));
            Assert.Equal("Grace", pile.Get<Person>(pile.Put(new Person { Name = "Grace" })).Name);
            Assert.Equal(77, pile.Get<Invoice>(pile.Put(new Invoice { Cents = 77 })).Cents);
            Assert.True(pile.Verify().IsGood);
            using var export = new MemoryStream();
            _ = pile.Export(export, cancellationToken: TestContext.Current.CancellationToken);
            export.Position = 0;
            using ObjectPile imported = PileImport.ToMemory(export, cancellationToken: TestContext.Current.CancellationToken);
            RequireLost(imported, old);
            Assert.Equal("text", imported.Get<string>(text));
        }
    }

    /// <summary>A salvage has no schema of a type that it says is lost, and the pile that it makes has no damage of which an open could tell.</summary>
    [Fact]
    public void ASalvageHasHowFarNumbersWereIssued()
    {
        using var directory = new TemporaryDirectory();
        string source = Path.Combine(directory.Path, "source");
        string target = Path.Combine(directory.Path, "target");
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) };
        PilePointer old;
        using (ObjectPile pile = ObjectPile.Open(source, options))
        {
            old = pile.Put(new Person { Name = "Ada" });
        }

        string extent = Path.Combine(source, "extents", "00000001");
        byte[] bytes = File.ReadAllBytes(extent);
        bytes[bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(nameof(Person)))] ^= 1;
        File.WriteAllBytes(extent, bytes);
        Assert.Contains("a type's schema is lost", Assert.Single(PileSalvage.Run(source, target, cancellationToken: TestContext.Current.CancellationToken).Dropped).What, StringComparison.Ordinal);
        using ObjectPile salvaged = ObjectPile.Open(target, options);
        Assert.Empty(salvaged.RecoveryReport().Damages);
        _ = salvaged.Put(new Invoice { Payee = "Ada", Cents = 77 });
        RequireLost(salvaged, old);
        using var export = new MemoryStream();
        _ = salvaged.Export(export, cancellationToken: TestContext.Current.CancellationToken);
        export.Position = 0;
        using ObjectPile imported = PileImport.ToMemory(export, cancellationToken: TestContext.Current.CancellationToken);
        _ = imported.Put(new Outer());
        Assert.Equal([2, 3, 4], NumbersOf(imported));
        RequireLost(imported, old);
    }

    private static void RequireLost(ObjectPile pile, PilePointer old)
    {
        Assert.Throws<PileCorruptedException>(() => pile.Get<Person>(old));
        Assert.Throws<PileCorruptedException>(() => pile.Get<Invoice>(old));
        Assert.Throws<PileCorruptedException>(() => pile.Get<object>(old));
        Assert.Throws<PileCorruptedException>(() => pile.ToJson(old));
    }

    private static IEnumerable<int> NumbersOf(ObjectPile pile) => pile.TypeTable.Versions().Select(static version => version.Schema.Number);

    private PilePointer Fill(SimulatedFiles files)
    {
        using ObjectPile pile = CutLife.Open(files);
        PilePointer pointer = pile.Put(new Person { Name = "Ada", Age = 36 });
        pile.Commit();
        Killed = files.Fork();
        return pointer;
    }

    /// <summary>Flips a bit of the schema in which a name stands first.</summary>
    private static void Damage(SimulatedFiles files, string name)
    {
        using StoreFile file = files.Open(Extent, FileOpening.OpenExisting);
        byte[] bytes = new byte[4 << 20];
        file.Read(0, bytes);
        int at = bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(name));
        Assert.True(at > 0);
        file.Write(at, [(byte)(bytes[at] ^ 1)]);
    }

    public sealed class Person
    {
        public string Name { get; set; } = "";

        public int Age { get; set; }
    }

    public sealed class Invoice
    {
        public string Payee { get; set; } = "";

        public int Cents { get; set; }
    }

    public sealed class Outer
    {
        public Inner Inner { get; set; }
    }

    public struct Inner
    {
        public int Value { get; set; }
    }
}
