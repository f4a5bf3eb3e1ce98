using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Classes derived from one collection that are derived from another today, which has a comparer where the former had none, or none
/// where it had one.</summary>
public sealed class ChangedBaseTests
{
    [Fact]
    public void ItemsKeptWithoutAComparerAreATypedErrorWhereTodaysBaseHasOne()
    {
        AssertMismatch<SetNow>(new ListThen { "x", "X" }, "without comparer", "HashSet<System.String>");
        AssertMismatch<SortedNow>(new QueueThen(), "without comparer", "SortedSet<System.String>");
        AssertMismatch<PlainSetNow>(new PlainListThen { "x" }, "PlainSetNow");
    }

    /// <summary>Neither what can be one nor what can't.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AFieldIsNotTakenForTheComparerOfTodaysBase(bool isComparer) =>
        AssertMismatch<SetNow>(new ListThen { Owner = "ada", By = isComparer ? new Ignoring() : "text" }, "without comparer");

    [Fact]
    public void AComparerThatTodaysBaseDoesNotHaveIsGoneOverAndNoField()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new SetThen(new Ignoring()) { "x", "Y" });
        var after = new GraphStore(before);
        after.Table.Known.Add(typeof(Ignoring));
        ListNow got = after.Read<ListNow>(bytes);
        Assert.Equal(["x", "Y"], got.Order());
        Assert.Equal("ada", got.Owner);
        Assert.Null(got.Former);
    }

    [Fact]
    public void AComparerThatTodaysBaseCannotUseIsATypedErrorThatNamesIt()
    {
        AssertMismatch<SortedOfSetNow>(new SetThen(new Ignoring()) { "x" }, "ChangedBaseTests.Ignoring", "SortedSet<System.String>");

        // One that it can use is kept.
        var before = new GraphStore();
        byte[] bytes = before.Write(new SetThen(StringComparer.OrdinalIgnoreCase) { "x" });
        SortedOfSetNow got = new GraphStore(before).Read<SortedOfSetNow>(bytes);
        Assert.Equal(["x"], got.GetViewBetween("X", "X"));
        Assert.Equal("ada", got.Owner);
    }

    private static void AssertMismatch<TNow>(object then, params string[] says)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(then);
        var after = new GraphStore(before);
        after.Table.Known.Add(typeof(Ignoring));
        Exception failure = Assert.Throws<PileTypeMismatchException>(() => after.Read<TNow>(bytes));
        Assert.All(says, part => Assert.Contains(part, failure.Message, StringComparison.Ordinal));
    }

    internal sealed class Ignoring : IEqualityComparer<string>
    {
        public bool Equals(string? x, string? y) => string.Equals(x, y, StringComparison.OrdinalIgnoreCase);

        public int GetHashCode(string obj) => obj.Length;
    }

    internal sealed class ListThen : List<string>
    {
        public string? Owner { get; set; }

        public object? By { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ChangedBaseTests+ListThen")]
    internal sealed class SetNow : HashSet<string>
    {
        public string? Owner { get; set; }

        public object? By { get; set; }
    }

    internal sealed class QueueThen : Queue<string>
    {
        public string? Owner { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ChangedBaseTests+QueueThen")]
    internal sealed class SortedNow : SortedSet<string>
    {
        public string? Owner { get; set; }
    }

    internal sealed class PlainListThen : List<string>;

    [PileName("Pile.Tests.Codecs.ChangedBaseTests+PlainListThen")]
    internal sealed class PlainSetNow : HashSet<string>;

    internal sealed class SetThen : HashSet<string>
    {
        public SetThen(IEqualityComparer<string> comparer)
            : base(comparer)
        {
        }

        public string Owner { get; set; } = "ada";
    }

    [PileName("Pile.Tests.Codecs.ChangedBaseTests+SetThen")]
    internal sealed class ListNow : List<string>
    {
        [PileName("comparer")]
        public object? Former { get; set; }

        public string? Owner { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ChangedBaseTests+SetThen")]
    internal sealed class SortedOfSetNow : SortedSet<string>
    {
        public string? Owner { get; set; }
    }
}
