using System;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Auto-properties that are explicit members of a generic interface: their fields' names have brackets inside.</summary>
public sealed class ExplicitMembersTests
{
    private const string Interface = "Pile.Tests.Codecs.ExplicitMembersTests.IPair<System.Int32>";

    [Fact]
    public void MembersOfOneInterfaceAreToldApartWhereTheirOrderChanged()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(Fill(new PairThen { Own = 3 }));
        Assert.Equal([$"{Interface}.A", $"{Interface}.B", "Own"], before.Table.Versions().Single().Schema.Fields.Select(static field => field.Name));
        Assert.Equal((1, 2, 3), Values(new GraphStore(before).Read<PairNow>(bytes), static pair => pair.Own));
        Assert.Equal((1, 2, 3), Values(before.Read<PairThen>(bytes), static pair => pair.Own));
    }

    /// <summary>As bytes were written while names ended at the first bracket.</summary>
    [Fact]
    public void APartOfANameIsReadWhereItStandsForOneMemberAlone()
    {
        var written = new GraphStore();
        byte[] one = written.Write(new OneThen(5) { Own = 6 });
        byte[] two = written.Write(Fill(new PairThen { Own = 3 }));
        GraphStore before = WithCutNames(written);
        Assert.Contains(before.Table.Versions(), static version => version.Schema.Fields.Any(static field => field.Name == "Pile.Tests.Codecs.ExplicitMembersTests.IOne<System.Int32"));

        // The class as it was, changed, and with another member of that interface, which the name may mean as well.
        OneThen same = new GraphStore(before).Read<OneThen>(one);
        Assert.Equal((5, 6), (((IOne<int>)same).A, same.Own));
        OneNow changed = new GraphStore(before).Read<OneNow>(one);
        Assert.Equal((5, 0, 6), (((IOne<int>)changed).A, changed.Added, changed.Own));
        Assert.Equal((0, 0, 3), Values(new GraphStore(before).Read<PairThen>(two), static pair => pair.Own));
        Assert.Equal((0, 0, 3), Values(new GraphStore(before).Read<PairNow>(two), static pair => pair.Own));

        // What is put now has whole names.
        var after = new GraphStore(before);
        byte[] again = after.Write(Fill(new PairThen { Own = 4 }));
        Assert.Equal((1, 2, 4), Values(new GraphStore(after).Read<PairNow>(again), static pair => pair.Own));
    }

    [Fact]
    public void APartOfANameThatStandsForAMemberThatWasAddedIsGoneOver()
    {
        var written = new GraphStore();
        byte[] bytes = written.Write(new HalfThen(7) { Own = 8 });
        GraphStore before = WithCutNames(written);
        HalfNow got = new GraphStore(before).Read<HalfNow>(bytes);
        Assert.Equal((0, 0, 8), (((IPair<int>)got).A, ((IPair<int>)got).B, got.Own));
    }

    private static GraphStore WithCutNames(GraphStore whole)
    {
        var cut = new GraphStore();
        foreach (byte[] record in whole.Schemas)
        {
            var schema = Schema.Read(record);
            var writer = new WireWriter();
            (schema with { Fields = [.. schema.Fields.Select(static field => field with { Name = field.Name.Split('>')[0] })] }).Write(writer);
            cut.Schemas.Add(writer.Written.ToArray());
            cut.Table.Load(writer.Written);
        }

        return cut;
    }

    private static T Fill<T>(T pair)
        where T : IPair<int>
    {
        (pair.A, pair.B) = (1, 2);
        return pair;
    }

    private static (int A, int B, int Own) Values<T>(T pair, Func<T, int> own)
        where T : IPair<int> => (pair.A, pair.B, own(pair));

    internal interface IPair<T>
    {
        T A { get; set; }

        T B { get; set; }
    }

    internal interface IOne<T>
    {
        T A { get; }
    }

    internal sealed class PairThen : IPair<int>
    {
        int IPair<int>.A { get; set; }

        int IPair<int>.B { get; set; }

        public int Own { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ExplicitMembersTests+PairThen")]
    internal sealed class PairNow : IPair<int>
    {
        int IPair<int>.B { get; set; }

        int IPair<int>.A { get; set; }

        public int Own { get; set; }
    }

    internal sealed class OneThen(int a) : IOne<int>
    {
        int IOne<int>.A { get; } = a;

        public int Own { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ExplicitMembersTests+OneThen")]
    internal sealed class OneNow : IOne<int>
    {
        public int Added { get; set; }

        public int Own { get; set; }

        int IOne<int>.A { get; }
    }

    /// <summary>Had one of the two kept by a property and the other computed.</summary>
    internal sealed class HalfThen(int a) : IPair<int>
    {
        int IPair<int>.A { get; set; } = a;

        int IPair<int>.B
        {
            get => 0;
            set => throw new NotSupportedException();
        }

        public int Own { get; set; }
    }

    [PileName("Pile.Tests.Codecs.ExplicitMembersTests+HalfThen")]
    internal sealed class HalfNow : IPair<int>
    {
        int IPair<int>.A { get; set; }

        int IPair<int>.B { get; set; }

        public int Own { get; set; }
    }
}
