using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Layers;

/// <summary>The projects of src reference downwards only, and src/Pile references no package.</summary>
public sealed class ProjectLayerTests
{
    [Fact]
    public void ProjectsOfSrcReferenceDownOnly()
    {
        IEnumerable<string> projects = Repository.Files.Where(path => path.StartsWith("src/", StringComparison.Ordinal) && path.EndsWith(".csproj", StringComparison.Ordinal));

        Assert.Empty(projects.SelectMany(path => Check(Path.GetFileNameWithoutExtension(path), XDocument.Load(Repository.FullPath(path)))));
    }

    [Theory]
    [InlineData("Pile", "<ProjectReference Include='../Pile.Cache/Pile.Cache.csproj' />", "Pile.Cache")]
    [InlineData("Pile.Hosting", "<ProjectReference Include='..\\Pile.Server\\Pile.Server.csproj' />", "Pile.Server")]
    [InlineData("Pile", "<PackageReference Include='Some.Package' />", "Some.Package")]
    [InlineData("Pile.Attic", "", "Pile.Attic")]
    public void PlantedReferencesAreReportedByName(string project, string item, string named)
    {
        string report = Assert.Single(Check(project, XDocument.Parse($"<Project><ItemGroup>{item}</ItemGroup></Project>")));

        Assert.Contains(named, report, StringComparison.Ordinal);
    }

    private static IEnumerable<string> Check(string project, XDocument file)
    {
        string[]? mayUse = LayerTable.Projects.FirstOrDefault(entry => entry.Project == project).MayUse;
        if (mayUse is null)
        {
            yield return $"{project} is not in {nameof(LayerTable)}.{nameof(LayerTable.Projects)}: add it with what it may use.";
            yield break;
        }
        foreach (string used in Included(file, "ProjectReference").Select(path => Path.GetFileNameWithoutExtension(path.Replace('\\', '/'))))
        {
            if (!mayUse.Contains(used))
            {
                yield return $"{project} references {used}, but may use only: {string.Join(", ", mayUse)}.";
            }
        }
        foreach (string package in Included(file, "PackageReference").Where(_ => project == "Pile"))
        {
            yield return $"{project} references the package {package}: it references none.";
        }
    }

    private static IEnumerable<string> Included(XDocument file, string item) =>
        file.Descendants(item).Select(element => element.Attribute("Include")?.Value ?? "");
}
