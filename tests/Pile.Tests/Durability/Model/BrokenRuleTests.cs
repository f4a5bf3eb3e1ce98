using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Durability.Model;

/// <summary>The model can find faults: without a rule it shows how a promise is broken.</summary>
[Collection("Protocol model")]
[Trait("Category", "Model")]
public sealed class BrokenRuleTests(ITestOutputHelper output)
{
    private const int StatesMax = 1_000_000;
    private static readonly Dictionary<Scope, Exploration> _withAllRules = []; // tests of one class run one after another

    public static IEnumerable<TheoryDataRow<string>> Needed =>
        BrokenRule.Needed.Select(static broken => new TheoryDataRow<string>(broken.Rule.ToString()));

    public static IEnumerable<TheoryDataRow<string>> Spare =>
        BrokenRule.Spare.Select(static spare => new TheoryDataRow<string>(spare.Rule.ToString()));

    [Fact]
    public void EveryRuleIsEitherNeededOrSpare()
    {
        IEnumerable<Rule> judged = BrokenRule.Needed.Select(static broken => broken.Rule).Concat(BrokenRule.Spare.Select(static spare => spare.Rule));

        Assert.Equal(Enum.GetValues<Rule>().Order(), judged.Order());
    }

    [Theory]
    [MemberData(nameof(Needed))]
    public void WithoutTheRuleAPromiseIsBroken(string rule)
    {
        BrokenRule broken = BrokenRule.Needed.Single(candidate => candidate.Rule.ToString() == rule);

        Exploration found = new Explorer(new ProtocolModel(broken.Scope, broken.Rule)).Run(StatesMax);

        Tell($"without {rule}", found);
        Assert.Null(WithAllRules(broken.Scope).Broken);
        Assert.Equal(broken.Promise, found.Broken?.Promise);
    }

    [Theory]
    [MemberData(nameof(Spare))]
    public void WithoutASpareRuleEveryPromiseIsKept(string rule)
    {
        foreach (Scope scope in BrokenRule.Spare.Single(candidate => candidate.Rule.ToString() == rule).Scopes)
        {
            Exploration found = new Explorer(new ProtocolModel(scope, Enum.Parse<Rule>(rule))).Run(StatesMax);

            Tell($"without {rule}, {scope}", found);
            Assert.Null(found.Broken);
        }
    }

    /// <summary>What is not promised: changes made after a batch do not wait for it.</summary>
    [Fact]
    public void ALaterChangeOfAMemberMayOutliveTheBatch()
    {
        var scope = new Scope("a batch and an update") { Places = 4, Puts = 2, Updates = 1, Batches = 1, Cuts = 1, BatchesBindLater = true };

        Exploration found = new Explorer(new ProtocolModel(scope)).Run(StatesMax);

        Tell("if it were promised", found);
        Assert.Equal(Promise.WholeOrNothing, found.Broken?.Promise);
        Assert.Null(WithAllRules(scope with { BatchesBindLater = false }).Broken);
    }

    private static Exploration WithAllRules(Scope scope)
    {
        if (!_withAllRules.TryGetValue(scope, out Exploration? found))
        {
            _withAllRules[scope] = found = new Explorer(new ProtocolModel(scope)).Run(StatesMax);
        }

        return found;
    }

    private void Tell(string title, Exploration found)
    {
        output.WriteLine($"{title}: {found}");
        foreach (string line in found.Trace)
        {
            output.WriteLine($"  {line}");
        }
    }
}
