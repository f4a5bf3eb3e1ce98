// What the server says of a table.
// Figures of the whole server are PileServerStats'.
namespace Pile.Client;

/// <summary>A table.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Options">What it was made with.</param>
/// <param name="Figures">Its figures.</param>
public sealed record PileTableDescription(string Name, PileClientTableOptions Options, PileClientFigures Figures);
