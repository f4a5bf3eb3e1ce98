using System;
using System.Collections.Generic;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Values of older versions of types. Numbers are those of the codec's list of cases.</summary>
public sealed class VersionTests
{
    [Fact]
    public void FieldsMayComeGoMoveAndChangeTheirNames_86()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new PersonOld { First = "Ada", Surname = "Lovelace", Age = 36, Gone = new List<int> { 1, 2 }, Level = 3 });
        var after = new GraphStore(before);
        PersonNew person = after.Read<PersonNew>(bytes);

        Assert.Equal(("Ada", "Lovelace", 36L, 0, 3), (person.First, person.LastName, person.Age, person.Added, person.Level));
        Assert.Equal("again", after.Read<PersonNew>(after.Write(new PersonNew { First = "again" })).First);
        Assert.Equal(3, after.Schemas.Count);
    }

    [Fact]
    public void NumbersWidenAndNarrowOnlyWhereTheyFit_87()
    {
        var before = new GraphStore();
        byte[] fits = before.Write(new Wide { Value = 5, Letter = 'x', Optional = 7 });
        byte[] tooLarge = before.Write(new Wide { Value = 5_000_000_000 });
        var after = new GraphStore(before);

        Narrow narrow = after.Read<Narrow>(fits);
        Assert.Equal((5, 'x', 7), (narrow.Value, (char)narrow.Letter, narrow.Optional));
        Assert.Contains("Value", Assert.Throws<PileTypeMismatchException>(() => after.Read<Narrow>(tooLarge)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(9_007_199_254_740_992, true)]
    [InlineData(9_007_199_254_740_993, false)]
    [InlineData(long.MinValue, true)]
    [InlineData(long.MaxValue, false)]
    public void AnIntegerBecomesFloatingPointOnlyWhereThatHasItsValue(long value, bool fits)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new Wide { Value = value, Letter = 'x' });
        var after = new GraphStore(before);
        if (fits)
        {
            Assert.Equal((value, 'x'), ((long)after.Read<Floating>(bytes).Value, (char)after.Read<Floating>(bytes).Letter));
            return;
        }

        string message = Assert.Throws<PileTypeMismatchException>(() => after.Read<Floating>(bytes)).Message;
        Assert.Contains($"Value was stored as Int64 and holds {value}", message, StringComparison.Ordinal);
        Assert.Contains("System.Double", message, StringComparison.Ordinal);
    }

    [Fact]
    public void SealingAndUnsealingKeepsOldBytesReadable_88()
    {
        var open = new GraphStore();
        byte[] tagged = open.Write(new OpenHolder { Part = new OpenPart { X = 1 }, Parts = [new OpenPart { X = 2 }] });
        SealedHolder toSealed = new GraphStore(open).Read<SealedHolder>(tagged);
        Assert.Equal((1, 2), (toSealed.Part!.X, toSealed.Parts![0].X));

        var closed = new GraphStore();
        byte[] untagged = closed.Write(new SealedHolder { Part = new SealedPart { X = 1 }, Parts = [new SealedPart { X = 2 }] });
        OpenHolder toOpen = new GraphStore(closed).Read<OpenHolder>(untagged);
        Assert.Equal((1, 2), (toOpen.Part!.X, toOpen.Parts![0].X));
    }

    [Fact]
    public void ARemovedFieldMayHoldWhatIsReferredToLater_89()
    {
        var before = new GraphStore();
        var shared = new Shared { Name = "shared", Inner = new Shared { Name = "inner" } };
        byte[] bytes = before.Write(new RemovedOld { Gone = new object[] { 1, shared }, Inner = shared.Inner, Kept = shared, Text = "t" });
        RemovedNew got = new GraphStore(before).Read<RemovedNew>(bytes);
        Assert.Equal(("shared", "inner", "t"), (got.Kept!.Name, got.Kept.Inner!.Name, got.Text));
        Assert.Same(got.Inner, got.Kept.Inner);

        // The same with the removed field so deep that its content stands at the end.
        object[] deep = [shared];
        for (int level = 0; level < 200; level++)
        {
            deep = [deep];
        }

        byte[] far = before.Write(new RemovedOld { Gone = deep, Inner = null, Kept = shared, Text = "t" });
        Assert.Equal("inner", new GraphStore(before).Read<RemovedNew>(far).Kept!.Inner!.Name);
    }

    [Fact]
    public void ARemovedFieldMayHoldALongTextThatIsReferredToInsideAndAlone_89()
    {
        string text = new('x', 100);
        string[] texts = [text, "short"];
        var before = new GraphStore();
        byte[] bytes = before.Write(new TextsOld { Gone = texts, Alone = text, Kept = texts });
        TextsNew got = new GraphStore(before).Read<TextsNew>(bytes);
        Assert.Equal(texts, (string[])got.Kept!);
        Assert.Same(got.Alone, ((string[])got.Kept!)[0]);
    }

    [Theory]
    [InlineData(50)]
    [InlineData(100)]
    [InlineData(20_000)]
    public void ARemovedFieldMayHoldAChainOfWhatIsReferredToLater_89(int length)
    {
        var before = new GraphStore();
        Pair? chain = null;
        for (int index = length - 1; index >= 0; index--)
        {
            chain = new Pair { Number = index, One = index % 2 == 0 ? chain : null, Other = index % 2 == 0 ? null : chain };
        }

        // Deeper than the chain, so that all of it has been gone over when the reference to it comes.
        object deep = chain!;
        for (int level = 0; level < length + 200; level++)
        {
            deep = new[] { deep };
        }

        byte[] bytes = before.Write(new PairsOld { Gone = chain, Kept = deep });
        object kept = new GraphStore(before).Read<PairsNew>(bytes).Kept!;
        while (kept is object[] array)
        {
            kept = array[0];
        }

        var at = (Pair?)kept;
        for (int index = 0; index < length; index++)
        {
            Assert.Equal(index, at!.Number);
            at = at.One ?? at.Other;
        }

        Assert.Null(at);
    }

    /// <summary>Each of them refers to the one before, and may to the array around all.</summary>
    [Theory]
    [InlineData(50, false)]
    [InlineData(100, false)]
    [InlineData(20_000, false)]
    [InlineData(20_000, true)]
    public void ARemovedFieldMayHoldObjectsThatReferToEachOtherInTurn(int length, bool isInside)
    {
        var before = new GraphStore();
        object[] all = new object[length];
        for (int index = 0; index < length; index++)
        {
            all[index] = new Link { Number = index, One = index > 0 ? all[index - 1] : null, Around = isInside ? all : null };
        }

        byte[] bytes = before.Write(new PairsOld { Gone = all, Kept = all[^1] });
        var last = (Link)new GraphStore(before).Read<PairsNew>(bytes).Kept!;
        var at = (Link?)last;
        for (int index = length - 1; index >= 0; index--)
        {
            Assert.Equal(index, at!.Number);
            Assert.Same(last.Around, at.Around);
            Assert.Same(isInside ? at : null, at.Around?[index]);
            at = (Link?)at.One;
        }

        Assert.Null(at);
    }

    [Fact]
    public void AnUnknownTypeIsNamedWithTheLineToAdd_90_94()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new object[] { new Lonely { X = 5 }, "text" });
        var after = new GraphStore(before);

        PileUnknownTypeException unknown = Assert.Throws<PileUnknownTypeException>(() => after.Read<object[]>(bytes));
        Assert.Equal(PileStatus.UnknownType, unknown.Status);
        Assert.Contains("pile.Types.Add<Pile.Tests.Codecs.VersionTests.Lonely>()", unknown.Message, StringComparison.Ordinal);
        after.Table.Known.Add(typeof(Lonely));
        Assert.Equal(5, ((Lonely)after.Read<object[]>(bytes)[0]).X);
        int schemas = after.Schemas.Count;
        Assert.Equal(bytes, after.Write(new object[] { new Lonely { X = 5 }, "text" }));
        Assert.Equal(schemas, after.Schemas.Count);
    }

    [Fact]
    public void AClosedSetTakesNoOtherType()
    {
        using var pile = new CheckedPile();
        pile.It.Types.Add<Lonely>().Close();
        Assert.Equal(1, pile.It.Get<Lonely>(pile.It.Put(new Lonely { X = 1 })).X);
        Assert.Throws<PileUnknownTypeException>(() => pile.It.Put(new Shared()));
        Assert.Equal(1, pile.Statistics.Objects);
    }

    [Fact]
    public void AnEnumMemberThatIsGoneComesBackAsItsNumber_91()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new object[] { EnumOld.Gone });
        var after = new GraphStore(before);
        after.Table.Known.Add(typeof(EnumNew));
        Assert.Equal((EnumNew)2, after.Read<object[]>(bytes)[0]);
    }

    internal sealed class PersonOld
    {
        public string? First { get; set; }

        public string? Surname { get; set; }

        public int Age { get; set; }

        public object? Gone { get; set; }

        public int Level { get; set; }
    }

    internal class Ranked
    {
        public int Level { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+PersonOld")]
    internal sealed class PersonNew : Ranked
    {
        public int Added { get; set; }

        [PileName("Surname")]
        public string? LastName { get; set; }

        public long Age { get; set; }

        public string? First { get; set; }
    }

    internal sealed class Wide
    {
        public long Value { get; set; }

        public char Letter { get; set; }

        public int? Optional { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+Wide")]
    internal sealed class Narrow
    {
        public int Value { get; set; }

        public int Letter { get; set; }

        public int Optional { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+Wide")]
    internal sealed class Floating
    {
        public double Value { get; set; }

        public float Letter { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+SealedPart")]
    internal class OpenPart
    {
        public int X { get; set; }
    }

    internal sealed class OpenDerived : OpenPart;

    [PileName("Pile.Tests.Codecs.VersionTests+OpenPart")]
    internal sealed class SealedPart
    {
        public int X { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+SealedHolder")]
    internal sealed class OpenHolder
    {
        public OpenPart? Part { get; set; }

        public OpenPart[]? Parts { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+OpenHolder")]
    internal sealed class SealedHolder
    {
        public SealedPart? Part { get; set; }

        public SealedPart[]? Parts { get; set; }
    }

    internal sealed class Shared
    {
        public string? Name { get; set; }

        public Shared? Inner { get; set; }
    }

    internal sealed class RemovedOld
    {
        public object? Gone { get; set; }

        public Shared? Inner { get; set; }

        public Shared? Kept { get; set; }

        public string? Text { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+RemovedOld")]
    internal sealed class RemovedNew
    {
        public Shared? Inner { get; set; }

        public Shared? Kept { get; set; }

        public string? Text { get; set; }
    }

    internal sealed class Pair
    {
        public int Number { get; set; }

        public Pair? One { get; set; }

        public Pair? Other { get; set; }
    }

    internal sealed class Link
    {
        public int Number { get; set; }

        public object? One { get; set; }

        public object[]? Around { get; set; }
    }

    internal sealed class PairsOld
    {
        public object? Gone { get; set; }

        public object? Kept { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+PairsOld")]
    internal sealed class PairsNew
    {
        public object? Kept { get; set; }

        public Pair? None { get; set; }

        public Link? NoneEither { get; set; }
    }

    internal sealed class TextsOld
    {
        public object? Gone { get; set; }

        public string? Alone { get; set; }

        public object? Kept { get; set; }
    }

    [PileName("Pile.Tests.Codecs.VersionTests+TextsOld")]
    internal sealed class TextsNew
    {
        public string? Alone { get; set; }

        public object? Kept { get; set; }
    }

    internal sealed class Lonely
    {
        public int X { get; set; }
    }

    internal enum EnumOld
    {
        None,
        One,
        Gone,
    }

    [PileName("Pile.Tests.Codecs.VersionTests+EnumOld")]
    internal enum EnumNew
    {
        None,
        One,
    }
}
