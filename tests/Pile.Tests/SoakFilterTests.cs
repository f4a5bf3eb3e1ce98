using System;
using Xunit;

namespace Pile.Tests;

/// <summary>Holds that plain <c>dotnet test</c> leaves out the tests that take hours.</summary>
public sealed class SoakFilterTests
{
    [Fact]
    [Trait("Category", "Soak")]
    public void SoakRunsOnlyWhenAskedFor()
    {
        Assert.Equal("1", Environment.GetEnvironmentVariable("PILE_SOAK"));
    }
}
