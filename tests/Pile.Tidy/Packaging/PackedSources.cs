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

    private Task<FreshProject>? _fresh;

    /// <summary>Whether the compiler of the code beside the IL could be fetched: it is of the SDK, but does not come with it.</summary>
    public bool IsPrecompiled { get; private set; }

    /// <summary>Where the packages lie.</summary>
    public string Packages => Path.Combine(_folder.FullName, "packages");

    // The build that these tests belong to is packed as it is: nothing is compiled again beside a running test.
    private static string Configuration =>
        AppContext.BaseDirectory.Split(Path.DirectorySeparatorChar).Contains("Release") ? "Release" : "Debug";

    public async ValueTask InitializeAsync()
    {
        (int code, _, _) = await DotnetCommand.TryRunAsync(Repository.Root, "restore", "build/Precompile.csproj", "-p:RuntimeOut=linux-x64");
        IsPrecompiled = code == 0;
        foreach (string name in SourceAssemblies.Names)
        {
            string nuspecs = NewFolder($"nuspec-{name}") + Path.DirectorySeparatorChar;
            await DotnetCommand.RunAsync(Repository.Root, "pack", $"src/{name}/{name}.csproj",
                "--no-build", "-c", Configuration, "-o", Packages, $"-p:NuspecOutputPath={nuspecs}", $"-p:PilePrecompile={(IsPrecompiled ? "true" : "false")}");
        }
    }

    public ValueTask DisposeAsync()
    {
        _folder.Delete(recursive: true);
        return ValueTask.CompletedTask;
    }

    /// <summary>A program that has nothing but the packages, built once.</summary>
    internal Task<FreshProject> FreshAsync() => _fresh ??= FreshProject.BuildAsync(this);

    /// <summary>Returns the path of a new folder, which goes when the tests are over.</summary>
    public string NewFolder(string name) => _folder.CreateSubdirectory(name).FullName;
}
