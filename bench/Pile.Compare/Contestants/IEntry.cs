using Pile.Compare.Running;

namespace Pile.Compare.Contestants;

/// <summary>A contestant by name. Every class that implements it takes part: a new one is a file, and nothing else.</summary>
internal interface IEntry
{
    /// <summary>Its name in the tables.</summary>
    string Name { get; }

    /// <summary>Its place in the tables; ours is 0.</summary>
    int Order { get; }

    /// <summary>What it gives besides speed: a key index, eviction, durability, a limit.</summary>
    string Guarantees { get; }

    /// <summary>Its package and version.</summary>
    string Version { get; }

    /// <summary>Settings to try before the run; the best one takes part. One when there is nothing to choose.</summary>
    int Settings => 1;

    /// <summary>What a setting is.</summary>
    string Describe(int setting) => "as it comes";

    /// <summary>Opens it and serves commands, in a process of its own.</summary>
    void Serve(ChildServer server);
}
