namespace Pile.Tidy.Snippets;

/// <summary>A fenced C# block of a document; <see cref="Output"/> is what the document says it prints, or null.</summary>
internal sealed record Snippet(string Path, int Line, string Code, bool Runs, string? Output)
{
    public override string ToString() => $"{Path}({Line})";
}
