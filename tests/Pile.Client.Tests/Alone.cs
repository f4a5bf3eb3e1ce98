using Xunit;

namespace Pile.Client.Tests;

/// <summary>Tests that look at the whole process run when no other test does.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    /// <summary>Name of the collection.</summary>
    public const string Name = "Alone";
}
