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

    [Fact]
    public void EveryMethodIsInTheTableOfTheDocument()
    {
        string[] lines = System.IO.File.ReadAllLines(System.IO.Path.Combine(AppContext.BaseDirectory, "PROTOCOL.md"));
        ServiceDescriptor[] services = [V1.Entries.Descriptor, V1.Tables.Descriptor, V1.Admin.Descriptor];

        Assert.All(services.SelectMany(static service => service.Methods), method => Assert.Single(lines, line => line.StartsWith($"| `{method.Service.Name}/{method.Name}` |", StringComparison.Ordinal)));
    }
}
