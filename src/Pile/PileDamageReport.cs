// One damage that opening a pile met: where, and what follows from it.
// Damages of a pile in memory, and of one that is open, are each a PileFinding.
namespace Pile;

/// <summary>A damage found by an open.</summary>
/// <param name="Path">The file.</param>
/// <param name="What">What is damaged, and what that means.</param>
public sealed record PileDamageReport(string Path, string What)
{
    /// <summary>The damage in one line, for a log: where, and what.</summary>
    public override string ToString() => $"{Path}: {What}";
}
