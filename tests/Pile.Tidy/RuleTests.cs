using System;
using System.Linq;
using Pile.Tidy.Layers;
using Pile.Tidy.Rules;
using Pile.Tidy.Source;
using Pile.Tidy.UnsafeCode;
using Xunit;

namespace Pile.Tidy;

/// <summary>Holds the working tree to every rule, and every rule to its planted violations.</summary>
public sealed class RuleTests
{
    private static readonly IRule[] _rules =
    [
        new SyntaxRule(), new FileLengthRule(), new HeaderRule(), new OneTypeRule(), new NamespaceRule(), new PreprocessorRule(),
        new PartialRule(), new AsciiRule(), new UnfinishedRule(), new SealedRule(), new TypeNameRule(), new PerformanceFigureRule(),
        new BannedCallRule(), new LayerRule(), new UnsafeRoomRule(), new SafetyCommentRule(), new UsingOrderRule(),
    ];

    public static TheoryData<string> RuleNames => [.. _rules.Select(rule => rule.Name)];

    public static TheoryData<string, int> PlantedViolations =>
        [.. _rules.SelectMany(rule => rule.Plantings.Select((_, index) => new TheoryDataRow<string, int>(rule.Name, index)))];

    [Theory]
    [MemberData(nameof(RuleNames))]
    public void TheSourceKeepsTheRule(string name)
    {
        IRule rule = RuleOf(name);
        Violation[] found = [.. Repository.Sources.SelectMany(file => rule.Check(file, Repository.Sources))];

        Assert.True(found.Length == 0, $"{found.Length} violations; see CONTRIBUTING.md.\n{string.Join('\n', found.Take(50).Select(violation => violation.ToString()))}");
    }

    [Theory]
    [MemberData(nameof(RuleNames))]
    public void TheRuleCanFail(string name)
    {
        Assert.Contains(RuleOf(name).Plantings, planted => planted.Violations > 0);
        Assert.Contains(RuleOf(name).Plantings, planted => planted.Violations == 0);
    }

    [Theory]
    [MemberData(nameof(PlantedViolations))]
    public void APlantedViolationIsReportedByName(string name, int index)
    {
        IRule rule = RuleOf(name);
        Planted planted = rule.Plantings[index];
        SourceFile file = new(planted.Path, planted.Text);
        Violation[] found = [.. rule.Check(file, [file])];

        Assert.True(found.Length == planted.Violations, $"{planted.Text}\nexpected {planted.Violations}, reported:\n{string.Join('\n', found.Select(violation => violation.ToString()))}");
        Assert.All(found, violation => Assert.Equal(name, violation.Rule));
        Assert.All(found, violation => Assert.Contains(planted.Path, violation.ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public void TheSourceIsFound()
    {
        Assert.Contains(Repository.Sources, file => file.Name == nameof(RuleTests));
    }

    private static IRule RuleOf(string name) => _rules.Single(rule => rule.Name == name);
}
