// What the generator and the analyzer say, by number. A number keeps its meaning for ever.
// Texts name the type, the field and what to do.
using Microsoft.CodeAnalysis;

namespace Pile.Generators;

/// <summary>All diagnostics.</summary>
internal static class Diagnostics
{
    internal static readonly DiagnosticDescriptor NotPartial = Error(
        "PILE001", "A type marked [PileObject] is partial", "{0} is marked [PileObject] but it, or a type around it, is not partial: no code can be added to it");

    internal static readonly DiagnosticDescriptor RefusedField = Error(
        "PILE002", "A field can be kept", "{0} is {1}, which can't be kept: mark it [NonSerialized], or keep what it is made from");

    internal static readonly DiagnosticDescriptor SameOrder = Error(
        "PILE003", "Orders of [DataMember] differ", "{0} and {1} have the same Order {2}: give each member its own");

    internal static readonly DiagnosticDescriptor RefusedType = Error(
        "PILE004", "A type marked [PileObject] can be kept", "{0} is {1}, which can't be kept");

    internal static readonly DiagnosticDescriptor HoldOutsideUsing = new(
        "PILE005", "A lease or pin ends with its scope", "This {0} is never disposed: write 'using {1} {0} = ...', or the memory behind it is never freed",
        "Pile", DiagnosticSeverity.Warning, isEnabledByDefault: true);

    internal static readonly DiagnosticDescriptor NoPlan = new(
        "PILE006", "No code is generated for a type", "No code is generated for {0}, because {1}; it is stored all the same, by code compiled at run time",
        "Pile", DiagnosticSeverity.Info, isEnabledByDefault: true);

    private static DiagnosticDescriptor Error(string id, string title, string message) =>
        new(id, title, message, "Pile", DiagnosticSeverity.Error, isEnabledByDefault: true);
}
