using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Attacks on one server, one after the other: what one of them leaves behind is the next one's to suffer.</summary>
[CollectionDefinition(Name)]
public sealed class Attacks : ICollectionFixture<AttackedServer>
{
    /// <summary>Name of the collection.</summary>
    public const string Name = "Attacks";
}
