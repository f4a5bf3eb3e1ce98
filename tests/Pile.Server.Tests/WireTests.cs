using System;
using System.Linq;
using Google.Protobuf.Reflection;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>The contract as other languages read it.</summary>
public sealed class WireTests
{
    [Fact]
    public void TheStatusOfTheWireIsThatOfTheLibrary()
    {
        string Shown(string name) => "PILE_STATUS_" + string.Concat(name.Select(static (letter, at) => char.IsUpper(letter) && at > 0 ? "_" + letter : letter.ToString())).ToUpperInvariant();

        Assert.Equal(
            Enum.GetValues<PileStatus>().Select(status => (Shown(status.ToString()), (int)status)),
            V1.StatusReflection.Descriptor.EnumTypes.Single(static type => type.Name == "PileStatus").Values.Select(static value => (value.Name, value.Number)));
    }

    /// <summary>Without it protoc-gen-go wants an option for each file.</summary>
    [Fact]
    public void EveryFileHasAPackageForGo()
    {
        FileDescriptor[] files = [V1.EntriesReflection.Descriptor, V1.TablesReflection.Descriptor, V1.AdminReflection.Descriptor, V1.StatusReflection.Descriptor];

        Assert.All(files, static file => Assert.Equal("pile/v1;pilev1", file.GetOptions().GoPackage));
    }

    [Fact]
    public void EveryMethodIsInTheTableOfTheDocument()
    {
        string[] lines = System.IO.File.ReadAllLines(System.IO.Path.Combine(AppContext.BaseDirectory, "PROTOCOL.md"));
        ServiceDescriptor[] services = [V1.Entries.Descriptor, V1.Tables.Descriptor, V1.Admin.Descriptor];

        Assert.All(services.SelectMany(static service => service.Methods), method => Assert.Single(lines, line => line.StartsWith($"| `{method.Service.Name}/{method.Name}` |", StringComparison.Ordinal)));
    }
}
