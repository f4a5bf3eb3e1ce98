// The attributes that bring a type or a member here, found by name.
// What they mean for a contract is ContractObject's in src/Pile/Codecs.
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Pile.Generators;

/// <summary>Attributes.</summary>
internal static class Marks
{
    internal const string PileObject = "Pile.PileObjectAttribute";
    internal const string DataContract = "System.Runtime.Serialization.DataContractAttribute";
    private const string DataMember = "System.Runtime.Serialization.DataMemberAttribute";

    /// <summary>Whether the generator is asked for a type.</summary>
    internal static bool IsPileObject(ISymbol type) => Find(type, PileObject) is not null;

    /// <summary>Whether a type is looked at for itself.</summary>
    internal static bool IsLookedAt(ISymbol type) => IsPileObject(type) || Find(type, DataContract) is not null;

    /// <summary>Whether a field belongs to a contract, or the property that it is of does.</summary>
    internal static bool IsDataMember(IFieldSymbol field) => Find(field.AssociatedSymbol ?? field, DataMember) is not null;

    /// <summary>The Order of a member of a contract, or null.</summary>
    internal static int? OrderOf(ISymbol member) =>
        Find(member, DataMember)?.NamedArguments.FirstOrDefault(at => at.Key == "Order").Value.Value as int?;

    private static AttributeData? Find(ISymbol symbol, string name) =>
        symbol.GetAttributes().FirstOrDefault(at => at.AttributeClass?.ToDisplayString() == name);
}
