using System;
using MessagePack;

namespace Pile.Bench.Graphs;

/// <summary>The fields of <see cref="Person"/> in a class with MessagePack-CSharp's attributes.</summary>
[MessagePackObject]
public sealed class KeyedPerson
{
    [Key(0)]
    public string Name { get; set; } = "";

    [Key(1)]
    public string City { get; set; } = "";

    [Key(2)]
    public DateTime Born { get; set; }

    [Key(3)]
    public Guid Id { get; set; }

    [Key(4)]
    public decimal Balance { get; set; }

    [Key(5)]
    public int Level { get; set; }

    [Key(6)]
    public bool IsActive { get; set; }

    internal static KeyedPerson Of(Person person) => new()
    {
        Name = person.Name,
        City = person.City,
        Born = person.Born,
        Id = person.Id,
        Balance = person.Balance,
        Level = person.Level,
        IsActive = person.IsActive,
    };
}
