// A stored value as names and values, without the CLR types that made it: for tools, for logs, for a program that no longer
// has a type. A shared object is one description, met in several places; so there may be cycles.
using System.Collections.Generic;
using System.Numerics;
using Pile.Codecs;

namespace Pile;

/// <summary>What <c>Describe</c> found: null, a single value, or an object with members and items. Immutable for callers.</summary>
/// <remarks>Not a copy of the object: only what is stored, under the names of the time it was stored.</remarks>
public sealed class PileDescription
{
    private static readonly KeyValuePair<string, PileDescription>[] _noMembers = [];
    private static readonly PileDescription[] _noItems = [];
    private List<KeyValuePair<string, PileDescription>>? _members;
    private List<PileDescription>? _items;

    internal PileDescription(string typeName, object? value = null)
    {
        TypeName = typeName;
        Value = value;
    }

    /// <summary>The stored name of the type: <c>Shop!Shop.Order</c>, <c>System.Int32</c>; empty where only bytes are known.</summary>
    public string TypeName { get; }

    /// <summary>A single value as the CLR has it (string, bool, integers as stored, double, DateTime, Guid, byte[] and so on), or
    /// null for null and for objects.</summary>
    public object? Value { get; }

    /// <summary>Whether it stands for a null reference.</summary>
    public bool IsNull => ReferenceEquals(this, Null);

    /// <summary>The fields by name, in stored order. A field whose name a base class has too is preceded by its class.</summary>
    public IReadOnlyList<KeyValuePair<string, PileDescription>> Members => _members is null ? _noMembers : _members;

    /// <summary>The elements of an array or collection; of a map each is an object with the members key and value.</summary>
    public IReadOnlyList<PileDescription> Items => _items is null ? _noItems : _items;

    /// <summary>The null reference.</summary>
    internal static PileDescription Null { get; } = new("");

    /// <summary>Whether it is an object with an identity, not a single value.</summary>
    internal bool IsObject { get; init; }

    /// <summary>How often it is met.</summary>
    internal int References { get; set; } = 1;

    internal void AddMember(string name, PileDescription value) => (_members ??= []).Add(new KeyValuePair<string, PileDescription>(name, value));

    internal void AddItem(PileDescription value) => (_items ??= []).Add(value);

    /// <summary>The type and the value, or the number of members and items. A <see cref="BigInteger"/> of more than 4,096 bits is in hexadecimal digits: <c>0x...</c>.</summary>
    public override string ToString() =>
        IsNull ? "null" : IsObject ? $"{TypeName} ({Members.Count} members, {Items.Count} items)" : Value is BigInteger number ? DescriptionJson.TextOf(number) : $"{Value}";
}
