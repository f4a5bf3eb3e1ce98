namespace Pile.Tidy.Source;

/// <summary>A source text at a path, and how many violations of its rule stand in it (0: it is innocent).</summary>
internal sealed record Planted(string Path, string Text, int Violations);
