namespace Pile.Tidy.Layers;

/// <summary>Who may use whom: design section 2. References point down only.</summary>
internal static class LayerTable
{
    /// <summary>The rooms of src/Pile, lowest first, with the rooms that each may name. The root namespace may name all.</summary>
    public static readonly (string Room, string[] MayUse)[] Rooms =
    [
        ("Primitives", []),
        ("Memory", ["Primitives"]),
        ("Format", ["Primitives", "Memory"]),
        ("Epochs", ["Primitives", "Memory", "Format"]),
        ("Diagnostics", ["Primitives"]),
        ("Codecs", ["Primitives", "Memory", "Format"]),
        ("Table", ["Primitives", "Memory", "Format", "Epochs", "Diagnostics"]),
        ("Segments", ["Primitives", "Memory", "Format", "Epochs", "Diagnostics", "Table"]),
        ("Cleaning", ["Primitives", "Memory", "Format", "Epochs", "Diagnostics", "Table", "Segments"]),
        ("Persistence", ["Primitives", "Memory", "Format", "Epochs", "Diagnostics", "Table", "Segments", "Cleaning"]),
        ("Heap", ["Primitives", "Memory", "Format", "Epochs", "Diagnostics", "Codecs", "Table", "Segments", "Cleaning", "Persistence"]),
    ];

    /// <summary>Types of the root namespace that stand on top of every room, so that no room may name them.</summary>
    public static readonly string[] TopTypes = ["ObjectPile"];

    /// <summary>The projects of src, with the projects that each may reference.</summary>
    public static readonly (string Project, string[] MayUse)[] Projects =
    [
        ("Pile.Generators", []),
        ("Pile", ["Pile.Generators"]),
        ("Pile.Hosting", ["Pile"]),
        ("Pile.Cache", ["Pile"]),
        ("Pile.Caching", ["Pile.Cache", "Pile.Hosting"]),
        ("Pile.Server", ["Pile.Caching"]),
        ("Pile.Interop", ["Pile", "Pile.Cache"]),
        ("Pile.Client", ["Pile.Cache", "Pile.Hosting"]),
        ("Pile.Tool", ["Pile.Cache", "Pile.Client"]),
    ];
}
