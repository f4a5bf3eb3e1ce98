using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Docs;

/// <summary>Nothing in the repository says where somebody's packages come from or where his files are.</summary>
public sealed class MachineTraceTests
{
    [Fact]
    public void NoFileNamesARegistryOrAPathOfThisMachine()
    {
        IReadOnlyList<string> hosts = MachineTraces.RegistryHosts();
        IReadOnlyList<string> prefixes = MachineTraces.PathPrefixes(Repository.Root, Environment.GetFolderPath(Environment.SpecialFolder.UserProfile));

        Assert.Empty(Repository.Files.SelectMany(path => MachineTraces.Find(path, File.ReadAllText(Repository.FullPath(path)), hosts, prefixes)));
    }

    [Fact]
    public void NoLockFileIsTracked()
    {
        Assert.DoesNotContain(Repository.Files, path => Path.GetFileName(path) is "packages.lock.json" or "package-lock.json" or "NuGet.Config" or "nuget.config" or ".npmrc");
    }

    [Fact]
    public void HostsAreReadFromConfigurations()
    {
        string[] texts = ["<add key=\"x\" value=\"https://nuget.example.org/v3/index.json\" />", "registry=http://user:secret@npm.example.org:8080/", "http://127.0.0.1/ http://localhost/"];

        Assert.Equal(["npm.example.org", "nuget.example.org"], MachineTraces.Hosts(texts));
    }

    [Theory]
    [InlineData("restore from https://nuget.example.org/v3")]
    [InlineData("resolved NuGet.Example.org")]
    [InlineData("see /somewhere/project/file.cs")]
    [InlineData("a=/home/ada/x")]
    public void APlantedTraceIsReported(string line)
    {
        Assert.Equal("a.txt(2): names a p", Assert.Single(Planted($"first\n{line}\n"))[..19]);
    }

    [Theory]
    [InlineData("docs/somewhere/project")]
    [InlineData("https://example.org/somewhere/")]
    [InlineData("../somewhere/")]
    public void AnInnocentLineIsNotReported(string line)
    {
        Assert.Empty(Planted(line));
    }

    [Fact]
    public void StandardFoldersAreNobodysPath()
    {
        Assert.Equal(["/my-home/"], MachineTraces.PathPrefixes("/tmp/clone", "/my-home"));
    }

    private static IEnumerable<string> Planted(string text) =>
        MachineTraces.Find("a.txt", text, ["nuget.example.org"], MachineTraces.PathPrefixes("/somewhere/project", "/home/ada"));
}
