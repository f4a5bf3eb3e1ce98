using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What is found out about types that lead to each other, counted by how often a type is looked at.</summary>
public sealed class PlanAnalysisTests
{
    private const int Types = 500;

    /// <summary>Each of them leads to all others: its whole closure would be as many looks for each of them.</summary>
    [Fact]
    public void TypesThatLeadToEachOtherAreNotAllLookedAtForEachOfThem()
    {
        Counted[] plans = Ring(leads: 5);
        Assert.All(plans, static plan => Assert.False(plan.Analysis.IsAliasFree || plan.Analysis.IsChain));
        Assert.InRange(plans.Sum(static plan => plan.Looks), Types, Types * CodecLimits.NestingMax * 2);
    }

    [Fact]
    public void ARingOfTypesWithOnePlaceEachIsAChainHoweverLong() =>
        Assert.All(Ring(leads: 1), static plan => Assert.Equal((false, true), (plan.Analysis.IsAliasFree, plan.Analysis.IsChain)));

    [Theory]
    [InlineData(31, true)]
    [InlineData(32, false)]
    public void APathOfTypesIsFreeOfAliasesWhereItCannotBecomeTooDeep(int types, bool isAliasFree)
    {
        Counted[] plans = [.. Enumerable.Range(0, types).Select(static _ => new Counted())];
        for (int index = 1; index < types; index++)
        {
            plans[index - 1].LeadTo(plans[index]);
        }

        Assert.Equal((isAliasFree, !isAliasFree), (plans[0].Analysis.IsAliasFree, plans[0].Analysis.IsChain));
    }

    private static Counted[] Ring(int leads)
    {
        Counted[] plans = [.. Enumerable.Range(0, Types).Select(static _ => new Counted())];
        for (int index = 0; index < Types; index++)
        {
            for (int lead = 1; lead <= leads; lead++)
            {
                plans[index].LeadTo(plans[(index + (lead * lead)) % Types]);
            }
        }

        return plans;
    }

    private sealed class Counted() : Plan(typeof(object), PlanKind.Fields)
    {
        private readonly List<PlanMember> _members = [];

        internal int Looks { get; private set; }

        internal override IReadOnlyList<PlanMember> Members
        {
            get
            {
                Looks++;
                return _members;
            }
        }

        internal void LeadTo(Plan other) => _members.Add(new PlanMember("D", "f", new Place(other)));

        internal override int Count(object value) => throw new NotSupportedException();

        internal override void WriteContent(GraphWriter writer, object value, int count) => throw new NotSupportedException();

        internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset) => throw new NotSupportedException();
    }

    private sealed class Place(Plan nested) : Formatter(typeof(object), WireKind.Exact)
    {
        internal override Plan Nested => nested;

        internal override void WriteObject(GraphWriter writer, object? value) => throw new NotSupportedException();

        internal override object ReadObject(ref GraphReader reader) => throw new NotSupportedException();
    }
}
