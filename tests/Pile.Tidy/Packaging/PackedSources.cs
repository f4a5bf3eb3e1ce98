using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Tidy.PublicApi;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Packaging;

/// <summary>The packages of every project of src, packed once into a temporary folder.</summary>
public sealed class PackedSources : IAsyncLifetime
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pile-packaging-");

    /// <summary>Where the packages lie.</summary>
    public string Packages => Path.Combine(_folder.FullName, "packages");

    // The build that these tests belong to is packed as it is: nothing is compiled again beside a running test.
    private static string Configuration =>
        AppContext.BaseDirectory.Split(Path.DirectorySeparatorChar).Contains("Release") ? "Release" : "Debug";

    public async ValueTask InitializeAsync()
    {
        foreach (string name in SourceAssemblies.Names)
        {
            string nuspecs = NewFolder($"nuspec-{name}") + Path.DirectorySeparatorChar;
            await DotnetCommand.RunAsync(Repository.Root, "pack", $"src/{name}/{name}.csproj",
                "--no-build", "-c", Configuration, "-o", Packages, $"-p:NuspecOutputPath={nuspecs}");
        }
    }

    public ValueTask DisposeAsync()
    {
        _folder.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }

    /// <summary>Returns the path of a new folder, which goes when the tests are over.</summary>
    public string NewFolder(string name) => _folder.CreateSubdirectory(name).FullName;
}
