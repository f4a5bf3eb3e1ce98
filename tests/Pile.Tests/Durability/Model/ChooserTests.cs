using System.Collections.Generic;
using Xunit;

namespace Pile.Tests.Durability.Model;

[Trait("Category", "Unit")]
public sealed class ChooserTests
{
    [Fact]
    public void EveryQuestionIsAnsweredInEveryWayAlsoOneThatOnlySomeAnswersLeadTo()
    {
        var chooser = new Chooser();
        var told = new List<string>();
        do
        {
            int first = chooser.Choose(2);
            int second = first == 0 ? chooser.Choose(3) : chooser.Choose(1);
            told.Add($"{first}{second}");
        }
        while (chooser.MoveNext());

        Assert.Equal(["00", "01", "02", "10"], told);
    }
}
