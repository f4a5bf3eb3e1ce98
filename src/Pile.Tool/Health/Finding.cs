// One thing that was looked at: what it is now, how good that is, and what to do about it.
// Where it is good there is nothing to do.
namespace Pile.Tool.Health;

/// <summary>A finding.</summary>
/// <param name="Name">The thing, in a word or two.</param>
/// <param name="Grade">How good it is.</param>
/// <param name="Found">What it is.</param>
/// <param name="Advice">What to change, and how; empty where it is good.</param>
internal sealed record Finding(string Name, Grade Grade, string Found, string Advice)
{
    /// <summary>A finding that is as it should be.</summary>
    internal static Finding Good(string name, string found) => new(name, Grade.Good, found, "");

    /// <summary>One that could be better.</summary>
    internal static Finding Better(string name, string found, string advice) => new(name, Grade.Advice, found, advice);

    /// <summary>One that must be changed.</summary>
    internal static Finding Bad(string name, string found, string advice) => new(name, Grade.Bad, found, advice);
}
