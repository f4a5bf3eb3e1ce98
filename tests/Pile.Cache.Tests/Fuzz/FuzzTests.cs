using Pile.Tests.Fuzz;
using Xunit;

namespace Pile.Cache.Tests.Fuzz;

/// <summary>Hostile files of a cache: changed at places that mean something, their checksums made to fit.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class FuzzTests(ITestOutputHelper output)
{
    [Fact]
    public void HostileDirectoriesAreATypedErrorOrACache() => Caches();

    [Fact]
    [Trait("Category", "Soak")]
    public void HostileDirectoriesForLongAreATypedErrorOrACache() => Caches();

    private void Caches()
    {
        using var caches = new FuzzCaches();
        new FuzzRun(caches, "caches", output.WriteLine).Run(casesShort: 100);
    }
}
