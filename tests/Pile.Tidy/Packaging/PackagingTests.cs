using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Threading.Tasks;
using System.Xml.Linq;
using Pile.Tidy.PublicApi;
using Pile.Tidy.Snippets;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Packaging;

/// <summary>What a user gets: each project of src packs, and the README's first lines run against the packages alone.</summary>
public sealed class PackagingTests : IClassFixture<PackedSources>
{
    private readonly PackedSources _packed;

    public PackagingTests(PackedSources packed) => _packed = packed;

    public static TheoryData<string> Projects => [.. SourceAssemblies.Names];

    [Theory]
    [MemberData(nameof(Projects))]
    public void ThePackageHoldsTheLibraryItsDocumentationAndItsTerms(string name)
    {
        string package = Assert.Single(Directory.GetFiles(_packed.Packages, $"{name}.*.nupkg"), path => IsOf(path, name));
        using ZipArchive archive = ZipFile.OpenRead(package);
        string[] entries = [.. archive.Entries.Select(entry => entry.FullName)];
        using Stream stream = archive.GetEntry($"{name}.nuspec")!.Open();
        XElement metadata = XDocument.Load(stream).Root!.Elements().First();

        Assert.Contains("README.md", entries);
        Assert.Contains("LICENSE", entries);
        Assert.Contains($"lib/net10.0/{name}.dll", entries);
        Assert.Contains($"lib/net10.0/{name}.xml", entries);
        Assert.Equal("MIT", Value(metadata, "license"));
        Assert.NotEqual("Package Description", Value(metadata, "description"));
        Assert.True(File.Exists(Path.ChangeExtension(package, "snupkg")));
        Assert.Equal(name == "Pile.Hosting", entries.Contains("ConfigurationSchema.json"));
        Assert.Equal(name == "Pile.Hosting", entries.Contains("buildTransitive/Pile.Hosting.targets"));
        Assert.Equal(name == "Pile", entries.Contains("analyzers/dotnet/cs/Pile.Generators.dll"));
        Assert.True(name != "Pile" || !metadata.Descendants().Any(element => element.Name.LocalName == "dependency"), "src/Pile has no dependencies.");
    }

    [Fact]
    public async Task TheFirstLinesOfTheReadmeRunInAFreshProject()
    {
        Snippet readme = MarkdownSnippets.Read("README.md", await File.ReadAllTextAsync(Repository.FullPath("README.md"), TestContext.Current.CancellationToken))[0];
        string project = _packed.NewFolder("fresh");
        await WriteAsync("Program.cs", readme.Code);
        await WriteAsync("Marked.cs", """
            [Pile.PileObject]
            public sealed partial class Marked
            {
                public int Number { get; set; }

                public static System.Type Generated => typeof(PileFields__);
            }
            """);
        await WriteAsync("NuGet.config", $"""
            <configuration>
              <packageSources><clear /><add key="local" value="{_packed.Packages}" /></packageSources>
              <fallbackPackageFolders><clear /></fallbackPackageFolders>
              <config><add key="globalPackagesFolder" value="{_packed.NewFolder("restored")}" /></config>
            </configuration>
            """);
        await WriteAsync("fresh.csproj", """
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
                <UseSharedCompilation>false</UseSharedCompilation>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Pile" Version="*-*" />
              </ItemGroup>
            </Project>
            """);

        await DotnetCommand.RunAsync(project, "build", "-c", "Release", "-o", "out");
        string output = await DotnetCommand.RunAsync(project, Path.Combine("out", "fresh.dll"));

        Assert.Equal(readme.Output, output.ReplaceLineEndings("\n").TrimEnd('\n'));

        Task WriteAsync(string name, string text) => File.WriteAllTextAsync(Path.Combine(project, name), text, TestContext.Current.CancellationToken);
    }

    // Pile.Cache.0.1.0 begins like Pile: what follows the name must be a version.
    private static bool IsOf(string path, string name) => char.IsAsciiDigit(Path.GetFileName(path)[name.Length + 1]);

    private static string Value(XElement metadata, string name) =>
        metadata.Elements().FirstOrDefault(element => element.Name.LocalName == name)?.Value ?? "";
}
