using System.IO;
using System.Threading.Tasks;
using Pile.Tidy.Snippets;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Packaging;

/// <summary>A program that knows nothing of this repository: it references the package, and runs the README's first lines.</summary>
/// <param name="Readme">The lines, and what they print.</param>
/// <param name="Built">Where it was built to.</param>
/// <param name="Output">What it printed.</param>
/// <param name="Loaded">The path of the library that it loaded.</param>
internal sealed record FreshProject(Snippet Readme, string Built, string Output, string Loaded)
{
    /// <summary>Builds it against the packages alone, and runs it.</summary>
    public static async Task<FreshProject> BuildAsync(PackedSources packed)
    {
        Snippet readme = MarkdownSnippets.Read("README.md", await File.ReadAllTextAsync(Repository.FullPath("README.md"), TestContext.Current.CancellationToken))[0];
        string project = packed.NewFolder("fresh");
        await WriteAsync("Program.cs", readme.Code);
        await WriteAsync("Marked.cs", """
            [Pile.PileObject]
            public sealed partial class Marked
            {
                public int Number { get; set; }

                public static System.Type Generated => typeof(PileFields__);

                [System.Runtime.CompilerServices.ModuleInitializer]
                internal static void Tell() => Console.Error.WriteLine(typeof(Pile.ObjectPile).Assembly.Location);
            }
            """);
        await WriteAsync("NuGet.config", $"""
            <configuration>
              <packageSources><clear /><add key="local" value="{packed.Packages}" /></packageSources>
              <fallbackPackageFolders><clear /></fallbackPackageFolders>
              <config><add key="globalPackagesFolder" value="{packed.NewFolder("restored")}" /></config>
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
        (int code, string output, string errors) = await DotnetCommand.TryRunAsync(project, Path.Combine("out", "fresh.dll"));
        Assert.True(code == 0, $"It ended with {code}:\n{output}{errors}");
        return new FreshProject(readme, Path.Combine(project, "out"), output, errors.Trim());

        Task WriteAsync(string name, string text) => File.WriteAllTextAsync(Path.Combine(project, name), text, TestContext.Current.CancellationToken);
    }
}
