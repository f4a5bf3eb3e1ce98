using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading.Tasks;
using System.Xml.Linq;
using Pile.Tests.Foreign;
using Pile.Tidy.PublicApi;
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
        bool isTool = name == "Pile.Tool";
        Assert.Contains($"{(isTool ? "tools/net10.0/any" : "lib/net10.0")}/{name}.dll", entries);
        Assert.Equal(!isTool, entries.Contains($"lib/net10.0/{name}.xml"));
        Assert.Equal(isTool, entries.Contains("tools/net10.0/any/DotnetToolSettings.xml"));
        Assert.Equal("MIT", Value(metadata, "license"));
        Assert.NotEqual("Package Description", Value(metadata, "description"));
        Assert.True(File.Exists(Path.ChangeExtension(package, "snupkg")));
        Assert.Equal(name is "Pile" or "Pile.Cache" && _packed.IsPrecompiled, entries.Contains($"runtimes/linux-x64/lib/net10.0/{name}.dll"));
        Assert.Equal(name is "Pile.Hosting" or "Pile.Caching", entries.Contains("ConfigurationSchema.json"));
        Assert.Equal(name is "Pile.Hosting" or "Pile.Caching", entries.Contains($"buildTransitive/{name}.targets"));
        Assert.Equal(name == "Pile", entries.Contains("analyzers/dotnet/cs/Pile.Generators.dll"));
        Assert.True(name != "Pile" || !metadata.Descendants().Any(element => element.Name.LocalName == "dependency"), "src/Pile has no dependencies.");
    }

    [Fact]
    public async Task TheFirstLinesOfTheReadmeRunInAFreshProject()
    {
        FreshProject fresh = await _packed.FreshAsync();

        Assert.Equal(fresh.Readme.Output, fresh.Output.ReplaceLineEndings("\n").TrimEnd('\n'));
    }

    [Fact]
    public async Task TheToolIsInstalledFromItsPackageAndSaysItsVersion()
    {
        string place = _packed.NewFolder("tool");
        string config = Path.Combine(place, "NuGet.config");
        await File.WriteAllTextAsync(
            config, $"<configuration><packageSources><clear /><add key=\"local\" value=\"{_packed.Packages}\" /></packageSources></configuration>", TestContext.Current.CancellationToken);
        await DotnetCommand.RunAsync(place, "tool", "install", "Pile.Tool", "--prerelease", "--tool-path", "installed", "--configfile", config);
        string program = Directory.GetFiles(Path.Combine(place, "installed"), "Pile.Tool.dll", SearchOption.AllDirectories).Single();
        (int code, string output, string errors) = await DotnetCommand.TryRunAsync(place, program, "--version");

        Assert.True(File.Exists(Path.Combine(place, "installed", OperatingSystem.IsWindows() ? "pile.exe" : "pile")));
        Assert.Equal((0, ""), (code, errors));
        Assert.StartsWith("0.", output, StringComparison.Ordinal);
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task AProgramOnTheRuntimeOfThePrecompiledCodeLoadsThatCode()
    {
        const string Precompiled = "runtimes/linux-x64/lib/net10.0/Pile.dll";
        ForeignProgram.RequireThat(_packed.IsPrecompiled, "Foreign: the package Microsoft.NETCore.App.Crossgen2 of this SDK can't be restored.");
        FreshProject fresh = await _packed.FreshAsync();

        using JsonDocument dependencies = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(fresh.Built, "fresh.deps.json"), TestContext.Current.CancellationToken));
        string path = Path.Combine(fresh.Built, Precompiled);
        using var file = new PEReader(File.OpenRead(path));

        Assert.Contains(Precompiled, dependencies.RootElement.GetRawText());
        Assert.True(file.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0, "It holds no code but IL.");
        Assert.Equal(RuntimeInformation.RuntimeIdentifier == "linux-x64" ? path : Path.Combine(fresh.Built, "Pile.dll"), fresh.Loaded);
    }

    // Pile.Cache.0.1.0 begins like Pile: what follows the name must be a version.
    private static bool IsOf(string path, string name) => char.IsAsciiDigit(Path.GetFileName(path)[name.Length + 1]);

    private static string Value(XElement metadata, string name) =>
        metadata.Elements().FirstOrDefault(element => element.Name.LocalName == name)?.Value ?? "";
}
